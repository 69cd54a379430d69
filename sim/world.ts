import { Agenda } from './agenda.ts';
import { fieldTree, managedBy, statusTree, touched } from './managedFields.ts';
import type { Kinds, KubeObject, Labels, ManagedField, OwnerReference, Pod, ResourceKey } from './objects.ts';
import { Random } from './random.ts';
import { apiVersionOf, resourceRow } from './resources.ts';
import { ObjectStore } from './store.ts';
import { timeText } from './time.ts';

/** How a workload's pods fare: the default is `run`. */
export type Fate = 'run' | 'crash' | 'pull' | 'unschedulable';

/** What the maker of an object says of its metadata; the rest is filled in. */
export interface Draft {
  readonly name: string;
  readonly namespace?: string;
  readonly generateName?: string;
  readonly labels?: Labels;
  readonly annotations?: Labels;
  readonly ownerReferences?: readonly OwnerReference[];
}

type Body<T extends KubeObject> = Omit<T, keyof KubeObject>;

/**
 * Everything the parts of the simulation share: the objects, the clock, the agenda and the draws. `instant` is true
 * while the cluster is being generated: pods are then born running, so that no start-up has to be lived through.
 */
export class World {
  readonly store = new ObjectStore();
  readonly agenda = new Agenda();
  readonly random: Random;
  /** Fates by `resource/namespace/name` of the workload. They are no field of any object, so the API can't show them. */
  readonly fates = new Map<string, Fate>();
  /** Nodes whose kubelet does not answer: nothing happens on them. */
  readonly downNodes = new Set<string>();
  readonly #podsPerNode = new Map<string, number>();
  #podAddresses = 0;
  #spelled = { ms: Number.NaN, text: '' };
  nowMs: number;
  instant = false;

  constructor(seed: string | number, nowMs: number) {
    this.random = new Random(seed);
    this.nowMs = nowMs;
    this.store.onChange(({ resource, before, after }) => {
      if (resource !== 'pods') return;
      this.#countPod(before as Pod | null, -1);
      this.#countPod(after as Pod | null, 1);
    });
  }

  /** How many pods are bound to a node. */
  podsOn(node: string): number {
    return this.#podsPerNode.get(node) ?? 0;
  }

  #countPod(pod: Pod | null, by: number): void {
    const node = pod?.spec.nodeName;
    if (node !== undefined) this.#podsPerNode.set(node, this.podsOn(node) + by);
  }

  /** The next free pod address of the cluster's pod network. */
  nextPodIp(): string {
    this.#podAddresses += 1;
    const host = this.#podAddresses;
    return `10.${128 + ((host >> 16) & 63)}.${(host >> 8) & 255}.${host & 255}`;
  }

  /** The clock in the API's spelling. */
  now(): string {
    if (this.#spelled.ms !== this.nowMs) this.#spelled = { ms: this.nowMs, text: timeText(this.nowMs) };
    return this.#spelled.text;
  }

  /** Plans an action in `delayMs` from now. */
  later(delayMs: number, act: () => void): void {
    this.agenda.at(this.nowMs + delayMs, act);
  }

  /**
   * Stores a new object with fresh identity; `manager` is who wrote it, and `sent` what of the body it wrote, where
   * admission has added to that.
   */
  create<R extends ResourceKey>(
    resource: R,
    draft: Draft,
    body: Body<Kinds[R]>,
    manager: string,
    sent?: object,
  ): Kinds[R] {
    const row = resourceRow(resource);
    const apiVersion = apiVersionOf(row);
    const { status, ...written } = body as { status?: object };
    const managedFields: ManagedField[] = [
      managedBy(manager, apiVersion, this.now(), {
        'f:metadata': { ...(draft.labels === undefined ? {} : { 'f:labels': fieldTree(draft.labels) }) },
        ...fieldTree(sent ?? written),
      }),
    ];
    if (status !== undefined && Object.keys(status).length > 0) {
      managedFields.push(
        managedBy(statusWriter(resource), apiVersion, this.now(), statusTree(status), 'status'),
      );
    }
    const metadata = {
      ...draft,
      uid: this.random.uuid(),
      resourceVersion: '',
      ...(row.generation ? { generation: 1 } : {}),
      creationTimestamp: this.now(),
      managedFields,
    };
    // The body has every field of the kind but the three that are written here; TypeScript can't see that through Omit.
    return this.store.put(resource, { kind: row.kind, apiVersion, metadata, ...body } as unknown as Kinds[R]);
  }

  /** Stores a changed spec, labels or annotations: generation moves when the spec did. */
  update<R extends ResourceKey>(resource: R, object: Kinds[R], manager: string): Kinds[R] {
    const row = resourceRow(resource);
    const before = this.store.get(resource, object.metadata.namespace ?? '', object.metadata.name);
    const moved = before !== null && !hasSameSpec(before, object);
    const generation = row.generation ? (before?.metadata.generation ?? 0) + (moved ? 1 : 0) : undefined;
    const entry = managedBy(manager, apiVersionOf(row), this.now(), { 'f:spec': fieldTree(specOf(object)) });
    return this.store.put(resource, {
      ...object,
      metadata: {
        ...object.metadata,
        ...(generation === undefined ? {} : { generation }),
        managedFields: touched(object.metadata.managedFields, entry),
      },
    });
  }

  /** Stores a changed status; the caller has compared it, so this always writes. */
  updateStatus<R extends ResourceKey>(resource: R, object: Kinds[R]): Kinds[R] {
    const status = 'status' in object && typeof object.status === 'object' ? (object.status ?? {}) : {};
    const entry = managedBy(
      statusWriter(resource),
      object.apiVersion,
      this.now(),
      statusTree(status),
      'status',
    );
    return this.store.put(resource, {
      ...object,
      metadata: { ...object.metadata, managedFields: touched(object.metadata.managedFields, entry) },
    });
  }
}

function specOf(object: KubeObject): object {
  return 'spec' in object && typeof object.spec === 'object' && object.spec !== null ? object.spec : {};
}

function hasSameSpec(a: KubeObject, b: KubeObject): boolean {
  const [one, other] = [specOf(a), specOf(b)];
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function statusWriter(resource: ResourceKey): string {
  if (resource === 'pods' || resource === 'nodes') return 'kubelet';
  if (resource === 'rollouts') return 'rollouts-controller';
  if (resource === 'applications') return 'argocd-application-controller';
  return 'kube-controller-manager';
}

/** The owner reference that a controller writes into what it makes. */
export function ownedBy(owner: KubeObject): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The controlling owner of an object, or null. */
export function controllerOf(object: KubeObject): OwnerReference | null {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true) ?? null;
}
