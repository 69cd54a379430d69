import type { Pod, StatefulSet } from '../objects.ts';
import { deletePod } from '../pods/endPod.ts';
import { makePod } from '../pods/makePod.ts';
import { isActive, isReady } from '../pods/podStatus.ts';
import type { World } from '../world.ts';
import { createClaim } from './claims.ts';
import { counted, ownedObjects, writeStatus } from './owned.ts';
import { ensureRevision } from './revisions.ts';

function ordinalOf(pod: Pod): number {
  return Number(pod.metadata.name.slice(pod.metadata.name.lastIndexOf('-') + 1));
}

/** One step of a StatefulSet: pods in order of their ordinals, one at a time unless Parallel, updates from the top. */
export function syncStatefulSet(world: World, namespace: string, name: string): void {
  const set = world.store.get('statefulsets', namespace, name);
  if (set === null) return;
  const revision = ensureRevision(world, set, set.spec.template);
  step(world, set, revision.name);
  const pods = ownedObjects(world, 'pods', set).filter(isActive);
  const ready = pods.filter(isReady).length;
  const updated = pods.filter((pod) => revisionOf(pod) === revision.name).length;
  const isDone = updated === set.spec.replicas && pods.length === updated;
  writeStatus(world, 'statefulsets', set, {
    observedGeneration: set.metadata.generation ?? 1,
    replicas: pods.length,
    ...counted('readyReplicas', ready),
    ...counted('currentReplicas', isDone ? updated : pods.length - updated),
    ...counted('updatedReplicas', updated),
    currentRevision: isDone ? revision.name : (set.status.currentRevision ?? revision.name),
    updateRevision: revision.name,
    collisionCount: 0,
    availableReplicas: ready,
  });
}

function revisionOf(pod: Pod): string {
  return pod.metadata.labels?.['controller-revision-hash'] ?? '';
}

function step(world: World, set: StatefulSet, revision: string): void {
  const isParallel = set.spec.podManagementPolicy === 'Parallel' || world.instant;
  const owned = ownedObjects(world, 'pods', set);
  const byOrdinal = new Map(owned.map((pod) => [ordinalOf(pod), pod]));
  for (let ordinal = 0; ordinal < set.spec.replicas; ordinal += 1) {
    const pod = byOrdinal.get(ordinal);
    // A failed pod (evicted) has to go before its name is free again.
    if (pod !== undefined && pod.status.phase === 'Failed') deletePod(world, pod);
    if (pod === undefined) makeMember(world, set, ordinal, revision);
    if (!isParallel && (pod === undefined || !isReady(pod) || !isActive(pod))) return;
  }
  const surplus = owned
    .filter((pod) => ordinalOf(pod) >= set.spec.replicas)
    .sort((a, b) => ordinalOf(b) - ordinalOf(a));
  for (const pod of isParallel ? surplus : surplus.slice(0, 1)) deletePod(world, pod);
  if (surplus.length > 0) return;
  const outdated = owned
    .filter((pod) => revisionOf(pod) !== revision && isActive(pod))
    .sort((a, b) => ordinalOf(b) - ordinalOf(a))[0];
  if (outdated !== undefined && set.spec.updateStrategy !== 'OnDelete') deletePod(world, outdated);
}

function makeMember(world: World, set: StatefulSet, ordinal: number, revision: string): void {
  const { namespace = '', name } = set.metadata;
  const volumes = (set.spec.volumeClaimTemplates ?? []).map((claim) => {
    const claimName = `${claim.metadata.name}-${name}-${ordinal}`;
    if (world.store.get('persistentvolumeclaims', namespace, claimName) === null) {
      createClaim(world, {
        namespace,
        name: claimName,
        spec: claim.spec,
        labels: set.spec.selector.matchLabels,
      });
    }
    return { name: claim.metadata.name, persistentVolumeClaim: { claimName } };
  });
  const { template } = set.spec;
  makePod(world, {
    namespace,
    owner: set,
    template,
    name: `${name}-${ordinal}`,
    prefix: `${name}-`,
    labels: {
      'apps.kubernetes.io/pod-index': String(ordinal),
      'controller-revision-hash': revision,
      'statefulset.kubernetes.io/pod-name': `${name}-${ordinal}`,
    },
    spec: {
      hostname: `${name}-${ordinal}`,
      subdomain: set.spec.serviceName,
      volumes: [...volumes, ...(template.spec.volumes ?? [])],
    },
    controller: 'kube-controller-manager',
  });
}
