/** The long-term copy of a Kubernetes event: one line of the log store (IN-31, U-26). */

import type { Arrays } from '../wire/kinds/index.ts';

export type Event = Arrays['events'][number];

/** What the lines of one cluster share. */
export interface EventPlace {
  readonly environment_id: string;
  readonly cluster_id: string;
  readonly cluster_name: string;
}

/** Kubernetes allows 1,024; whoever sends more must not keep the backend busy with looking for secrets in it. */
const MAX_MESSAGE_CHARS = 4096;

/**
 * The line, with its newline; null for an event without a last-seen time, which the store would stamp anew at every sync
 * (IN-32). Copies of one sighting are equal byte by byte: no field says when or by which snapshot it came, because the
 * reader collapses equal lines (EV-23, X-44). `sanitize` removes secrets that the agent's version did not know of.
 *
 * An event without a message gets its reason: the store puts a text of its own where there is none.
 */
export function eventLine(
  event: Event,
  place: EventPlace,
  sanitize: (text: string) => string,
): string | null {
  if (event.last_seen_at === null) return null;
  const message = event.message === null ? '' : sanitize(event.message.slice(0, MAX_MESSAGE_CHARS));
  const line = {
    _time: event.last_seen_at,
    _msg: message || event.reason || event.type,
    source: 'k8s-event',
    environment_id: place.environment_id,
    level: event.type === 'Warning' ? 'warning' : 'info',
    k8s_cluster_id: place.cluster_id,
    k8s_cluster_name: place.cluster_name,
    k8s_namespace: event.namespace,
    k8s_event_type: event.type,
    k8s_event_reason: event.reason ?? '',
    k8s_event_count: String(event.count),
    k8s_involved_kind: event.involved_kind ?? '',
    k8s_involved_name: event.involved_name ?? '',
  };
  return `${JSON.stringify(line)}\n`;
}
