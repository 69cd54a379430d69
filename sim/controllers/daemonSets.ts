import type { DaemonSet, Node, Pod, PodSpec, Toleration } from '../objects.ts';
import { deletePod } from '../pods/endPod.ts';
import { makePod } from '../pods/makePod.ts';
import { isActive, isReady } from '../pods/podStatus.ts';
import { nodeAdmits } from '../pods/scheduler.ts';
import type { World } from '../world.ts';
import { counted, ownedObjects, writeStatus } from './owned.ts';
import { ensureRevision } from './revisions.ts';

/** What the DaemonSet controller lets its pods bear, so that they stay on troubled nodes. */
const daemonTolerations: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable', 'unreachable'].map((key) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    effect: 'NoSchedule',
  })),
];

function daemonSpec(set: DaemonSet, node: string): Pick<PodSpec, 'tolerations' | 'affinity'> {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }];
  return {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
      },
    },
    tolerations: [...(set.spec.template.spec.tolerations ?? []), ...daemonTolerations],
  };
}

/** The node that a DaemonSet's pod was made for. */
function nodeOfPod(pod: Pod): string {
  const affinity = JSON.stringify(pod.spec.affinity ?? {});
  return /"key":"metadata\.name","operator":"In","values":\["([^"]+)"\]/.exec(affinity)?.[1] ?? '';
}

/** One pod on every node that admits it; a changed template replaces one pod at a time. */
export function syncDaemonSet(world: World, namespace: string, name: string): void {
  const set = world.store.get('daemonsets', namespace, name);
  if (set === null) return;
  const revision = ensureRevision(world, set, set.spec.template);
  const wanted = world.store
    .list('nodes')
    .filter((node: Node) => {
      const spec = { ...set.spec.template.spec, ...daemonSpec(set, node.metadata.name) };
      return nodeAdmits({ ...node, spec: { ...node.spec, unschedulable: false } }, { spec });
    })
    .map((node) => node.metadata.name);
  const byNode = new Map<string, Pod>();
  for (const pod of ownedObjects(world, 'pods', set)) {
    if (pod.status.phase === 'Failed') deletePod(world, pod);
    else byNode.set(nodeOfPod(pod), pod);
  }
  for (const node of wanted) {
    if (byNode.has(node)) continue;
    makePod(world, {
      namespace,
      owner: set,
      template: set.spec.template,
      prefix: `${name}-`,
      labels: {
        'controller-revision-hash': revision.hash,
        'pod-template-generation': String(set.metadata.generation),
      },
      spec: daemonSpec(set, node),
      node,
      controller: 'kube-controller-manager',
    });
  }
  const hashOf = (pod: Pod): string => pod.metadata.labels?.['controller-revision-hash'] ?? '';
  const placed = [...byNode.values()];
  const outdated = placed.find((pod) => isActive(pod) && hashOf(pod) !== revision.hash);
  if (outdated !== undefined && placed.every((pod) => isReady(pod) && isActive(pod)))
    deletePod(world, outdated);
  count(world, set, wanted, hashOf, revision.hash);
}

function count(
  world: World,
  set: DaemonSet,
  wanted: string[],
  hashOf: (pod: Pod) => string,
  hash: string,
): void {
  const pods = ownedObjects(world, 'pods', set).filter(isActive);
  const ready = pods.filter(isReady).length;
  writeStatus(world, 'daemonsets', set, {
    currentNumberScheduled: pods.length,
    numberMisscheduled: 0,
    desiredNumberScheduled: wanted.length,
    numberReady: ready,
    observedGeneration: set.metadata.generation ?? 1,
    ...counted('updatedNumberScheduled', pods.filter((pod) => hashOf(pod) === hash).length),
    ...counted('numberAvailable', ready),
    ...counted('numberUnavailable', Math.max(0, wanted.length - ready)),
  });
}
