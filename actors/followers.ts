/** Who watches the actors from afar: each follower has one mark per changed actor, however often it changed. */

import type { ActorView, TransitionView } from './inspector.ts';

/** Followers at once; each costs a mark per change. */
const MAX_FOLLOWERS = 16;
/** Transitions that come with a change; whoever needs all of a faster actor asks for its log. */
const MAX_RECENT = 8;

/** An actor that changed, with its transitions since it was last told of, newest first. */
export type ActorChange = ActorView & { readonly recent: readonly TransitionView[] };

export interface Following {
  /**
   * Takes up to `max` changed actors, in the order in which they first changed. Right after the beginning that is every
   * actor. Nothing is lost by taking late: what changed meanwhile is one change.
   */
  take(max: number): ActorChange[];
  /** True when nothing was untaken. */
  readonly isCurrent: boolean;
  /** Aborted when the process drains. */
  readonly ended: AbortSignal;
  close(): void;
}

export interface Followers<A> {
  /** To be called before an actor changes. */
  touch(actor: A): void;
  follow(present: Iterable<A>): Following | null;
  close(): void;
}

/** `position` is how many transitions an actor has behind it; `view` shows it with those since a position. */
export function createFollowers<A>(o: {
  readonly position: (actor: A) => number;
  readonly view: (actor: A, since: number) => ActorChange;
}): Followers<A> {
  const marks = new Set<Map<A, number>>();
  const ended = new AbortController();
  return {
    touch(actor) {
      for (const changed of marks) {
        if (!changed.has(actor)) changed.set(actor, o.position(actor));
      }
    },
    follow(present) {
      if (marks.size >= MAX_FOLLOWERS) return null;
      const changed = new Map([...present].map((actor) => [actor, o.position(actor)] as const));
      if (!ended.signal.aborted) marks.add(changed);
      return {
        take(max) {
          const taken: ActorChange[] = [];
          for (const [actor, since] of changed) {
            if (taken.length === max) break;
            changed.delete(actor);
            taken.push(o.view(actor, Math.max(since, o.position(actor) - MAX_RECENT)));
          }
          return taken;
        },
        get isCurrent() {
          return changed.size === 0;
        },
        ended: ended.signal,
        close() {
          marks.delete(changed);
          changed.clear();
        },
      };
    },
    close() {
      ended.abort();
      marks.clear();
    },
  };
}
