import { terminateNamespace } from './controllers/namespaces.ts';
import { nodeComesUp, nodeGoesDown, recreateNode, removeNode } from './controllers/nodes.ts';
import { Reconciler } from './controllers/reconciler.ts';
import { editTemplate, type TemplateEdit } from './editTemplate.ts';
import { expireEvents, recordEvent, type Saying } from './events.ts';
import { generateCluster } from './generate/generateCluster.ts';
import { nextImage } from './generate/names.ts';
import { liveFor } from './life.ts';
import { nodeMetrics } from './nodeMetrics.ts';
import type { Kinds, Node, NodeMetrics, Pod, ResourceKey } from './objects.ts';
import { deletePod, evictPod } from './pods/endPod.ts';
import { fateKey } from './pods/fate.ts';
import { PodLogs } from './pods/podLogs.ts';
import { type ClusterProfile, type Distribution, profileOf } from './profile.ts';
import { type Manifest, putManifest } from './putManifest.ts';
import { Random } from './random.ts';
import { Snapshots } from './snapshots.ts';
import type { ObjectStore } from './store.ts';
import { type Fate, World } from './world.ts';

/** How to generate a cluster. The same options give the same cluster, byte for byte. */
export interface ClusterOptions {
  readonly seed: number | string;
  /** The time at which the cluster stands after generation. */
  readonly now: Date | number | string;
  /** Exact number of pods, unless the DaemonSets alone need more. Default 60. */
  readonly pods?: number;
  /** Default: one per 50 pods, at least 3. */
  readonly nodes?: number;
  readonly distribution?: Distribution;
  /** Which resources of argoproj.io are served: none by default. */
  readonly argo?: boolean | { readonly rollouts: boolean; readonly applications: boolean };
  /** Whether metrics.k8s.io is served; default true. */
  readonly metrics?: boolean;
}

/** Workloads whose pods come from a template of their own. */
export type TemplatedKey = 'deployments' | 'statefulsets' | 'daemonsets' | 'rollouts';

/**
 * A simulated cluster: its objects, its controllers and its clock. Nothing happens but by a call; time moves only with
 * `advance` and `live`. Objects that it hands out are its own and must not be changed: `put` takes a changed copy.
 */
export class SimCluster {
  readonly #world: World;
  readonly #reconciler: Reconciler;
  readonly profile: ClusterProfile;
  readonly snapshots = new Snapshots();
  readonly logs = new PodLogs();
  /** The draws of the random life, apart from those of the cluster itself. */
  readonly life: { readonly random: Random };
  /** What the server serves; may be switched while it runs, as when a CRD or metrics-server comes or goes. */
  readonly serves: { rollouts: boolean; applications: boolean; metrics: boolean };

  constructor(options: ClusterOptions) {
    const { argo = false, pods = 60 } = options;
    this.#world = new World(options.seed, new Date(options.now).getTime());
    this.#reconciler = new Reconciler(this.#world);
    this.profile = profileOf(options.distribution ?? 'eks');
    this.life = { random: new Random(`${options.seed}/life`) };
    const argoServed = typeof argo === 'boolean' ? { rollouts: argo, applications: argo } : argo;
    this.serves = { ...argoServed, metrics: options.metrics ?? true };
    const nodes = options.nodes ?? Math.max(3, Math.ceil(pods / 50));
    const plan = { nodes, pods, profile: this.profile, ...argoServed };
    generateCluster(this.#world, plan, () => this.#reconciler.settle());
    this.#planHousekeeping();
  }

  get store(): ObjectStore {
    return this.#world.store;
  }

  get nowMs(): number {
    return this.#world.nowMs;
  }

  /** Lets time pass: whatever is due until then happens, in order. */
  advance(ms: number): void {
    const world = this.#world;
    const endMs = world.nowMs + ms;
    for (
      let dueMs = world.agenda.nextDueMs();
      dueMs !== null && dueMs <= endMs;
      dueMs = world.agenda.nextDueMs()
    ) {
      world.nowMs = Math.max(world.nowMs, dueMs);
      world.agenda.take()?.();
      this.#reconciler.settle();
    }
    world.nowMs = endMs;
  }

  /** Lets time pass with a life of its own: rollouts, scaling, edits, crashes, evictions, node trouble. */
  live(ms: number): void {
    liveFor(this, ms);
  }

  /** All objects of a resource in the API's order, or those of one namespace. */
  list<R extends ResourceKey>(resource: R, namespace?: string): readonly Kinds[R][] {
    return this.store.list(resource, namespace);
  }

  get<R extends ResourceKey>(resource: R, namespace: string, name: string): Kinds[R] | null {
    return this.store.get(resource, namespace, name);
  }

  /** What metrics.k8s.io answers for nodes right now. */
  nodeMetrics(): readonly NodeMetrics[] {
    return nodeMetrics(this.#world);
  }

  /** Creates or replaces an object, as `kubectl apply` of its manifest would; identity and versions are filled in. */
  put<R extends ResourceKey>(resource: R, manifest: Manifest<Kinds[R]>): Kinds[R] {
    const stored = putManifest(this.#world, resource, manifest);
    this.#reconciler.settle();
    return this.get(resource, stored.metadata.namespace ?? '', stored.metadata.name) ?? stored;
  }

  /** Deletes an object; what it owns goes too, namespaces and pods take their time. False when it is not there. */
  remove(resource: ResourceKey, namespace: string, name: string): boolean {
    if (this.get(resource, namespace, name) === null) return false;
    if (resource === 'namespaces') terminateNamespace(this.#world, name);
    else if (resource === 'nodes') removeNode(this.#world, name);
    else if (resource === 'pods') deletePod(this.#world, this.#pod(namespace, name));
    else this.store.remove(resource, namespace, name);
    this.#reconciler.settle();
    return true;
  }

  deleteNamespace(name: string): void {
    terminateNamespace(this.#world, name);
    this.#reconciler.settle();
  }

  /** Gives a Deployment's first container its next image. */
  rolloutDeployment(namespace: string, name: string): void {
    this.rollout('deployments', namespace, name);
  }

  /** Gives a workload's first container its next image, or the given one. */
  rollout(resource: TemplatedKey, namespace: string, name: string, image?: string): void {
    const current = this.#templated(resource, namespace, name).spec.template?.spec.containers[0]?.image ?? '';
    this.editConfig(resource, namespace, name, { image: image ?? nextImage(this.#world.random, current) });
  }

  /** Sets the replica count of a Deployment, StatefulSet or Rollout. */
  scale(
    resource: 'deployments' | 'statefulsets' | 'rollouts',
    namespace: string,
    name: string,
    replicas: number,
  ): void {
    const object = this.#templated(resource, namespace, name);
    this.#world.update(resource, { ...object, spec: { ...object.spec, replicas } }, 'kubectl-scale');
    this.#reconciler.settle();
  }

  /** Changes a workload's template: image, environment, resources of the first container, or template annotations. */
  editConfig(resource: TemplatedKey, namespace: string, name: string, edit: TemplateEdit): void {
    const object = this.#templated(resource, namespace, name);
    this.#world.update(resource, editTemplate(object, edit), 'kubectl-edit');
    this.#reconciler.settle();
  }

  /** Sets annotations of an object itself; a null removes one. The generation stays. */
  annotate(
    resource: ResourceKey,
    namespace: string,
    name: string,
    annotations: { [key: string]: string | null },
  ): void {
    const object = this.#stored(resource, namespace, name);
    const merged = Object.entries({ ...object.metadata.annotations, ...annotations }).filter(
      (pair): pair is [string, string] => pair[1] !== null,
    );
    this.store.put(resource, {
      ...object,
      metadata: { ...object.metadata, annotations: Object.fromEntries(merged) },
    });
    this.#reconciler.settle();
  }

  /** From now on a workload's pods fare so; those that run meet it at their next start, with `crash` in seconds. */
  setFate(kind: string, namespace: string, name: string, fate: Fate): void {
    if (fate === 'run') this.#world.fates.delete(fateKey(kind, namespace, name));
    else this.#world.fates.set(fateKey(kind, namespace, name), fate);
  }

  /** Sends a workload's pods into a crash loop, by giving it a new template whose containers crash. */
  crash(kind: 'Deployment' | 'StatefulSet' | 'Rollout', namespace: string, name: string): void {
    const resource =
      kind === 'Deployment' ? 'deployments' : kind === 'StatefulSet' ? 'statefulsets' : 'rollouts';
    this.setFate(kind, namespace, name, 'crash');
    this.rollout(resource, namespace, name);
  }

  /** Ends all bad fates: crash loops recover at their next start. */
  healAll(): void {
    this.#world.fates.clear();
  }

  /** Evicts a pod for want of memory: it stays as Failed and its owner makes another. */
  evict(namespace: string, name: string): void {
    evictPod(this.#world, this.#pod(namespace, name));
    this.#reconciler.settle();
  }

  /** Creates a Deployment like another one, with labels and selector of its own. */
  copyDeployment(namespace: string, name: string, copy: string): void {
    const { spec } = this.#stored('deployments', namespace, name);
    const labels = { app: copy };
    const template = spec.template;
    if (template === undefined || this.get('deployments', namespace, copy) !== null) return;
    const fresh = { ...template, metadata: { ...template.metadata, labels } };
    this.put('deployments', {
      metadata: { name: copy, namespace, labels },
      spec: { ...spec, selector: { matchLabels: labels }, template: fresh },
    });
  }

  /** Records an event in the old shape about any object of the cluster. */
  event(saying: Saying): void {
    recordEvent(this.#world, saying);
  }

  nodeDown(name: string): void {
    nodeGoesDown(this.#world, name);
    this.#reconciler.settle();
  }

  nodeUp(name: string): void {
    nodeComesUp(this.#world, name);
    this.#reconciler.settle();
  }

  /** Replaces a node by a new machine of the same name: another uid, another provider id. */
  recreateNode(name: string): Node {
    const node = recreateNode(this.#world, name);
    this.#reconciler.settle();
    return node;
  }

  /** The nodes whose kubelet does not answer. */
  downNodes(): readonly string[] {
    return [...this.#world.downNodes];
  }

  /** Compacts history up to now: every open `continue` token is expired (410) at its next use. */
  compact(): void {
    this.snapshots.clear();
    this.store.bumpRevision();
  }

  #planHousekeeping(): void {
    this.#world.later(60_000, () => {
      expireEvents(this.#world);
      this.snapshots.expire(this.nowMs);
      this.#planHousekeeping();
    });
  }

  #stored<R extends ResourceKey>(resource: R, namespace: string, name: string): Kinds[R] {
    const object = this.get(resource, namespace, name);
    if (object === null) throw new Error(`no ${resource} ${namespace}/${name} in the cluster`);
    return object;
  }

  #pod(namespace: string, name: string): Pod {
    return this.#stored('pods', namespace, name);
  }

  #templated<R extends TemplatedKey>(resource: R, namespace: string, name: string): Kinds[R] {
    return this.#stored(resource, namespace, name);
  }
}
