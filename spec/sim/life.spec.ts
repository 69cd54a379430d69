import assert from 'node:assert/strict';
import { SimCluster } from '../../sim/cluster.ts';
import type { KubeObject, ResourceKey } from '../../sim/objects.ts';
import { resourceRows } from '../../sim/resources.ts';

const minute = 60_000;

function everything(cluster: SimCluster): string {
  return JSON.stringify(resourceRows.map(({ key }) => cluster.list(key)));
}

function cluster(seed: number, pods = 120): SimCluster {
  return new SimCluster({ seed, pods, argo: true, now: '2026-06-01T10:00:00Z' });
}

describe('sim: a living cluster', () => {
  it('has the number of pods that was asked for', () => {
    for (const pods of [40, 60, 300]) assert.equal(cluster(3, pods).list('pods').length, pods);
  });

  it('is the same, byte for byte, for the same seed and the same calls, and another for another seed', () => {
    const [one, same, other] = [cluster(1), cluster(1), cluster(2)];
    assert.ok(everything(one) === everything(same));
    for (const each of [one, same, other]) each.live(10 * minute);
    assert.ok(everything(one) === everything(same));
    assert.ok(everything(one) !== everything(other));
  });

  it('stands still when no time passes', () => {
    const still = cluster(4);
    // Generation leaves plans that are due at once, such as the next crash of a pod in a crash loop.
    still.advance(0);
    const before = everything(still);
    still.advance(0);
    assert.ok(everything(still) === before);
  });

  describe('after hours of rollouts, scaling, crashes, evictions and lost nodes', () => {
    for (const seed of [1, 2, 3]) {
      let lived: SimCluster;
      before(() => {
        lived = cluster(seed);
        lived.live(120 * minute);
        lived.healAll();
        for (const node of lived.downNodes()) lived.nodeUp(node);
        lived.advance(30 * minute);
      });

      it(`has every controlling owner, by uid (seed ${seed})`, () => {
        const present = new Set(
          resourceRows.flatMap(({ key }) => lived.list(key).map(({ metadata }) => metadata.uid)),
        );
        const orphans = resourceRows.flatMap(({ key }) =>
          (lived.list(key) as readonly KubeObject[])
            .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => !present.has(owner.uid)))
            .map(({ metadata }) => `${key} ${metadata.namespace}/${metadata.name}`),
        );
        assert.deepEqual(orphans, []);
      });

      it(`lists in every EndpointSlice exactly the ready pods of its Service (seed ${seed})`, () => {
        let compared = 0;
        for (const service of lived.list('services')) {
          const { namespace = '', uid } = service.metadata;
          const selector = Object.entries(service.spec.selector ?? {});
          if (selector.length === 0) continue;
          const ready = lived
            .list('pods', namespace)
            .filter(({ metadata }) => selector.every(([key, value]) => metadata.labels?.[key] === value))
            .filter(({ metadata, status }) => {
              const isReady = status.conditions?.some(
                (each) => each.type === 'Ready' && each.status === 'True',
              );
              return isReady === true && metadata.deletionTimestamp === undefined;
            })
            .map(({ status }) => status.podIP);
          const sliced = lived
            .list('endpointslices', namespace)
            .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))
            .flatMap(({ endpoints }) => endpoints.filter(({ conditions }) => conditions.ready))
            .flatMap(({ addresses }) => addresses);
          assert.deepEqual(sliced.sort(), ready.sort());
          compared += sliced.length;
        }
        assert.ok(compared > 0);
      });

      it(`comes to rest with as many ready pods as every Deployment wants (seed ${seed})`, () => {
        for (const { metadata, spec, status } of lived.list('deployments')) {
          const where = `${metadata.namespace}/${metadata.name}`;
          if (spec.paused === true) continue;
          assert.equal(status.observedGeneration, metadata.generation, where);
          assert.equal(status.readyReplicas ?? 0, spec.replicas ?? 1, where);
        }
      });

      it(`keeps every pod on a node that exists (seed ${seed})`, () => {
        const nodes = new Set(lived.list('nodes').map(({ metadata }) => metadata.name));
        const lost = lived
          .list('pods')
          .filter(({ spec }) => spec.nodeName !== undefined && !nodes.has(spec.nodeName));
        assert.deepEqual(lost, []);
      });
    }
  });

  it('moves the revision of an object with each change, and never backwards', () => {
    const moving = cluster(5);
    const seen = new Map<string, number>();
    moving.store.onChange(({ resource, after }: { resource: ResourceKey; after: KubeObject | null }) => {
      if (after === null) return;
      const key = `${resource} ${after.metadata.uid}`;
      const version = Number(after.metadata.resourceVersion);
      assert.ok(version > (seen.get(key) ?? 0), key);
      seen.set(key, version);
    });
    moving.live(20 * minute);
    assert.ok(seen.size > 0);
  });
});
