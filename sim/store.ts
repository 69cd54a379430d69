import type { Kinds, KubeObject, ResourceKey } from './objects.ts';

/** A stored object under its key: `namespace/name`, or the name where the resource is cluster-scoped. */
export interface Entry<T extends KubeObject = KubeObject> {
  readonly key: string;
  readonly object: T;
}

export interface Change<R extends ResourceKey = ResourceKey> {
  readonly resource: R;
  readonly before: Kinds[R] | null;
  readonly after: Kinds[R] | null;
}

interface Shelf {
  readonly byNamespace: Map<string, Map<string, Entry>>;
  sorted: readonly Entry[] | null;
}

/** The key of an object inside its resource, as etcd orders it: byte order of `namespace/name`. */
function entryKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/**
 * The cluster's objects. Objects are immutable, so a sorted list that was handed out stays a consistent picture of its
 * revision for as long as somebody holds it; that is all a `continue` token needs.
 */
export class ObjectStore {
  readonly #shelves = new Map<ResourceKey, Shelf>();
  readonly #listeners: ((change: Change) => void)[] = [];
  #revision = 1000;

  /** The revision of the last write, as etcd counts: one number for all resources. */
  get revision(): number {
    return this.#revision;
  }

  /** Moves the revision without a write of ours; compaction in a real server does that too. */
  bumpRevision(): number {
    this.#revision += 1;
    return this.#revision;
  }

  /** Calls back after every write, in the order of writing. */
  onChange(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }

  get<R extends ResourceKey>(resource: R, namespace: string, name: string): Kinds[R] | null {
    const entry = this.#shelf(resource).byNamespace.get(namespace)?.get(name);
    return entry === undefined ? null : (entry.object as Kinds[R]);
  }

  /** Stores an object under the next revision and returns it as stored. */
  put<R extends ResourceKey>(resource: R, object: Kinds[R]): Kinds[R] {
    const stamped = {
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(this.bumpRevision()) },
    };
    const { name, namespace = '' } = stamped.metadata;
    const shelf = this.#shelf(resource);
    let names = shelf.byNamespace.get(namespace);
    if (names === undefined) {
      names = new Map();
      shelf.byNamespace.set(namespace, names);
    }
    const before = (names.get(name)?.object ?? null) as Kinds[R] | null;
    names.set(name, { key: entryKey(namespace, name), object: stamped });
    shelf.sorted = null;
    this.#tell({ resource, before, after: stamped });
    return stamped;
  }

  /** Takes an object away; returns it, or null when it was not there. */
  remove<R extends ResourceKey>(resource: R, namespace: string, name: string): Kinds[R] | null {
    const shelf = this.#shelf(resource);
    const names = shelf.byNamespace.get(namespace);
    const entry = names?.get(name);
    if (names === undefined || entry === undefined) return null;
    names.delete(name);
    if (names.size === 0) shelf.byNamespace.delete(namespace);
    shelf.sorted = null;
    this.#revision += 1;
    const before = entry.object as Kinds[R];
    this.#tell({ resource, before, after: null });
    return before;
  }

  /** All objects of a resource in the API's order, or those of one namespace. */
  list<R extends ResourceKey>(resource: R, namespace?: string): readonly Kinds[R][] {
    if (namespace === undefined) return this.entries(resource).map((entry) => entry.object as Kinds[R]);
    return this.inNamespace(resource, namespace).sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  /** The objects of one namespace in no promised order; cheaper than `list`. */
  inNamespace<R extends ResourceKey>(resource: R, namespace: string): Kinds[R][] {
    const names = this.#shelf(resource).byNamespace.get(namespace);
    return names === undefined ? [] : Array.from(names.values(), (entry) => entry.object as Kinds[R]);
  }

  count(resource: ResourceKey): number {
    let total = 0;
    for (const names of this.#shelf(resource).byNamespace.values()) total += names.size;
    return total;
  }

  /** The entries of a resource sorted by key. The array never changes after it was handed out. */
  entries(resource: ResourceKey): readonly Entry[] {
    const shelf = this.#shelf(resource);
    if (shelf.sorted === null) {
      const all: Entry[] = [];
      for (const names of shelf.byNamespace.values()) all.push(...names.values());
      shelf.sorted = all.sort((a, b) => (a.key < b.key ? -1 : 1));
    }
    return shelf.sorted;
  }

  #shelf(resource: ResourceKey): Shelf {
    let shelf = this.#shelves.get(resource);
    if (shelf === undefined) {
      shelf = { byNamespace: new Map(), sorted: null };
      this.#shelves.set(resource, shelf);
    }
    return shelf;
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }
}
