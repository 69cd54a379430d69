import { recordEvent, recordNewEvent } from '../events.ts';
import type { Node, Pod } from '../objects.ts';
import { controllerOf, type World } from '../world.ts';
import { fateOf } from './fate.ts';
import { boundPod, crashedPod, endedPod, pullingPod, runningPod, unplaceablePod } from './podStates.ts';
import { chooseNode } from './scheduler.ts';

/** A pod as its plans remember it; a later pod of the same name is another one. */
interface PodRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

function refOf(pod: Pod): PodRef {
  return { namespace: pod.metadata.namespace ?? '', name: pod.metadata.name, uid: pod.metadata.uid };
}

/** Runs `act` in a while with the pod as it is then; not at all when it is gone or going. */
function plan(world: World, ref: PodRef, delayMs: number, act: (pod: Pod) => void): void {
  world.later(delayMs, () => {
    const pod = world.store.get('pods', ref.namespace, ref.name);
    if (pod === null || pod.metadata.uid !== ref.uid || pod.metadata.deletionTimestamp !== undefined) return;
    if (pod.status.phase === 'Failed' || pod.status.phase === 'Succeeded') return;
    if (pod.spec.nodeName !== undefined && world.downNodes.has(pod.spec.nodeName)) {
      plan(world, ref, 10_000, act);
      return;
    }
    act(pod);
  });
}

function nodeOf(world: World, pod: Pod): Node | null {
  return pod.spec.nodeName === undefined ? null : world.store.get('nodes', '', pod.spec.nodeName);
}

/** What the scheduler says when no node takes a pod. */
export function unschedulableMessage(world: World): string {
  const total = world.store.count('nodes');
  return `0/${total} nodes are available: ${total} Insufficient memory. preemption: 0/${total} nodes are available: ${total} No preemption victims found for incoming pod.`;
}

/** Plans a new pod's way: placed, started, ready; and what its fate and its owner make of it then. */
export function planPod(world: World, pod: Pod, wanted: string | null): void {
  plan(world, refOf(pod), world.random.int(20, 400), (placing) => place(world, placing, wanted));
}

function place(world: World, pod: Pod, wanted: string | null): void {
  const node = fateOf(world, pod) === 'unschedulable' ? null : chooseNode(world, pod, wanted);
  if (node === null) {
    const message = unschedulableMessage(world);
    if (pod.status.conditions === undefined) world.updateStatus('pods', unplaceablePod(world, pod, message));
    recordNewEvent(world, {
      about: pod,
      type: 'Warning',
      reason: 'FailedScheduling',
      message,
      component: 'default-scheduler',
      action: 'Scheduling',
    });
    plan(world, refOf(pod), 300_000, (again) => place(world, again, wanted));
    return;
  }
  const bound = world.updateStatus('pods', boundPod(world, pod, node));
  recordNewEvent(world, {
    about: bound,
    reason: 'Scheduled',
    message: `Successfully assigned ${bound.metadata.namespace}/${bound.metadata.name} to ${node.metadata.name}`,
    component: 'default-scheduler',
    action: 'Binding',
  });
  plan(world, refOf(pod), world.random.int(800, 4000), (starting) => start(world, starting));
}

function start(world: World, pod: Pod): void {
  const node = nodeOf(world, pod);
  if (node === null) return;
  const say = (reason: string, message: string, type: 'Normal' | 'Warning' = 'Normal'): void => {
    const component = 'kubelet';
    const fieldPath = `spec.containers{${pod.spec.containers[0]?.name ?? ''}}`;
    recordEvent(world, { about: pod, type, reason, message, component, host: node.metadata.name, fieldPath });
  };
  const image = pod.spec.containers[0]?.image ?? '';
  const fate = fateOf(world, pod);
  if (fate === 'pull') {
    if (pod.status.containerStatuses === undefined) world.updateStatus('pods', pullingPod(world, pod, node));
    say('Failed', 'Error: ImagePullBackOff', 'Warning');
    say('BackOff', `Back-off pulling image "${image}"`);
    plan(world, refOf(pod), 300_000, (again) => start(world, again));
    return;
  }
  world.updateStatus('pods', runningPod(world, pod, node, false));
  say('Pulled', `Container image "${image}" already present on machine`);
  say('Created', `Created container: ${pod.spec.containers[0]?.name ?? ''}`);
  say('Started', `Started container ${pod.spec.containers[0]?.name ?? ''}`);
  if (controllerOf(pod)?.kind === 'Job') {
    plan(world, refOf(pod), world.random.int(5, 90) * 1000, (ending) => end(world, ending));
  } else {
    plan(world, refOf(pod), world.random.int(1000, 9000), (starting) => becomeReady(world, starting));
  }
  if (fate === 'crash') planCrashes(world, pod);
}

function becomeReady(world: World, pod: Pod): void {
  const node = nodeOf(world, pod);
  if (node === null || pod.status.containerStatuses?.[0]?.state.running === undefined) return;
  world.updateStatus('pods', runningPod(world, pod, node, true));
}

function end(world: World, pod: Pod): void {
  const node = nodeOf(world, pod);
  if (node !== null) world.updateStatus('pods', endedPod(world, pod, node, fateOf(world, pod) !== 'crash'));
}

/** Plans the next crash of a pod whose fate is to crash; each is followed by a longer wait, up to five minutes. */
export function planCrashes(world: World, pod: Pod): void {
  const restarts = pod.status.containerStatuses?.[0]?.restartCount ?? 0;
  const backOffMs = Math.min(300_000, 10_000 * 2 ** Math.min(restarts, 5));
  plan(world, refOf(pod), world.random.int(2000, 12_000), (crashing) => {
    const node = nodeOf(world, crashing);
    if (node === null) return;
    if (fateOf(world, crashing) !== 'crash') {
      world.updateStatus('pods', runningPod(world, crashing, node, true));
      return;
    }
    const count = (crashing.status.containerStatuses?.[0]?.restartCount ?? 0) + 1;
    const crashed = world.updateStatus('pods', crashedPod(world, crashing, node, count, backOffMs));
    recordEvent(world, {
      about: crashed,
      type: 'Warning',
      reason: 'BackOff',
      message: `Back-off restarting failed container ${crashed.spec.containers[0]?.name ?? ''} in pod ${crashed.metadata.name}_${crashed.metadata.namespace}(${crashed.metadata.uid})`,
      component: 'kubelet',
      host: node.metadata.name,
    });
    plan(world, refOf(pod), backOffMs, (starting) => {
      const up = nodeOf(world, starting);
      if (up !== null) world.updateStatus('pods', runningPod(world, starting, up, false));
      planCrashes(world, starting);
    });
  });
}
