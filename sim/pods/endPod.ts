import { recordEvent } from '../events.ts';
import type { Pod } from '../objects.ts';
import { timeText } from '../time.ts';
import type { World } from '../world.ts';
import { evictedPod } from './podStates.ts';

/** Asks a pod to go: it terminates for some seconds, or stays terminating when its node does not answer. */
export function deletePod(world: World, pod: Pod): void {
  if (pod.metadata.deletionTimestamp !== undefined) return;
  const { namespace = '', name, uid } = pod.metadata;
  const graceSeconds = pod.spec.terminationGracePeriodSeconds;
  const hasEnded = pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed';
  if (world.instant || hasEnded || pod.spec.nodeName === undefined) {
    world.store.remove('pods', namespace, name);
    return;
  }
  world.store.put('pods', {
    ...pod,
    metadata: {
      ...pod.metadata,
      deletionTimestamp: timeText(world.nowMs + graceSeconds * 1000),
      deletionGracePeriodSeconds: graceSeconds,
    },
  });
  recordEvent(world, {
    about: pod,
    reason: 'Killing',
    message: `Stopping container ${pod.spec.containers[0]?.name ?? ''}`,
    component: 'kubelet',
    host: pod.spec.nodeName,
  });
  const finish = (): void => {
    const going = world.store.get('pods', namespace, name);
    if (going === null || going.metadata.uid !== uid) return;
    if (world.downNodes.has(going.spec.nodeName ?? '')) world.later(10_000, finish);
    else world.store.remove('pods', namespace, name);
  };
  world.later(world.random.int(500, Math.max(600, Math.min(5000, graceSeconds * 1000))), finish);
}

/** Evicts a pod: it stays as Failed for an hour, as pods do until somebody cleans up, and its owner makes another. */
export function evictPod(world: World, pod: Pod): void {
  const { namespace = '', name, uid } = pod.metadata;
  const evicted = world.updateStatus('pods', evictedPod(world, pod));
  recordEvent(world, {
    about: evicted,
    type: 'Warning',
    reason: 'Evicted',
    message: evicted.status.message ?? 'evicted',
    component: 'kubelet',
    ...(pod.spec.nodeName === undefined ? {} : { host: pod.spec.nodeName }),
  });
  world.later(3_600_000, () => {
    if (world.store.get('pods', namespace, name)?.metadata.uid === uid)
      world.store.remove('pods', namespace, name);
  });
}
