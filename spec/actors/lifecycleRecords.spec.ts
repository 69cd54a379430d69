import { deepEqual } from 'node:assert/strict';
import { acceptClusterUid } from '../../store/clusterSync.ts';
import type { CoverageBlock } from '../../wire/coverage.ts';
import type { SnapshotBody } from '../../wire/snapshot.ts';
import { complete, syncRig, unread } from '../support/syncing.ts';
import { factsOf, sentWorkload, snapshotAt } from '../support/workloads.ts';

describe('records of the life of workloads', () => {
  const rig = syncRig();
  const { query, stored } = rig;
  const api = sentWorkload('api', factsOf());
  const rollout = sentWorkload('canary', factsOf(), { kind: 'Rollout' });

  const store = (
    minute: number,
    workloads: SnapshotBody['workloads'],
    coverage: CoverageBlock | undefined = complete(),
    rest: Partial<SnapshotBody> = {},
  ) =>
    stored(snapshotAt(rig.agent, minute, { workloads, ...rest }, coverage && { coverage }), rig.agent, {
      lifecycleRecords: true,
    });
  const summaries = async () =>
    (await query('select summary from change_events order by scanned_at, summary')).map((row) => row.summary);

  it('tell what was created and deleted, under types of their own', async () => {
    const { clusterId } = await store(0, [api]);
    await store(1, [api, rollout]);
    await store(2, [rollout]);
    deepEqual(await query('select event_type, summary, details from change_events order by scanned_at'), [
      {
        event_type: 'workload_created',
        summary: 'Rollout shop/canary created',
        details: detailsOf('Rollout', 'canary'),
      },
      {
        event_type: 'workload_deleted',
        summary: 'Deployment shop/api deleted',
        details: detailsOf('Deployment', 'api'),
      },
    ]);
    function detailsOf(kind: string, name: string) {
      return {
        cluster_id: clusterId,
        cluster: 'k8s-1',
        kind,
        namespace: 'shop',
        name,
        change_count: 0,
        truncated: false,
        changes: [],
      };
    }
  });

  it('are off unless switched on (CH-36)', async () => {
    await stored(snapshotAt(rig.agent, 0, { workloads: [api] }, { coverage: complete() }));
    await stored(snapshotAt(rig.agent, 1, { workloads: [rollout] }, { coverage: complete() }));
    deepEqual(await summaries(), []);
  });

  it('say nothing of the first snapshot, nor of an agent that does not tell what it read', async () => {
    await store(0, [api, rollout]);
    deepEqual(await summaries(), []);
    await stored(snapshotAt(rig.agent, 1, { workloads: [] }), rig.agent, { lifecycleRecords: true });
    await stored(snapshotAt(rig.agent, 2, { workloads: [api] }), rig.agent, { lifecycleRecords: true });
    await store(3, [api, rollout]);
    deepEqual(await summaries(), []);
  });

  it('say nothing of a kind that was refused and came back', async () => {
    await store(0, [api], complete({ rollouts: unread }));
    await store(1, [api, rollout]);
    await store(2, [api], complete({ rollouts: unread }));
    await store(3, [api, rollout]);
    deepEqual(await summaries(), []);
  });

  it('say nothing of a namespace that is left out, or no longer', async () => {
    const leftOut = (minute: number) => {
      const { cluster } = snapshotAt(rig.agent, minute, {}).data;
      return { cluster: { ...cluster, excluded_namespaces: ['shop'] }, namespaces: [] };
    };
    await store(0, [api]);
    await store(1, [], complete(), leftOut(1));
    deepEqual(await query('select 1 from k8s_workloads'), []);
    await store(2, [api]);
    deepEqual(await summaries(), []);
  });

  it('tell the workloads of a namespace that is gone, though their kind could not be read', async () => {
    await store(0, [api]);
    await store(1, [], complete({ deployments: unread }), { namespaces: [] });
    deepEqual(await summaries(), ['Deployment shop/api deleted']);
  });

  it('start over with the facts when another cluster is accepted under the name', async () => {
    const { clusterId } = await store(0, [api]);
    await acceptClusterUid(rig.database.pool, clusterId, 'rebuilt');
    deepEqual(await query('select spec_facts, spec_facts_hash, spec_facts_at from k8s_workloads'), [
      { spec_facts: null, spec_facts_hash: null, spec_facts_at: null },
    ]);
    await query(`update agents set cluster_uid = 'rebuilt'`);
    const agent = { ...rig.agent, cluster_uid: 'rebuilt' };
    const changed = sentWorkload('api', factsOf({ image: 'shop/api:9' }));
    // Older than what was stored of the cluster before: its time starts over as well.
    await stored(snapshotAt(agent, -60, { workloads: [changed, rollout] }, { coverage: complete() }), agent, {
      lifecycleRecords: true,
    });
    deepEqual(await summaries(), []);
  });
});
