import type { KubeObject, ResourceKey } from '../objects.ts';
import type { Change } from '../store.ts';
import { controllerOf, type World } from '../world.ts';
import { syncAutoscaler } from './autoscalers.ts';
import { planCronJob, syncCronJob } from './cronJobs.ts';
import { syncDaemonSet } from './daemonSets.ts';
import { selects, syncService } from './endpoints.ts';
import { collectOrphans } from './garbage.ts';
import { syncJob } from './jobs.ts';
import { syncQuota } from './quotas.ts';
import { syncReplicaSet } from './replicaSets.ts';
import { syncRolling } from './rolling.ts';
import { syncStatefulSet } from './statefulSets.ts';

type Sync = (world: World, namespace: string, name: string) => void;

const syncs: { readonly [resource in ResourceKey]?: Sync } = {
  deployments: (world, namespace, name) => syncRolling(world, 'deployments', namespace, name),
  rollouts: (world, namespace, name) => syncRolling(world, 'rollouts', namespace, name),
  replicasets: syncReplicaSet,
  statefulsets: syncStatefulSet,
  daemonsets: syncDaemonSet,
  jobs: syncJob,
  cronjobs: syncCronJob,
  services: syncService,
  resourcequotas: syncQuota,
  horizontalpodautoscalers: syncAutoscaler,
};

const resourceOfKind: { readonly [kind: string]: ResourceKey } = {
  Deployment: 'deployments',
  Rollout: 'rollouts',
  ReplicaSet: 'replicasets',
  StatefulSet: 'statefulsets',
  DaemonSet: 'daemonsets',
  Job: 'jobs',
  CronJob: 'cronjobs',
};

/**
 * The controllers behind one queue: every write marks what depends on it, and `settle` works until nothing is marked.
 * Each controller only compares what is wanted with what is there, so order is no part of the outcome.
 */
export class Reconciler {
  readonly #world: World;
  #marked = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    world.store.onChange((change) => this.#changed(change));
  }

  /** Works off all marks; throws when controllers chase each other, which would be a bug of ours. */
  settle(): void {
    let left = 20_000;
    while (this.#marked.size > 0) {
      const batch = this.#marked;
      this.#marked = new Set();
      for (const mark of batch) {
        const [resource = '', namespace = '', name = ''] = mark.split(' ');
        syncs[resource as ResourceKey]?.(this.#world, namespace, name);
        left -= 1;
        if (left < 0) throw new Error(`controllers do not come to rest: ${mark}`);
      }
    }
  }

  #mark(resource: ResourceKey, namespace: string, name: string): void {
    if (syncs[resource] !== undefined) this.#marked.add(`${resource} ${namespace} ${name}`);
  }

  #markOwner(object: KubeObject): void {
    const owner = controllerOf(object);
    const resource = owner === null ? undefined : resourceOfKind[owner.kind];
    if (owner !== null && resource !== undefined)
      this.#mark(resource, object.metadata.namespace ?? '', owner.name);
  }

  #changed({ resource, before, after }: Change): void {
    const object = after ?? before;
    if (object === null || resource === 'events' || resource === 'leases') return;
    const { namespace = '', name } = object.metadata;
    this.#mark(resource, namespace, name);
    this.#markOwner(object);
    if (resource === 'cronjobs' && before === null)
      planCronJob(this.#world, namespace, name, object.metadata.uid);
    if (after === null) collectOrphans(this.#world, object);
    if (resource === 'pods') this.#podChanged(namespace, [before, after]);
    if (resource === 'nodes') this.#markAll('daemonsets');
    if (resource === 'deployments' || resource === 'statefulsets')
      this.#markIn('horizontalpodautoscalers', namespace);
    if (resource === 'deployments') this.#markReferring(namespace, name);
  }

  /** Rollouts may take their template from a Deployment. */
  #markReferring(namespace: string, deployment: string): void {
    for (const { metadata, spec } of this.#world.store.inNamespace('rollouts', namespace)) {
      if (spec.workloadRef?.name === deployment) this.#mark('rollouts', namespace, metadata.name);
    }
  }

  #podChanged(namespace: string, states: readonly (KubeObject | null)[]): void {
    for (const { metadata, spec } of this.#world.store.inNamespace('services', namespace)) {
      const isConcerned = states.some((pod) => pod !== null && selects(spec.selector, pod));
      if (isConcerned) this.#mark('services', namespace, metadata.name);
    }
    this.#markIn('resourcequotas', namespace);
  }

  #markIn(resource: ResourceKey, namespace: string): void {
    for (const { metadata } of this.#world.store.inNamespace(resource, namespace)) {
      this.#mark(resource, namespace, metadata.name);
    }
  }

  #markAll(resource: ResourceKey): void {
    for (const { object } of this.#world.store.entries(resource)) {
      this.#mark(resource, object.metadata.namespace ?? '', object.metadata.name);
    }
  }
}
