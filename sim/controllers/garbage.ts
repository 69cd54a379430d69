import type { KubeObject, ResourceKey } from '../objects.ts';
import { deletePod } from '../pods/endPod.ts';
import type { World } from '../world.ts';
import { ownedObjects } from './owned.ts';

const dependents: { readonly [kind: string]: readonly ResourceKey[] } = {
  Deployment: ['replicasets'],
  Rollout: ['replicasets'],
  ReplicaSet: ['pods'],
  StatefulSet: ['pods', 'controllerrevisions'],
  DaemonSet: ['pods', 'controllerrevisions'],
  Job: ['pods'],
  CronJob: ['jobs'],
  Service: ['endpointslices'],
};

/** Background deletion: what a removed object owned goes too; pods go gracefully, all else at once. */
export function collectOrphans(world: World, removed: KubeObject): void {
  for (const resource of dependents[removed.kind] ?? []) {
    for (const object of ownedObjects(world, resource, removed)) {
      if (resource === 'pods') {
        const pod = world.store.get('pods', object.metadata.namespace ?? '', object.metadata.name);
        if (pod !== null) deletePod(world, pod);
      } else {
        world.store.remove(resource, object.metadata.namespace ?? '', object.metadata.name);
      }
    }
  }
  if (removed.kind === 'Service') {
    world.store.remove('endpoints', removed.metadata.namespace ?? '', removed.metadata.name);
  }
}
