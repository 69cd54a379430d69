import { deepEqual, equal, ok } from 'node:assert/strict';
import { createDatabaseGate } from '../../actors/databaseGate.ts';
import { createInbox } from '../../actors/inbox.ts';
import type { Delivery } from '../../actors/natsLink.ts';
import { createSettle, NAK_DELAYS_MS } from '../../actors/settle.ts';
import { syncCluster } from '../../actors/syncCluster.ts';
import type { Outcome } from '../../machines/vocabulary.ts';
import { recordAttempt } from '../../store/ingestAttempts.ts';
import { listRejected } from '../../store/rejected.ts';
import type { IngestUnderTest } from '../support/ingest.ts';
import { collectInto, eventually, metric, startIngest } from '../support/ingest.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { freshDatabase } from '../support/postgres.ts';

const OUTCOMES = 'proxima_ingest_outcomes_total';

/** The table of contracts.md section 2: how a message ended, what JetStream is told, whether it is kept aside. */
const TABLE: readonly (readonly [Outcome, deliveries: number, told: string, aside: boolean])[] = [
  [{ outcome: 'stored' }, 1, 'ack', false],
  [{ outcome: 'superseded' }, 1, 'ack', false],
  [{ outcome: 'ignored' }, 1, 'ack', false],
  [{ outcome: 'rejected', reason: 'schema', detail: '/data must be an object' }, 1, 'term', true],
  [{ outcome: 'rejected', reason: 'foreign_cluster', detail: 'data.cluster.uid' }, 3, 'term', true],
  [{ outcome: 'rejected', reason: 'poison' }, 20, 'term', true],
  [{ outcome: 'failed', reason: 'database' }, 1, 'nak 1000', false],
  [{ outcome: 'failed', reason: 'timeout' }, 2, 'nak 5000', false],
  [{ outcome: 'failed', reason: 'crashed' }, 3, 'nak 15000', false],
  [{ outcome: 'failed', reason: 'database' }, 4, 'nak 60000', false],
  [{ outcome: 'failed', reason: 'database' }, 400, 'nak 60000', false],
  [{ outcome: 'abandoned' }, 2, 'nak 0', false],
];

describe('the outcome of a message', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  for (const [outcome, deliveries, told, aside] of TABLE) {
    const reason = 'reason' in outcome ? outcome.reason : '';
    it(`${outcome.outcome} ${reason} at delivery ${deliveries}: ${told}${aside ? ', kept aside' : ''}`, async () => {
      const { pool } = database;
      const log = collectInto([]);
      const now = () => new Date('2026-11-30T22:00:00Z');
      const gate = createDatabaseGate({ pool, log, probeEveryMs: 10 });
      const inbox = createInbox({ workingEveryMs: 60_000, now });
      const settle = createSettle({ inbox, pool, gate, log, nakDelaysMs: NAK_DELAYS_MS, now });
      const heard: string[] = [];
      const delivery: Delivery = {
        subject: 'proxima.acme.prod.agent.kubernetes',
        bytes: Buffer.from('{}'),
        contentEncoding: undefined,
        sequence: 1,
        deliveries,
        publishedAt: now(),
        ack: () => heard.push('ack'),
        term: () => heard.push('term'),
        nak: (delayMs) => heard.push(`nak ${delayMs}`),
        working: () => heard.push('working'),
      };
      const counted = await metric(OUTCOMES, { outcome: outcome.outcome, reason });
      const listed = async () => (await listRejected(pool, { page: 1, perPage: 100 })).total;
      const before = await listed();
      await recordAttempt(pool, 1, now());

      const ticket = inbox.hold(delivery);
      await settle(ticket, outcome);
      // A crashed actor's late answer finds the ticket settled.
      await settle(ticket, { outcome: 'stored' });
      gate.stop();

      deepEqual(heard, [told]);
      equal(await metric(OUTCOMES, { outcome: outcome.outcome, reason }), counted + 1);
      equal(await listed(), before + Number(aside));
      // A first delivery has no attempts to forget, and its outcome costs no write.
      const { rowCount } = await pool.query('delete from ingest_attempts');
      equal(rowCount, Number(deliveries === 1));
    });
  }
});

describe('a cluster whose every snapshot fails', function () {
  this.timeout(60_000);
  let ingest: IngestUnderTest;
  before(async () => {
    ingest = await startIngest();
  });
  after(() => ingest.stop());

  it('slows no other: theirs are stored one after the other while its own come again and again', async () => {
    const failing = await ingest.enroll('failing');
    const others = await Promise.all(['a', 'b', 'c'].map((slug) => ingest.enroll(slug)));
    let attempts = 0;
    const stored: string[] = [];
    const system = await ingest.start({ lanes: 2, nakDelaysMs: [50] }, async (pool, input, options) => {
      if (input.agent.cluster_slug === 'failing') {
        attempts += 1;
        throw new Error('this one always fails');
      }
      const outcome = await syncCluster(pool, input, options);
      stored.push(input.agent.cluster_slug);
      return outcome;
    });
    for (let n = 0; n < 5; n += 1) await failing.publish(failing.snapshot());
    await eventually('it fails', () => attempts >= 5);
    for (let minute = 0; minute < 10; minute += 1) {
      const timestamp = new Date(Date.UTC(2026, 10, 30, 22, minute)).toISOString();
      for (const agent of others) await agent.publish(agent.snapshot({ timestamp }));
    }
    await eventually('all others are stored', () => stored.length === 30);
    const sofar = attempts;
    await eventually('it still comes again', () => attempts > sofar);
    ok(system.ready(), 'a failing cluster is no reason to take the backend out of service');
    await system.stop();
    equal(await ingest.kept(), 5, 'nothing of it was given up');
  });

  it('leaves a lane to the others while one of its own takes its time and more of them wait', async () => {
    const slow = await ingest.enroll('slow');
    const other = await ingest.enroll('other');
    const released = Promise.withResolvers<void>();
    let stored = 0;
    let begun = 0;
    const busy = await metric(OUTCOMES, { outcome: 'failed', reason: 'busy' });
    const system = await ingest.start(
      { lanes: 2, turnPatienceMs: 100, nakDelaysMs: [100] },
      async (pool, input, options) => {
        if (input.agent.cluster_slug === 'slow') {
          begun += 1;
          await released.promise;
        }
        if (input.agent.cluster_slug === 'other') stored += 1;
        return syncCluster(pool, input, options);
      },
    );
    for (let minute = 0; minute < 4; minute += 1) {
      await slow.publish(slow.snapshot({ timestamp: `2026-11-30T22:0${minute}:00Z` }));
    }
    await eventually('one is worked on', () => begun === 1);
    for (let minute = 0; minute < 10; minute += 1) {
      await other.publish(other.snapshot({ timestamp: `2026-11-30T22:1${minute}:00Z` }));
    }
    await eventually('the others are stored', () => stored === 10);
    equal(begun, 1);
    ok((await metric(OUTCOMES, { outcome: 'failed', reason: 'busy' })) > busy);
    released.resolve();
    await eventually('all that waited is settled', async () => (await ingest.kept()) === 0);
    await system.stop();
    const { rows } = await ingest.database.pool.query(`select snapshot_at from clusters where slug = 'slow'`);
    deepEqual(rows, [{ snapshot_at: new Date('2026-11-30T22:03:00Z') }]);
  });
});

describe('the metrics of a sync', () => {
  let ingest: IngestUnderTest;
  before(async () => {
    ingest = await startIngest();
  });
  after(() => ingest.stop());

  const node = (name: string) => ({
    ...{ name, uid: `uid-${name}`, roles: [], labels: {}, taints: [], status: 'Ready', conditions: [] },
    ...{
      unschedulable: false,
      addresses: [],
      kubelet_version: null,
      container_runtime: null,
      os_image: null,
    },
    ...{
      kernel_version: null,
      capacity_cpu_millicores: null,
      capacity_memory_bytes: null,
      capacity_pods: null,
    },
    ...{ allocatable_cpu_millicores: null, allocatable_memory_bytes: null, allocatable_pods: null },
    ...{ usage_cpu_millicores: null, usage_memory_bytes: null, pod_count: null, provider_id: null },
    ...{ instance_type: null, zone: null, created_at: null },
  });

  it('count every message, node and workload, and what was linked to a host (BO-01 to BO-06, LK-04)', async () => {
    const agent = await ingest.enroll('metrics');
    await ingest.database.pool.query(
      `insert into hosts (client_id, environment_id, hostname)
       select client_id, id, hostname from environments, unnest(array['n1', 'N2', 'elsewhere']) as hostname`,
    );
    const read = async () => ({
      synced: await metric('proxima_k8s_clusters_synced_total'),
      nodes: await metric('proxima_k8s_nodes_synced_total'),
      workloads: await metric('proxima_k8s_workloads_synced_total'),
      linked: await metric('proxima_k8s_node_host_linkage_total', { result: 'linked' }),
      unlinked: await metric('proxima_k8s_node_host_linkage_total', { result: 'unlinked' }),
      timed: await metric('proxima_k8s_sync_duration_seconds_count'),
      notNewer: await metric('proxima_k8s_spec_facts_not_newer_total'),
    });
    const before = await read();
    const facts = {
      ...{ facts_version: 1, replicas: 1, strategy: null, containers: [], init_containers: [] },
    };
    const workload = {
      ...{ kind: 'Deployment', namespace: 'shop', name: 'api', uid: 'w', created_at: null },
      ...{ replicas_desired: 1, replicas_ready: 1, replicas_available: 1, conditions: [], strategy: null },
      ...{ service_account: null, containers: [], labels: {}, annotations: {}, helm_release: null },
      ...{ helm_chart: null, helm_chart_version: null, spec_facts: facts },
    };
    const plain = agent.snapshot();
    const nodes = [node('n1'), node('n2'), node('n3')];
    const sent = { ...plain, data: { ...plain.data, nodes, workloads: [workload] } };
    const system = await ingest.start({ lanes: 1 });
    // New, again, and an older one: the last two bring no news about the facts.
    await agent.publish(sent as never);
    await agent.publish(sent as never);
    await agent.publish({ ...sent, timestamp: '2026-11-30T21:00:00Z' } as never);
    await eventually('all are settled', async () => (await ingest.kept()) === 0);
    await system.stop();
    const after = await read();
    const grown = Object.fromEntries(
      Object.entries(after).map(([name, value]) => [name, value - before[name as keyof typeof before]]),
    );
    deepEqual(grown, { synced: 2, nodes: 6, workloads: 2, linked: 4, unlinked: 2, timed: 3, notNewer: 2 });
  });
});
