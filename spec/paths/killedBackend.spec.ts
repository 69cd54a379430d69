import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunningAgent } from '../../agent/main.ts';
import { SimCluster } from '../../sim/cluster.ts';
import type { SimServer } from '../../sim/server.ts';
import { startSimServer } from '../../sim/server.ts';
import type { ClusterRow } from '../support/apiReads.ts';
import { inventoryOf, syncedAfter } from '../support/apiReads.ts';
import type { BackendProcess } from '../support/backendProcess.ts';
import { startBackendProcess } from '../support/backendProcess.ts';
import type { Raw } from '../support/expectations.ts';
import { assertInventory } from '../support/expectations.ts';
import { eventually } from '../support/ingest.ts';
import type { WholeSystem } from '../support/wholeSystem.ts';
import { startWholeSystem } from '../support/wholeSystem.ts';

const STORED = 'proxima_ingest_outcomes_total{outcome="stored",reason=""}';
const BACKEND_ARGS = ['--ack-wait', '3s'];

describe('a backend killed between receipt and commit', function () {
  this.timeout(90_000);
  let system: WholeSystem;
  let cluster: SimCluster;
  let sim: SimServer;
  let agent: RunningAgent;
  let backend: BackendProcess;
  let first: ClusterRow;

  const snapshotAt = async (): Promise<Date> => {
    const { rows } = await system.database.pool.query<{ snapshot_at: Date }>(
      'select snapshot_at from clusters',
    );
    assert.ok(rows[0]);
    return rows[0].snapshot_at;
  };

  before(async () => {
    system = await startWholeSystem();
    cluster = new SimCluster({ argo: true, seed: 11, pods: 60, now: new Date() });
    sim = await startSimServer(cluster);
    const kubeconfig = join(system.dir, 'sim.kubeconfig');
    await writeFile(kubeconfig, sim.kubeconfig());
    backend = await startBackendProcess({ ...system.backendEnv, PROXIMA_LOG_LEVEL: 'info' }, BACKEND_ARGS);
    const started = new Date();
    const { url } = backend;
    agent = await system.startAgent({
      url,
      kubeconfig,
      slug: 'kill',
      env: { PROXIMA_K8S_SYNC_INTERVAL: '2s' },
    });
    first = await syncedAfter(await system.admin(url), 'kill', started);
  });
  after(async () => {
    await backend?.end('SIGTERM');
    await system?.stop();
    await sim?.stop();
  });

  it('stores the snapshot exactly once after its restart', async () => {
    const lock = await system.database.pool.connect();
    let before: Date;
    try {
      // A sync takes the same lock: from here on it can receive a snapshot, and not commit it.
      await lock.query('begin');
      await lock.query('select from clusters for no key update');
      before = await snapshotAt();
      cluster.live(20 * 60_000);
      await eventually('a sync waits for the lock', async () => {
        const { rows } = await system.database.pool.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length > 0;
      });
      await agent.stop();
      assert.equal(await backend.end('SIGKILL'), 'SIGKILL');
      await lock.query('commit');
    } finally {
      lock.release();
    }
    assert.deepEqual(await snapshotAt(), before, 'nothing of it was stored');

    backend = await startBackendProcess({ ...system.backendEnv, PROXIMA_LOG_LEVEL: 'info' }, BACKEND_ARGS);
    await eventually('it is stored', async () => (await snapshotAt()) > before, 30_000);
    const connection = await system.nats.connectAs(system.nats.backend);
    const manager = await connection.jetstreamManager({ checkAPI: false });
    await eventually(
      'the stream is empty',
      async () => (await manager.streams.info('EVENTS')).state.messages === 0,
      30_000,
    );
    assert.equal(await backend.metric(STORED), 1);

    const api = await system.admin(backend.url);
    await assertInventory(await inventoryOf(api, first.id), (resource) =>
      Promise.resolve(cluster.list(resource as 'pods') as unknown as readonly Raw[]),
    );
  });

  it('ends in order at SIGTERM, and says so', async () => {
    assert.equal(await backend.end('SIGTERM'), 0);
    assert.match(backend.lastWords(), /"reason":"SIGTERM","msg":"stopping".*"msg":"stopped"/s);
  });
});
