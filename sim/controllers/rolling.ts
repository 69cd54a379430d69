import { recordEvent } from '../events.ts';
import type { Fields, Labels, PodTemplate, ReplicaSet, Rolling } from '../objects.ts';
import { ownedBy, type World } from '../world.ts';
import { deploymentStatus } from './deploymentStatus.ts';
import { ownedObjects, writeStatus } from './owned.ts';
import { amountOf, quantityText } from './quotas.ts';
import { rolloutStatus } from './rolloutStatus.ts';
import { shareOf, templateHash } from './templateHash.ts';

type RollingKey = 'deployments' | 'rollouts';

const revisionAnnotation = {
  deployments: 'deployment.kubernetes.io/revision',
  rollouts: 'rollout.argoproj.io/revision',
};
const hashLabel = { deployments: 'pod-template-hash', rollouts: 'rollouts-pod-template-hash' };

/** The template that a Deployment or Rollout runs: its own, or the one of the Deployment it refers to. */
function templateOf(world: World, object: Rolling): PodTemplate | null {
  if (object.spec.template !== undefined) return object.spec.template;
  const ref = object.spec.workloadRef;
  if (ref === undefined) return null;
  return world.store.get('deployments', object.metadata.namespace ?? '', ref.name)?.spec.template ?? null;
}

const typedTemplates = new WeakMap<PodTemplate, PodTemplate>();

/** The template as the typed API holds it: a Rollout's `cpu: 0.5` becomes `500m` in the ReplicaSet made from it. */
function asTypedApi(template: PodTemplate): PodTemplate {
  const known = typedTemplates.get(template);
  if (known !== undefined) return known;
  const canonical = (quantities: Labels | undefined): Labels | undefined =>
    quantities === undefined
      ? undefined
      : Object.fromEntries(
          Object.entries(quantities).map(([name, value]) => [name, canonicalQuantity(value, name)] as const),
        );
  const containers = template.spec.containers.map((each) => {
    const requests = canonical(each.resources.requests);
    const limits = canonical(each.resources.limits);
    const resources = {
      ...(requests === undefined ? {} : { requests }),
      ...(limits === undefined ? {} : { limits }),
    };
    return { ...each, resources };
  });
  const typed = { ...template, spec: { ...template.spec, containers } };
  typedTemplates.set(template, typed);
  return typed;
}

/** Only numbers are rewritten: what came as text is canonical already. */
function canonicalQuantity(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  return quantityText(
    amountOf(String(value), name === 'cpu' ? 'cpu' : 'memory'),
    name === 'cpu' ? 'cpu' : 'memory',
  );
}

/** Moves a Deployment's or a Rollout's ReplicaSets one step towards its template and count, and writes its status. */
export function syncRolling(world: World, resource: RollingKey, namespace: string, name: string): void {
  const object = world.store.get(resource, namespace, name);
  if (object === null) return;
  const written = templateOf(world, object);
  if (written === null) return;
  const template = resource === 'rollouts' ? asTypedApi(written) : written;
  const current = ensureReplicaSet(world, resource, object, template);
  const owner = world.store.get(resource, namespace, name) ?? object;
  if (owner.spec.paused !== true) scale(world, resource, owner, current);
  const sets = ownedObjects(world, 'replicasets', owner);
  const fresh = sets.find((set) => set.metadata.uid === current.metadata.uid) ?? current;
  if (resource === 'deployments') {
    writeStatus(world, resource, owner, deploymentStatus(world, owner, sets, fresh));
  } else {
    writeStatus(world, resource, owner, rolloutStatus(world, owner, sets, fresh));
  }
}

/** The ReplicaSet of the template, made when there is none; revisions count up and a return to an old template moves it up. */
function ensureReplicaSet(
  world: World,
  resource: RollingKey,
  owner: Rolling,
  template: PodTemplate,
): ReplicaSet {
  // Argo hashes templates in a way of its own, so a Rollout and the Deployment that it takes its template from never
  // make ReplicaSets of one name.
  const hash = templateHash(resource === 'rollouts' ? { rollout: template } : template);
  const { namespace = '', name } = owner.metadata;
  const sets = ownedObjects(world, 'replicasets', owner);
  const annotation = revisionAnnotation[resource];
  const revisionOf = (set: ReplicaSet): number => Number(set.metadata.annotations?.[annotation] ?? 0);
  const newest = Math.max(0, ...sets.map(revisionOf));
  const found = sets.find((set) => set.metadata.name === `${name}-${hash}`);
  if (found !== undefined && revisionOf(found) === newest) return found;
  const revision = String(newest + 1);
  const annotations = { [annotation]: revision, ...sizeAnnotations(resource, owner) };
  const manager = resource === 'deployments' ? 'kube-controller-manager' : 'rollouts-controller';
  world.update(
    resource,
    {
      ...owner,
      metadata: { ...owner.metadata, annotations: { ...owner.metadata.annotations, [annotation]: revision } },
    },
    manager,
  );
  if (found !== undefined) {
    return world.store.put('replicasets', {
      ...found,
      metadata: { ...found.metadata, annotations: { ...found.metadata.annotations, ...annotations } },
    });
  }
  const labels = { ...template.metadata.labels, [hashLabel[resource]]: hash };
  return world.create(
    'replicasets',
    { name: `${name}-${hash}`, namespace, labels, annotations, ownerReferences: [ownedBy(owner)] },
    {
      spec: {
        replicas: 0,
        selector: { matchLabels: { ...owner.spec.selector?.matchLabels, [hashLabel[resource]]: hash } },
        template: { ...template, metadata: { ...template.metadata, labels } },
      },
      status: { replicas: 0 },
    },
    manager,
  );
}

/** What the Deployment controller notes on a ReplicaSet each time it sizes it. */
function sizeAnnotations(resource: RollingKey, owner: Rolling): Labels {
  if (resource === 'rollouts') return {};
  const replicas = owner.spec.replicas ?? 1;
  return {
    'deployment.kubernetes.io/desired-replicas': String(replicas),
    'deployment.kubernetes.io/max-replicas': String(replicas + maxSurge(owner, replicas)),
  };
}

function rollingUpdate(owner: Rolling): Fields {
  const { rollingUpdate: fields, canary } = owner.spec.strategy ?? {};
  const found = fields ?? canary ?? {};
  return typeof found === 'object' ? (found as Fields) : {};
}

function maxSurge(owner: Rolling, replicas: number): number {
  return owner.spec.strategy?.type === 'Recreate'
    ? 0
    : shareOf(rollingUpdate(owner).maxSurge, replicas, 'up');
}

function scale(world: World, resource: RollingKey, owner: Rolling, current: ReplicaSet): void {
  const wanted = owner.spec.replicas ?? 1;
  const old = ownedObjects(world, 'replicasets', owner).filter(
    (set) => set.metadata.uid !== current.metadata.uid && set.spec.replicas > 0,
  );
  const oldTotal = old.reduce((sum, set) => sum + set.spec.replicas, 0);
  if (owner.spec.strategy?.type === 'Recreate') {
    for (const set of old) setReplicas(world, resource, owner, set, 0);
    const left = old.reduce((sum, set) => sum + ownedObjects(world, 'pods', set).length, 0);
    if (left === 0) setReplicas(world, resource, owner, current, wanted);
    return;
  }
  if (oldTotal === 0) {
    setReplicas(world, resource, owner, current, wanted);
    return;
  }
  const room = wanted + maxSurge(owner, wanted) - oldTotal - current.spec.replicas;
  const grown = Math.min(wanted, current.spec.replicas + Math.max(0, room));
  setReplicas(world, resource, owner, current, grown);
  shrinkOld(world, resource, owner, current, old);
}

/** Takes from the old ReplicaSets what availability allows: never-ready replicas first, then the oldest sets. */
function shrinkOld(
  world: World,
  resource: RollingKey,
  owner: Rolling,
  current: ReplicaSet,
  old: ReplicaSet[],
): void {
  const wanted = owner.spec.replicas ?? 1;
  const surge = maxSurge(owner, wanted);
  const unavailable = shareOf(rollingUpdate(owner).maxUnavailable, wanted, 'down');
  const minAvailable = wanted - (surge === 0 && unavailable === 0 ? 1 : unavailable);
  const fresh =
    world.store.get('replicasets', current.metadata.namespace ?? '', current.metadata.name) ?? current;
  const available = (set: ReplicaSet): number =>
    Math.min(set.status.availableReplicas ?? 0, set.spec.replicas);
  let spare = available(fresh) + old.reduce((sum, set) => sum + available(set), 0) - minAvailable;
  for (const set of old) {
    const unready = set.spec.replicas - available(set);
    const take = Math.min(set.spec.replicas, unready + Math.max(0, Math.min(spare, available(set))));
    spare -= Math.max(0, take - unready);
    if (take > 0) setReplicas(world, resource, owner, set, set.spec.replicas - take);
  }
}

function setReplicas(
  world: World,
  resource: RollingKey,
  owner: Rolling,
  set: ReplicaSet,
  replicas: number,
): void {
  const stored = world.store.get('replicasets', set.metadata.namespace ?? '', set.metadata.name) ?? set;
  if (stored.spec.replicas === replicas) return;
  const from = stored.spec.replicas;
  const annotations = { ...stored.metadata.annotations, ...sizeAnnotations(resource, owner) };
  world.update(
    'replicasets',
    { ...stored, metadata: { ...stored.metadata, annotations }, spec: { ...stored.spec, replicas } },
    'kube-controller-manager',
  );
  if (world.instant) return;
  recordEvent(world, {
    about: owner,
    reason: 'ScalingReplicaSet',
    message: `Scaled ${replicas > from ? 'up' : 'down'} replica set ${set.metadata.name} from ${from} to ${replicas}`,
    component: resource === 'deployments' ? 'deployment-controller' : 'rollouts-controller',
  });
}
