import type { ResourceKey } from '../objects.ts';
import { resourceRows } from '../resources.ts';
import type { World } from '../world.ts';

/** Owners before what they own, so that no controller makes pods anew in a namespace that goes. */
const ownersFirst: readonly ResourceKey[] = [
  'rollouts',
  'horizontalpodautoscalers',
  'deployments',
  'statefulsets',
  'daemonsets',
  'cronjobs',
  'jobs',
  'replicasets',
  'services',
  'pods',
];

/** Everything in a namespace goes some seconds after it was told to, then the namespace itself. */
export function terminateNamespace(world: World, name: string): void {
  const namespace = world.store.get('namespaces', '', name);
  if (namespace === null) throw new Error(`no namespace ${name}`);
  if (namespace.status.phase === 'Terminating') return;
  world.store.put('namespaces', {
    ...namespace,
    metadata: { ...namespace.metadata, deletionTimestamp: world.now() },
    status: { phase: 'Terminating' },
  });
  world.later(world.random.int(1000, 4000), () => {
    empty(world, name);
    world.later(world.random.int(500, 2000), () => {
      empty(world, name);
      world.store.remove('namespaces', '', name);
    });
  });
}

function empty(world: World, name: string): void {
  const rest = resourceRows.filter((row) => row.namespaced).map((row) => row.key);
  for (const resource of new Set([...ownersFirst, ...rest])) {
    for (const object of world.store.list(resource, name)) {
      world.store.remove(resource, name, object.metadata.name);
    }
  }
}
