import type { KubeObject, Pod } from '../objects.ts';
import { controllerOf, type Fate, type World } from '../world.ts';

/** The key of `World.fates` for a workload. */
export function fateKey(kind: string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

/** The workload at the top of a pod's owners, as kind and name: its ReplicaSet's owner, or its own. */
function topOwner(world: World, pod: KubeObject): { kind: string; name: string } | null {
  const owner = controllerOf(pod);
  if (owner === null) return null;
  if (owner.kind !== 'ReplicaSet') return owner;
  const replicaSet = world.store.get('replicasets', pod.metadata.namespace ?? '', owner.name);
  return replicaSet === null ? owner : (controllerOf(replicaSet) ?? owner);
}

/** How this pod fares: as its workload was told. */
export function fateOf(world: World, pod: Pod): Fate {
  const top = topOwner(world, pod);
  if (top === null) return 'run';
  return world.fates.get(fateKey(top.kind, pod.metadata.namespace ?? '', top.name)) ?? 'run';
}
