/** Where the objects of a list go as they arrive: each becomes its record at once, and the raw object is let go. */

import { boundTexts } from '../../rules/kube/bound.ts';
import type { Coverage } from '../../wire/coverage.ts';
import { createTextPool } from './textPool.ts';

/** Takes the objects of one list; `onStart` voids what came before, because an expired list starts over. */
export interface Sink<T> {
  onStart(): void;
  onItem(item: T): void;
}

/** A limit, and the order in which objects go when it is exceeded. */
export interface Cap<R> {
  readonly limit: number;
  /** At most `limit` of the records; cutting twice must equal cutting once (rules/kube/caps). */
  cut(records: R[], limit: number): R[];
  /** Coverage reason of a cut list. */
  readonly reason: string;
}

export interface Gathering<T, R> extends Sink<T> {
  /** The records, cut to the cap. */
  records(): R[];
  /** What the list proves, once it was read to its end. */
  coverage(): Coverage;
}

/** How far past its limit a list grows before it is cut: a cut sorts all of it. */
const ROOM = 1.25;

/** Records of the objects that `skip` lets through. With a cap, memory holds a quarter more than its limit. */
export function gather<T, R extends object>(o: {
  map(item: T): R;
  skip?(item: T): boolean;
  cap?: Cap<R>;
}): Gathering<T, R> {
  const { cap } = o;
  const share = createTextPool();
  let records: R[] = [];
  let listed = 0;
  const kept = (): R[] => {
    if (cap !== undefined) records = cap.cut(records, cap.limit);
    return records;
  };
  return {
    onStart() {
      records = [];
      listed = 0;
    },
    onItem(item) {
      if (o.skip?.(item)) return;
      listed++;
      records.push(boundTexts(o.map(item), share));
      if (cap !== undefined && records.length >= ROOM * cap.limit) kept();
    },
    records: kept,
    coverage() {
      const sent = kept().length;
      if (cap === undefined || sent === listed) return { state: 'complete', listed, sent };
      return { state: 'truncated', listed, sent, reason: cap.reason };
    },
  };
}

export interface Tally<T> extends Sink<T> {
  /** How many objects had each key. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Counts objects by a key; one whose key is null is not counted. */
export function tally<T>(keyOf: (item: T) => string | null): Tally<T> {
  const counts = new Map<string, number>();
  return {
    counts,
    onStart: () => counts.clear(),
    onItem(item) {
      const key = keyOf(item);
      if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
    },
  };
}

/** One sink that hands each object to all of them. */
export const each = <T>(...sinks: Sink<T>[]): Sink<T> => ({
  onStart: () => {
    for (const sink of sinks) sink.onStart();
  },
  onItem: (item) => {
    for (const sink of sinks) sink.onItem(item);
  },
});
