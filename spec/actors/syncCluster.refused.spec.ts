import { deepEqual, equal, ok } from 'node:assert/strict';
import { findAgent } from '../../store/agents.ts';
import type { Snapshot } from '../../wire/snapshot.ts';
import { enrollAgent, snapshotOf } from '../support/enrolled.ts';
import { edited, NOW, syncRig } from '../support/syncing.ts';

describe('syncCluster, a snapshot that may not be stored', () => {
  const rig = syncRig();
  const { query, sync, stored, rowVersions } = rig;

  it('is superseded when older, and writes nothing at all (X-18)', async () => {
    const { clusterId } = await stored(snapshotOf(rig.agent, 5));
    const before = await rowVersions();
    const cluster = await query('select * from clusters');
    const older = edited(snapshotOf(rig.agent, 4), ({ data }) => void data.pods.splice(0));
    deepEqual(await sync(older), { outcome: 'superseded', clusterId, clamped: false, factsNotNewer: 2 });
    deepEqual(await rowVersions(), before);
    deepEqual(await query('select * from clusters'), cluster);
  });

  it('is a replay when it is the stored one again, and writes no row', async () => {
    await stored(snapshotOf(rig.agent, 5));
    const before = await rowVersions();
    equal((await stored(snapshotOf(rig.agent, 5))).replay, true);
    deepEqual(await rowVersions(), before);
  });

  it('follows the epoch: a deposed leader is superseded, a new one with a slow clock goes on for good', async () => {
    const led = (minute: number, transitions: number) => ({
      ...snapshotOf(rig.agent, minute),
      epoch: { lease_uid: 'lease', transitions },
    });
    await stored(led(20, 1));
    await stored(led(3, 2));
    equal((await sync(led(25, 1))).outcome, 'superseded');
    await stored(led(8, 2));
  });

  it('is clamped when it is stamped in the future, alike at every delivery (CH-32, X-19)', async () => {
    const future = { ...snapshotOf(rig.agent), timestamp: '2027-01-01T00:00:00Z' };
    equal((await stored(future)).clamped, true);
    const limit = new Date(NOW.getTime() + 60_000);
    deepEqual(await query('select snapshot_at, last_seen_at from clusters'), [
      { snapshot_at: limit, last_seen_at: limit },
    ]);
    equal((await stored(future)).replay, true);
  });

  it('is rejected when it is of another cluster, by agent, slug or uid, and writes nothing', async () => {
    const other = await enrollAgent(rig.database.pool, { slug: 'k8s-2' });
    const cases: [Snapshot, string][] = [
      [{ ...snapshotOf(rig.agent), agent_id: other.id }, 'agent_id'],
      [
        edited(snapshotOf(rig.agent), ({ data }) => Object.assign(data.cluster, { slug: 'k8s-2' })),
        'data.cluster.slug',
      ],
      [
        edited(snapshotOf(rig.agent), ({ data }) => Object.assign(data.cluster, { uid: 'x' })),
        'data.cluster.uid',
      ],
    ];
    for (const [snapshot, detail] of cases) {
      deepEqual(await sync(snapshot), { outcome: 'rejected', reason: 'foreign_cluster', detail });
    }
    deepEqual(await query('select 1 from clusters'), []);
  });

  it('is rejected when an agent without a uid meets a cluster that has another', async () => {
    await stored(snapshotOf(rig.agent));
    const second = await enrollAgent(rig.database.pool, { uid: null, name: 'proxima-cluster-agent-1' });
    const foreign = edited(snapshotOf(second, 1), ({ data }) =>
      Object.assign(data.cluster, { uid: 'rebuilt' }),
    );
    deepEqual(await sync(foreign, second), {
      outcome: 'rejected',
      reason: 'foreign_cluster',
      detail: 'data.cluster.uid',
    });
    equal((await findAgent(rig.database.pool, second.id))?.cluster_uid, null);
  });

  it('is rejected by a value that PostgreSQL refuses, naming the place and never the value', async () => {
    const bad = edited(snapshotOf(rig.agent), ({ data }) => {
      const [pod] = data.pods;
      ok(pod);
      pod.started_at = '0000-01-01T00:00:00Z';
    });
    deepEqual(await sync(bad), {
      outcome: 'rejected',
      reason: 'refused_value',
      detail: '22008 k8s_pods started_at',
    });
    deepEqual(await query('select 1 from clusters'), []);
  });

  it('is rejected by two nodes of one uid, and leaves what was stored (IN-06)', async () => {
    await stored(snapshotOf(rig.agent, 0, { pods: 120, events: 1 }));
    const before = await rowVersions();
    const bad = edited(snapshotOf(rig.agent, 1, { pods: 120, events: 1 }), ({ data }) => {
      for (const node of data.nodes) node.uid = 'the-same';
      data.pods.splice(0);
    });
    deepEqual(await sync(bad), {
      outcome: 'rejected',
      reason: 'refused_value',
      detail: '23505 k8s_nodes k8s_nodes_cluster_id_uid_key',
    });
    deepEqual(await rowVersions(), before);
  });

  it('is rejected by a key too long for its index', async () => {
    const bad = edited(snapshotOf(rig.agent), ({ data }) => {
      const [pod] = data.pods;
      ok(pod);
      // Random enough that the index cannot compress it away.
      pod.namespace = Array.from({ length: 512 }, (_, i) =>
        String.fromCodePoint(0x4e00 + ((i * 7919) % 20000)),
      ).join('');
      pod.name = [...pod.namespace].reverse().join('');
    });
    const outcome = await sync(bad);
    ok(outcome.outcome === 'rejected' && outcome.detail.startsWith('54000'), JSON.stringify(outcome));
  });
});
