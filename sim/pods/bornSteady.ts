import type { Pod } from '../objects.ts';
import { controllerOf, type World } from '../world.ts';
import { fateOf } from './fate.ts';
import { planCrashes, unschedulableMessage } from './podLife.ts';
import { boundPod, crashedPod, endedPod, pullingPod, runningPod, unplaceablePod } from './podStates.ts';
import { chooseNode } from './scheduler.ts';

/**
 * Puts a pod at once where its life would have brought it: running and ready, waiting after many crashes, or ended
 * when it is a Job's. Used while the cluster is generated, when there is no time to live through.
 */
export function bornSteady(world: World, pod: Pod, wanted: string | null): void {
  const fate = fateOf(world, pod);
  const node = fate === 'unschedulable' ? null : chooseNode(world, pod, wanted);
  if (node === null) {
    world.updateStatus('pods', unplaceablePod(world, pod, unschedulableMessage(world)));
    return;
  }
  const bound = boundPod(world, pod, node);
  if (controllerOf(pod)?.kind === 'Job') {
    world.updateStatus('pods', endedPod(world, bound, node, fate !== 'crash'));
  } else if (fate === 'pull') {
    world.updateStatus('pods', pullingPod(world, bound, node));
  } else if (fate === 'crash') {
    world.updateStatus('pods', crashedPod(world, bound, node, world.random.int(3, 60), 300_000));
    planCrashes(world, pod);
  } else {
    world.updateStatus('pods', runningPod(world, bound, node, true));
  }
}
