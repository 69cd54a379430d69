import type { KubeObject, Plain, PodTemplate } from '../objects.ts';
import { ownedBy, type World } from '../world.ts';
import { ownedObjects } from './owned.ts';
import { templateHash } from './templateHash.ts';

/** The ControllerRevision of a template, made or moved to the front; answers its name's hash part and name. */
export function ensureRevision(
  world: World,
  owner: KubeObject,
  template: PodTemplate,
): { hash: string; name: string } {
  const hash = templateHash(template);
  const name = `${owner.metadata.name}-${hash}`;
  const revisions = ownedObjects(world, 'controllerrevisions', owner);
  const number = (each: Plain): number => Number(each.revision ?? 0);
  const newest = Math.max(0, ...revisions.map(number));
  const found = revisions.find((each) => each.metadata.name === name);
  if (found === undefined) {
    world.create(
      'controllerrevisions',
      {
        name,
        namespace: owner.metadata.namespace ?? '',
        labels: { ...template.metadata.labels, 'controller-revision-hash': hash },
        ownerReferences: [ownedBy(owner)],
      },
      { data: { spec: { template: { $patch: 'replace', ...template } } }, revision: newest + 1 },
      'kube-controller-manager',
    );
  } else if (number(found) !== newest) {
    world.store.put('controllerrevisions', { ...found, revision: newest + 1 });
  }
  return { hash, name };
}
