import { recordEvent } from '../events.ts';
import { deletePod } from '../pods/endPod.ts';
import { makePod } from '../pods/makePod.ts';
import { isActive, isReady } from '../pods/podStatus.ts';
import type { World } from '../world.ts';
import { byReadinessToGo, counted, ownedObjects, writeStatus } from './owned.ts';

/** Makes or gives up pods until a ReplicaSet has as many as it wants, and counts them. */
export function syncReplicaSet(world: World, namespace: string, name: string): void {
  const set = world.store.get('replicasets', namespace, name);
  if (set === null || set.metadata.deletionTimestamp !== undefined) return;
  const active = ownedObjects(world, 'pods', set).filter(isActive);
  for (let missing = set.spec.replicas - active.length; missing > 0; missing -= 1) {
    const pod = makePod(world, {
      namespace,
      owner: set,
      template: set.spec.template,
      prefix: `${name}-`,
      controller: 'kube-controller-manager',
    });
    if (!world.instant) {
      recordEvent(world, {
        about: set,
        reason: 'SuccessfulCreate',
        message: `Created pod: ${pod.metadata.name}`,
        component: 'replicaset-controller',
      });
    }
  }
  for (const pod of active.sort(byReadinessToGo).slice(0, Math.max(0, active.length - set.spec.replicas))) {
    deletePod(world, pod);
    recordEvent(world, {
      about: set,
      reason: 'SuccessfulDelete',
      message: `Deleted pod: ${pod.metadata.name}`,
      component: 'replicaset-controller',
    });
  }
  const pods = ownedObjects(world, 'pods', set).filter(isActive);
  const ready = pods.filter(isReady).length;
  writeStatus(world, 'replicasets', set, {
    replicas: pods.length,
    ...counted('fullyLabeledReplicas', pods.length),
    ...counted('readyReplicas', ready),
    ...counted('availableReplicas', ready),
    observedGeneration: set.metadata.generation ?? 1,
  });
}
