import { recordEvent, recordNewEvent } from '../events.ts';
import type { World } from '../world.ts';

/** Fills the last hour with `count` events of both shapes, as a cluster of some size always has. */
export function seedEvents(world: World, count: number): void {
  const nowMs = world.nowMs;
  const pods = world.store.list('pods');
  const ages = Array.from({ length: count }, () => world.random.int(1000, 3_300_000)).sort((a, b) => b - a);
  for (const age of ages) {
    world.nowMs = nowMs - age;
    const pod = world.random.pick(pods);
    const host = pod.spec.nodeName ?? '';
    const kind = world.random.int(0, 9);
    if (kind < 4) {
      const message = 'Readiness probe failed: HTTP probe failed with statuscode: 503';
      recordEvent(world, {
        about: pod,
        type: 'Warning',
        reason: 'Unhealthy',
        message,
        component: 'kubelet',
        host,
      });
    } else if (kind < 7) {
      const message = `Container image "${pod.spec.containers[0]?.image ?? ''}" already present on machine`;
      recordEvent(world, { about: pod, reason: 'Pulled', message, component: 'kubelet', host });
    } else {
      const message = `Successfully assigned ${pod.metadata.namespace}/${pod.metadata.name} to ${host}`;
      recordNewEvent(world, {
        about: pod,
        reason: kind === 7 ? 'FailedScheduling' : 'Scheduled',
        ...(kind === 7 ? { type: 'Warning', seriesCount: world.random.int(2, 40) } : {}),
        message: kind === 7 ? '0/3 nodes are available: 3 Insufficient cpu.' : message,
        component: 'default-scheduler',
        action: kind === 7 ? 'Scheduling' : 'Binding',
      });
    }
  }
  world.nowMs = nowMs;
}
