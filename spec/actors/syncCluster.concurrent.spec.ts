import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { TransactionTimeout } from '../../store/tx.ts';
import { snapshotOf } from '../support/enrolled.ts';
import { edited, syncRig } from '../support/syncing.ts';

describe('syncCluster, syncs at the same time', () => {
  const rig = syncRig();
  const { query, sync, stored, rowVersions } = rig;

  it('wait for each other, while rows that refer to the cluster can be inserted (IN-23, IN-25)', async () => {
    const { clusterId } = await stored(snapshotOf(rig.agent));
    const holder = await rig.database.pool.connect();
    try {
      await holder.query('begin');
      await holder.query('select 1 from clusters where id = $1 for no key update', [clusterId]);
      let done = false;
      const waiting = stored(snapshotOf(rig.agent, 1)).then(() => {
        done = true;
      });
      await sleep(150);
      equal(done, false);
      await query(
        `insert into k8s_namespaces (cluster_id, name, uid, status, created_at) values ($1, 'apart', 'u', 'Active', now())`,
        [clusterId],
      );
      await holder.query('commit');
      await waiting;
      deepEqual(await query(`select 1 from k8s_namespaces where name = 'apart'`), []);
    } finally {
      holder.release();
    }
  });

  it('both starting from nothing leave one cluster and one asset', async () => {
    const outcomes = await Promise.all([
      sync(snapshotOf(rig.agent)),
      sync(snapshotOf(rig.agent)),
      sync(snapshotOf(rig.agent)),
    ]);
    deepEqual(outcomes.map((outcome) => outcome.outcome === 'stored' && outcome.replay).sort(), [
      false,
      true,
      true,
    ]);
    deepEqual(
      await query(
        'select (select count(*) from clusters) as clusters, (select count(*) from assets) as assets',
      ),
      [{ clusters: 1, assets: 1 }],
    );
  });

  it('never deadlock, however many snapshots arrive at once (IN-24)', async () => {
    const snapshots = Array.from({ length: 12 }, (_, i) =>
      edited(snapshotOf(rig.agent, i), ({ data }) => void data.pods.splice(0, i)),
    );
    const outcomes = await Promise.all(snapshots.map((snapshot) => sync(snapshot)));
    ok(outcomes.every(({ outcome }) => outcome === 'stored' || outcome === 'superseded'));
    const [row] = await query('select count(*)::integer as pods from k8s_pods');
    equal(row?.pods, snapshots.at(-1)?.data.pods.length);
  });

  it('gives up at its time limit, throws, and leaves nothing (IN-06)', async () => {
    const { clusterId } = await stored(snapshotOf(rig.agent));
    const before = await rowVersions();
    const holder = await rig.database.pool.connect();
    try {
      await holder.query('begin');
      await holder.query('select 1 from clusters where id = $1 for no key update', [clusterId]);
      const begun = Date.now();
      await rejects(sync(snapshotOf(rig.agent, 1), rig.agent, { timeoutMs: 200 }), TransactionTimeout);
      ok(Date.now() - begun < 2000);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    deepEqual(await rowVersions(), before);
  });
});
