import type { Condition, Kinds, KubeObject, Pod, ResourceKey } from '../objects.ts';
import { isReady } from '../pods/podStatus.ts';
import type { World } from '../world.ts';

/** The objects of a resource that an owner controls. */
export function ownedObjects<R extends ResourceKey>(
  world: World,
  resource: R,
  owner: KubeObject,
): Kinds[R][] {
  return world.store
    .inNamespace(resource, owner.metadata.namespace ?? '')
    .filter((each) => each.metadata.ownerReferences?.some((ref) => ref.uid === owner.metadata.uid) === true);
}

/** Writes a status when it says something else than the stored one; answers whether it wrote. */
export function writeStatus<
  R extends
    | 'deployments'
    | 'rollouts'
    | 'replicasets'
    | 'statefulsets'
    | 'daemonsets'
    | 'jobs'
    | 'cronjobs'
    | 'resourcequotas'
    | 'horizontalpodautoscalers',
>(world: World, resource: R, object: Kinds[R], status: Kinds[R]['status']): boolean {
  if (JSON.stringify(object.status) === JSON.stringify(status)) return false;
  world.updateStatus(resource, { ...object, status });
  return true;
}

/** A condition of a workload; its transition time stays while its state stays. */
export function condition(
  before: readonly Condition[] | undefined,
  now: string,
  wanted: Pick<Condition, 'type' | 'status' | 'reason' | 'message'>,
  isUpdateTimed = true,
): Condition {
  const old = before?.find((each) => each.type === wanted.type);
  const isSame = old?.status === wanted.status;
  const isEqual = isSame && old?.reason === wanted.reason && old?.message === wanted.message;
  return {
    ...wanted,
    ...(isUpdateTimed ? { lastUpdateTime: isEqual ? (old?.lastUpdateTime ?? now) : now } : {}),
    lastTransitionTime: isSame ? (old?.lastTransitionTime ?? now) : now,
  };
}

/** The order in which a controller gives up pods: unplaced and unready first, then the youngest. */
export function byReadinessToGo(a: Pod, b: Pod): number {
  const rank = (pod: Pod): number => (pod.spec.nodeName === undefined ? 0 : isReady(pod) ? 2 : 1);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (a.metadata.creationTimestamp !== b.metadata.creationTimestamp) {
    return a.metadata.creationTimestamp > b.metadata.creationTimestamp ? -1 : 1;
  }
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

/** A count as the API shows it: zero is left out. */
export function counted<Name extends string>(name: Name, value: number): { [key in Name]?: number } {
  return (value === 0 ? {} : { [name]: value }) as { [key in Name]?: number };
}
