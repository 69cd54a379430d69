import type { ResourceKey } from './objects.ts';
import type { Entry } from './store.ts';

interface Kept {
  readonly entries: readonly Entry[];
  readonly atMs: number;
}

/** A real API server compacts etcd every five minutes, and a `continue` token lives no longer than its revision. */
const lifeMs = 300_000;

/** At most so many pictures are kept, so that clients which never finish their lists cost no more than this. */
const maxKept = 256;

/** The pictures of past revisions that open `continue` tokens still need. */
export class Snapshots {
  readonly #kept = new Map<string, Kept>();

  /** Keeps the entries of a resource at a revision. */
  keep(resource: ResourceKey, revision: number, entries: readonly Entry[], nowMs: number): void {
    this.expire(nowMs);
    this.#kept.set(`${resource}@${revision}`, { entries, atMs: nowMs });
    for (const key of this.#kept.keys()) {
      if (this.#kept.size <= maxKept) break;
      this.#kept.delete(key);
    }
  }

  /** The entries of a resource at a revision, or null when they are compacted. */
  find(resource: ResourceKey, revision: number, nowMs: number): readonly Entry[] | null {
    this.expire(nowMs);
    return this.#kept.get(`${resource}@${revision}`)?.entries ?? null;
  }

  /** Forgets what is older than the cluster's clock allows. */
  expire(nowMs: number): void {
    for (const [key, { atMs }] of this.#kept) {
      if (nowMs - atMs > lifeMs) this.#kept.delete(key);
    }
  }

  /** Forgets everything, as a compaction up to now does. */
  clear(): void {
    this.#kept.clear();
  }
}
