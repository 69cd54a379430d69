import type { Node, Pod, Taint, Toleration } from '../objects.ts';
import type { World } from '../world.ts';

function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some(
    (each) =>
      (each.key === undefined || each.key === taint.key) &&
      (each.effect === undefined || each.effect === taint.effect) &&
      (each.operator === 'Exists' || (each.value ?? '') === (taint.value ?? '')),
  );
}

/** Whether a node is up and its taints let the pod in. */
export function nodeAdmits(node: Node, pod: { readonly spec: Pod['spec'] }): boolean {
  const tolerations = pod.spec.tolerations ?? [];
  if (node.spec.unschedulable === true) return false;
  return (node.spec.taints ?? []).every(
    (taint) => taint.effect === 'PreferNoSchedule' || tolerates(tolerations, taint),
  );
}

/**
 * Chooses a node: the emptier of two that admit the pod, so pods spread without a scan of all counts. `wanted` is the
 * one node of a DaemonSet's pod. Null when no node admits it.
 */
export function chooseNode(world: World, pod: Pod, wanted: string | null): Node | null {
  if (wanted !== null) return world.store.get('nodes', '', wanted);
  const admitting = world.store.entries('nodes').filter((entry) => nodeAdmits(entry.object as Node, pod));
  if (admitting.length === 0) return null;
  const one = world.random.pick(admitting).object as Node;
  const other = world.random.pick(admitting).object as Node;
  return world.podsOn(one.metadata.name) <= world.podsOn(other.metadata.name) ? one : other;
}
