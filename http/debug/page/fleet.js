/** All actors that the page knows of, and what a filter lets through. */

/** @import { Actor } from './types.d.ts' */
import { pathOf } from './text.js';

/** A sync's transaction ends within 60 s: one that is under way for longer hangs somewhere. */
const STUCK_MS = 60_000;

/** @param {Actor} actor @param {number} now */
export const isStuck = (actor, now) =>
  actor.syncing_since !== null && now - Date.parse(actor.syncing_since) > STUCK_MS;

/** @param {Actor} actor */
export const isBusy = (actor) =>
  actor.syncing_since !== null || actor.queue > 0 || actor.lanes_busy > 0 || actor.reads_waiting > 0;

/** @type {Readonly<Record<string, { readonly label: string, readonly holds: (actor: Actor, now: number) => boolean }>>} */
export const FILTERS = {
  all: { label: 'All', holds: () => true },
  busy: { label: 'Busy', holds: isBusy },
  stuck: { label: 'Stuck', holds: isStuck },
  failed: { label: 'Failing', holds: (actor) => actor.failures > 0 },
  offline: { label: 'Silent', holds: (actor) => actor.state.presence === 'disconnected' },
};

/**
 * The words that say how an actor is, and how worried to be.
 * @param {Actor} actor
 * @param {number} now
 * @returns {{ tone: 'bad' | 'warn' | 'busy' | 'calm' | 'dim', words: string }}
 */
export function conditionOf(actor, now) {
  if (isStuck(actor, now)) return { tone: 'bad', words: 'stuck' };
  if (actor.failures > 0) {
    const times = actor.failures > 1 ? ` ×${actor.failures}` : '';
    return { tone: 'bad', words: `${(actor.last_outcome ?? 'failed').split(':')[0]}${times}` };
  }
  if (actor.syncing_since !== null) return { tone: 'busy', words: 'syncing' };
  if (actor.lanes_busy > 0) return { tone: 'busy', words: 'reading' };
  if (actor.state.presence === 'disconnected') return { tone: 'warn', words: 'silent' };
  if (actor.last_outcome === null) return { tone: 'dim', words: 'idle' };
  return { tone: 'calm', words: 'idle' };
}

/** The actors, sorted by path once and kept sorted. */
export class Fleet {
  /** @type {Map<string, Actor>} */
  #byKey = new Map();
  /** @type {Map<string, string>} */
  #keyOfPath = new Map();
  /** @type {Actor[] | null} */
  #sorted = null;

  get size() {
    return this.#byKey.size;
  }

  /** @param {readonly Actor[]} rows */
  put(rows) {
    for (const row of rows) {
      this.#byKey.set(row.key, row);
      this.#keyOfPath.set(pathOf(row), row.key);
    }
    this.#sorted = null;
  }

  /** Forgets all but these keys. @param {ReadonlySet<string>} keys */
  keepOnly(keys) {
    for (const key of this.#byKey.keys()) if (!keys.has(key)) this.#byKey.delete(key);
    this.#sorted = null;
  }

  /** @param {string} path */
  at(path) {
    return this.#byKey.get(this.#keyOfPath.get(path) ?? '') ?? null;
  }

  all() {
    this.#sorted ??= [...this.#byKey.values()].sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
    return this.#sorted;
  }

  /**
   * Actors whose path holds every word of the search, and which the filter lets through.
   * @param {string} search
   * @param {string} filter
   * @param {number} now
   */
  select(search, filter, now) {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    const holds = FILTERS[filter]?.holds ?? (() => true);
    return this.all().filter((actor) => {
      if (!holds(actor, now)) return false;
      const path = pathOf(actor).toLowerCase();
      return words.every((word) => path.includes(word));
    });
  }

  /** How many each filter lets through. @param {number} now */
  counts(now) {
    const all = this.all();
    return Object.fromEntries(
      Object.entries(FILTERS).map(([name, { holds }]) => [
        name,
        all.reduce((n, actor) => (holds(actor, now) ? n + 1 : n), 0),
      ]),
    );
  }

  /** How many actors are in each state, by the id of the state's node. @param {string} machine */
  census(machine) {
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const { state } of this.all()) {
      for (const [region, at] of Object.entries(state)) {
        const id = `${machine}.${region}.${at}`;
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
    }
    return counts;
  }
}
