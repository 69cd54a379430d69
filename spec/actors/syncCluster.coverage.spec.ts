import { deepEqual, ok } from 'node:assert/strict';
import { kinds } from '../../wire/kinds/index.ts';
import { snapshotOf } from '../support/enrolled.ts';
import { complete, edited, syncRig, unread } from '../support/syncing.ts';

describe('syncCluster, coverage (D9)', () => {
  const rig = syncRig();
  const { query, stored, rowVersions } = rig;

  it('keeps rows of what could not be read, and says since when', async () => {
    await stored({ ...snapshotOf(rig.agent), coverage: complete() });
    const before = await rowVersions();
    const empty = (minute: number) =>
      edited({ ...snapshotOf(rig.agent, minute), coverage: complete({ pods: unread }) }, ({ data }) => {
        data.pods.splice(0);
      });
    await stored(empty(1));
    await stored(empty(2));
    deepEqual(await rowVersions(), before);
    deepEqual(await query('select unverified_since from clusters'), [
      { unverified_since: { pods: '2026-11-30T12:01:00Z' } },
    ]);
    await stored({ ...snapshotOf(rig.agent, 3), coverage: complete() });
    deepEqual(await query('select unverified_since from clusters'), [{ unverified_since: {} }]);
  });

  it('prunes deployments while rollouts are refused, each by its own resource', async () => {
    const first = edited({ ...snapshotOf(rig.agent), coverage: complete() }, ({ data }) => {
      const [a, b] = data.workloads;
      ok(a && b);
      a.kind = 'Rollout';
      b.kind = 'Deployment';
    });
    await stored(first);
    const second = edited(
      { ...first, timestamp: '2026-11-30T12:01:00Z', coverage: complete({ rollouts: unread }) },
      ({ data }) => data.workloads.splice(0),
    );
    await stored(second);
    deepEqual(await query('select distinct kind from k8s_workloads'), [{ kind: 'Rollout' }]);
  });

  it('counts a resource that the block does not name as unread', async () => {
    await stored({ ...snapshotOf(rig.agent), coverage: complete() });
    const { ingresses: _, ...rest } = complete();
    await stored(
      edited({ ...snapshotOf(rig.agent, 1), coverage: rest }, ({ data }) => void data.ingresses.splice(0)),
    );
    ok((await query('select 1 from k8s_ingresses')).length > 0);
  });

  it('takes rows of unread kinds along with a namespace that is proven gone or excluded', async () => {
    for (const [minute, proof] of [
      [1, 'gone'],
      [3, 'excluded'],
    ] as const) {
      await stored({ ...snapshotOf(rig.agent, minute), coverage: complete() });
      const nsUnread = proof === 'excluded' ? { namespaces: unread } : {};
      const second = edited(
        { ...snapshotOf(rig.agent, minute + 1), coverage: complete({ pods: unread, ...nsUnread }) },
        ({ data }) => {
          const gone = data.namespaces.map((namespace) => namespace.name);
          for (const kind of kinds.filter((k) => k.namespaced))
            (data as unknown as Record<string, []>)[kind.name] = [];
          data.namespaces = [];
          if (proof === 'excluded') Object.assign(data.cluster, { excluded_namespaces: gone });
        },
      );
      await stored(second);
      deepEqual(await query('select name from k8s_pods'), [], proof);
      deepEqual(await query('select name from k8s_namespaces'), [], proof);
    }
  });

  it('keeps namespaces, and what lives in them, while they cannot be read', async () => {
    await stored({ ...snapshotOf(rig.agent), coverage: complete() });
    const before = await rowVersions();
    const second = edited(
      { ...snapshotOf(rig.agent, 1), coverage: complete({ namespaces: unread }) },
      ({ data }) => void data.namespaces.splice(0),
    );
    await stored(second);
    deepEqual(await rowVersions(), before);
  });

  it('keeps counts whose source could not be read, and the row unwritten', async () => {
    const first = snapshotOf(rig.agent);
    await stored({ ...first, coverage: complete() });
    const before = await rowVersions();
    const second = edited(
      { ...snapshotOf(rig.agent, 1), coverage: complete({ pods: unread, endpointslices: unread }) },
      ({ data }) => {
        for (const node of data.nodes) node.pod_count = null;
        for (const namespace of data.namespaces) namespace.pod_count = null;
        data.pods.splice(0);
        data.endpoint_slices.splice(0);
      },
    );
    await stored(second);
    deepEqual(await rowVersions(), before);
    ok(((await query('select min(endpoints) as least from k8s_services'))[0]?.least as number) > 0);
  });
});
