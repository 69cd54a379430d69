import type { ReplicaSet, ReplicaStatus, Rolling } from '../objects.ts';
import type { World } from '../world.ts';
import { condition, counted } from './owned.ts';

/** A Deployment's status, summed over its ReplicaSets; counts that are zero are left out as the API does. */
export function deploymentStatus(
  world: World,
  owner: Rolling,
  sets: readonly ReplicaSet[],
  current: ReplicaSet,
): ReplicaStatus {
  const wanted = owner.spec.replicas ?? 1;
  const sum = (count: (set: ReplicaSet) => number | undefined): number =>
    sets.reduce((total, set) => total + (count(set) ?? 0), 0);
  const replicas = sum((set) => set.status.replicas);
  const ready = sum((set) => set.status.readyReplicas);
  const updated = current.status.replicas ?? 0;
  const isAvailable = ready >= wanted - Math.floor(wanted / 4);
  const isDone = updated === wanted && replicas === wanted && ready === wanted;
  const now = world.now();
  const before = owner.status.conditions;
  return {
    observedGeneration: owner.metadata.generation ?? 1,
    ...counted('replicas', replicas),
    ...counted('updatedReplicas', updated),
    ...counted('readyReplicas', ready),
    ...counted('availableReplicas', ready),
    ...counted('unavailableReplicas', Math.max(0, Math.max(wanted, replicas) - ready)),
    conditions: [
      condition(before, now, {
        type: 'Available',
        status: isAvailable ? 'True' : 'False',
        reason: isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
        message: isAvailable
          ? 'Deployment has minimum availability.'
          : 'Deployment does not have minimum availability.',
      }),
      condition(before, now, {
        type: 'Progressing',
        status: 'True',
        reason: isDone ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
        message: isDone
          ? `ReplicaSet "${current.metadata.name}" has successfully progressed.`
          : `ReplicaSet "${current.metadata.name}" is progressing.`,
      }),
    ],
  };
}
