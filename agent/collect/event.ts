import type { EventTimes } from '../../rules/kube/eventTime.ts';
import { eventCount, firstSeenAt, lastSeenAt } from '../../rules/kube/eventTime.ts';
import type { Arrays } from '../../wire/kinds/index.ts';
import type { RawObject } from './object.ts';
import { freeTextOf, identityOf } from './object.ts';

export type EventRecord = Arrays['events'][number];

/** core/v1 Event, which is also how the API shows those written through events.k8s.io. */
export interface RawEvent extends RawObject, EventTimes {
  readonly type?: string | null;
  readonly reason?: string | null;
  readonly message?: string | null;
  readonly involvedObject?: {
    readonly kind?: string | null;
    readonly namespace?: string | null;
    readonly name?: string | null;
  } | null;
  readonly source?: { readonly component?: string | null } | null;
  readonly reportingComponent?: string | null;
}

/** An event as sent (AG-13). */
export function mapEvent(event: RawEvent): EventRecord {
  const about = event.involvedObject;
  return {
    ...identityOf(event.metadata),
    type: event.type || 'Normal',
    reason: freeTextOf(event.reason),
    message: freeTextOf(event.message),
    involved_kind: about?.kind || null,
    involved_namespace: about?.namespace || null,
    involved_name: about?.name || null,
    source_component: freeTextOf(event.source?.component || event.reportingComponent),
    count: eventCount(event),
    first_seen_at: firstSeenAt(event),
    last_seen_at: lastSeenAt(event),
  };
}
