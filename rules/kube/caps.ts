/**
 * Which pods and events stay when there are more than a snapshot may hold. Both orders are total, so a cut is the same
 * whatever order the objects came in, and cutting early, while pages still arrive, loses nothing: the first `limit` of
 * (the first `limit` of A) and B are the first `limit` of A and B.
 */

/** What the order of pods looks at. */
export interface CappedPod {
  readonly phase: string;
  readonly restart_count: number;
  readonly namespace: string;
  readonly name: string;
}

/** What the order of events looks at. */
export interface CappedEvent {
  readonly last_seen_at: string | null;
  readonly uid: string;
}

/**
 * At most `limit` pods, untouched when they fit; else those that are not Running first, then by restarts, most first,
 * so that pods in trouble stay (AG-26). Ties go by namespace and name.
 */
export const capPods = <P extends CappedPod>(pods: P[], limit: number): P[] =>
  pods.length <= limit ? pods : pods.toSorted(byTrouble).slice(0, limit);

/** At most `limit` events, newest last-seen first (AG-27); those without any time come last. Ties go by uid. */
export function capEvents<E extends CappedEvent>(events: E[], limit: number): E[] {
  const seenAt = new Map(
    events.map((event) => [event, event.last_seen_at === null ? -Infinity : Date.parse(event.last_seen_at)]),
  );
  const timeOf = (event: E): number => seenAt.get(event) ?? -Infinity;
  return events
    .toSorted((a, b) => descending(timeOf(a), timeOf(b)) || ascending(a.uid, b.uid))
    .slice(0, limit);
}

function byTrouble(a: CappedPod, b: CappedPod): number {
  return (
    descending(Number(a.phase !== 'Running'), Number(b.phase !== 'Running')) ||
    descending(a.restart_count, b.restart_count) ||
    ascending(a.namespace, b.namespace) ||
    ascending(a.name, b.name)
  );
}

const ascending = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
// No subtraction: the difference of two equal infinities is no number.
const descending = (a: number, b: number): number => (a > b ? -1 : a < b ? 1 : 0);
