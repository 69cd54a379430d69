import { recordEvent } from '../events.ts';
import type { Condition, Node, Pod, Taint } from '../objects.ts';
import { deletePod } from '../pods/endPod.ts';
import { isActive, podConditions } from '../pods/podStatus.ts';
import type { World } from '../world.ts';

/** How long the node controller waits for a silent kubelet before it calls the node NotReady. */
const gracePeriodMs = 40_000;

/** How long ordinary pods bear an unreachable node: the default toleration. */
const tolerationMs = 300_000;

const unreachable: readonly Taint['effect'][] = ['NoSchedule', 'NoExecute'];

function podsOf(world: World, node: string): Pod[] {
  return world.store.list('pods').filter((pod) => pod.spec.nodeName === node);
}

function withReady(world: World, node: Node, isUp: boolean): Node {
  const now = world.now();
  const conditions = node.status.conditions.map((each): Condition => {
    if (isUp) {
      const healthy = each.type === 'Ready' ? 'True' : 'False';
      if (each.status === healthy) return { ...each, lastHeartbeatTime: now };
      const reason = each.type === 'Ready' ? 'KubeletReady' : `KubeletHas${each.type}Cleared`;
      return {
        ...each,
        status: healthy,
        reason,
        message: 'kubelet is posting ready status',
        lastHeartbeatTime: now,
        lastTransitionTime: now,
      };
    }
    return {
      ...each,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime: now,
    };
  });
  return { ...node, status: { ...node.status, conditions } };
}

/** The kubelet of a node falls silent: after its grace period NotReady with taints, after five minutes its pods move. */
export function nodeGoesDown(world: World, name: string): void {
  const { uid } = stored(world, name).metadata;
  world.downNodes.add(name);
  const stillDown =
    (act: (node: Node) => void): (() => void) =>
    () => {
      const node = world.store.get('nodes', '', name);
      if (node !== null && node.metadata.uid === uid && world.downNodes.has(name)) act(node);
    };
  world.later(
    gracePeriodMs,
    stillDown((node) => {
      const taints = unreachable.map((effect) => ({
        key: 'node.kubernetes.io/unreachable',
        effect,
        timeAdded: world.now(),
      }));
      const down = withReady(world, node, false);
      world.updateStatus('nodes', {
        ...down,
        spec: { ...down.spec, taints: [...(down.spec.taints ?? []), ...taints] },
      });
      recordEvent(world, {
        about: node,
        reason: 'NodeNotReady',
        message: `Node ${name} status is now: NodeNotReady`,
        component: 'node-controller',
      });
      for (const pod of podsOf(world, name).filter(isActive)) setReady(world, pod, false);
    }),
  );
  world.later(
    gracePeriodMs + tolerationMs,
    stillDown(() => {
      for (const pod of podsOf(world, name).filter((each) => isActive(each) && !isDaemons(each)))
        deletePod(world, pod);
    }),
  );
}

/** The kubelet answers again: taints go, its pods are ready again, and those told to go do so. */
export function nodeComesUp(world: World, name: string): void {
  if (!world.downNodes.delete(name)) return;
  const node = withReady(world, stored(world, name), true);
  const taints = (node.spec.taints ?? []).filter((taint) => taint.key !== 'node.kubernetes.io/unreachable');
  const { taints: _before, ...spec } = node.spec;
  world.updateStatus('nodes', { ...node, spec: { ...spec, ...(taints.length === 0 ? {} : { taints }) } });
  recordEvent(world, {
    about: node,
    reason: 'NodeReady',
    message: `Node ${name} status is now: NodeReady`,
    component: 'kubelet',
    host: name,
  });
  for (const pod of podsOf(world, name)) {
    if (
      isActive(pod) &&
      pod.status.containerStatuses?.every((each) => each.state.running !== undefined) === true
    ) {
      setReady(world, pod, true);
    }
  }
}

/** Takes a node out of the cluster; its pods go with it at once, as the garbage collector of pods does. */
export function removeNode(world: World, name: string): Node {
  const node = stored(world, name);
  world.downNodes.delete(name);
  world.store.remove('nodes', '', name);
  for (const pod of podsOf(world, name))
    world.store.remove('pods', pod.metadata.namespace ?? '', pod.metadata.name);
  return node;
}

/** Replaces a node by a new machine of the same name: a new uid, a new provider id, no pods but what is placed anew. */
export function recreateNode(world: World, name: string): Node {
  const { metadata, spec, status } = removeNode(world, name);
  const providerID = spec.providerID?.replace(/[0-9a-f]{8,}$/, (digits) => world.random.hex(digits.length));
  const { taints: _gone, ...kept } = spec;
  return world.create(
    'nodes',
    { name, labels: metadata.labels ?? {}, annotations: metadata.annotations ?? {} },
    {
      spec: { ...kept, ...(providerID === undefined ? {} : { providerID }) },
      status: withReady(world, { kind: 'Node', apiVersion: 'v1', metadata, spec, status }, true).status,
    },
    'kubelet',
  );
}

function stored(world: World, name: string): Node {
  const node = world.store.get('nodes', '', name);
  if (node === null) throw new Error(`no node ${name}`);
  return node;
}

function isDaemons(pod: Pod): boolean {
  return pod.metadata.ownerReferences?.some((owner) => owner.kind === 'DaemonSet') === true;
}

function setReady(world: World, pod: Pod, ready: boolean): void {
  world.updateStatus('pods', {
    ...pod,
    status: {
      ...pod.status,
      conditions: podConditions(
        pod.status.conditions,
        { initialized: true, ready, sandbox: true },
        world.now(),
      ),
    },
  });
}
