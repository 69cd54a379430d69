import type { ReplicaSet, ReplicaStatus, Rolling } from '../objects.ts';
import type { World } from '../world.ts';
import { condition } from './owned.ts';

/** An Argo Rollout's status; counts are written out also when zero, as its controller does. */
export function rolloutStatus(
  world: World,
  owner: Rolling,
  sets: readonly ReplicaSet[],
  current: ReplicaSet,
): ReplicaStatus {
  const wanted = owner.spec.replicas ?? 1;
  const sum = (count: (set: ReplicaSet) => number | undefined): number =>
    sets.reduce((total, set) => total + (count(set) ?? 0), 0);
  const ready = sum((set) => set.status.readyReplicas);
  const updated = current.status.replicas ?? 0;
  const isHealthy = ready >= wanted && updated === wanted;
  const hash = current.metadata.labels?.['rollouts-pod-template-hash'] ?? '';
  const now = world.now();
  const before = owner.status.conditions;
  const stable = isHealthy ? hash : String(owner.status.stableRS ?? hash);
  return {
    HPAReplicas: sum((set) => set.status.replicas),
    availableReplicas: ready,
    blueGreen:
      owner.spec.strategy?.blueGreen === undefined ? {} : { activeSelector: stable, previewSelector: hash },
    canary: {},
    conditions: [
      condition(before, now, {
        type: 'Available',
        status: ready >= wanted ? 'True' : 'False',
        reason: 'AvailableReason',
        message: ready >= wanted ? 'Rollout has minimum availability' : 'Rollout lacks minimum availability',
      }),
      condition(before, now, {
        type: 'Progressing',
        status: 'True',
        reason: isHealthy ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
        message: `ReplicaSet "${current.metadata.name}" ${isHealthy ? 'has successfully progressed.' : 'is progressing.'}`,
      }),
    ],
    currentPodHash: hash,
    observedGeneration: owner.metadata.generation ?? 1,
    phase: isHealthy ? 'Healthy' : 'Progressing',
    readyReplicas: ready,
    replicas: sum((set) => set.status.replicas),
    selector: Object.entries(owner.spec.selector?.matchLabels ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .join(','),
    stableRS: stable,
    updatedReplicas: updated,
  };
}
