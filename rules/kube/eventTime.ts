/**
 * When and how often an event happened. Two shapes come in one list: the controller manager's has count and
 * first/lastTimestamp, today's scheduler writes through events.k8s.io and sets eventTime alone (stack.md section 9).
 */

import { wireTime } from './time.ts';

/** The fields of a core/v1 Event that tell time and count. */
export interface EventTimes {
  readonly count?: number | null;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number | null; readonly lastObservedTime?: string | null } | null;
}

/** lastTimestamp, else the series' last observation, else eventTime, else firstTimestamp (AG-28); null without any. */
export const lastSeenAt = (event: EventTimes): string | null =>
  wireTime(event.lastTimestamp) ??
  wireTime(event.series?.lastObservedTime) ??
  wireTime(event.eventTime) ??
  wireTime(event.firstTimestamp);

/** firstTimestamp, else eventTime, which a series keeps from its first occurrence; null without any. */
export const firstSeenAt = (event: EventTimes): string | null =>
  wireTime(event.firstTimestamp) ?? wireTime(event.eventTime);

/** The event's own count, else its series', else 1 (AG-29). A count of 0 is one that the writer left out. */
export const eventCount = (event: EventTimes): number => event.count || event.series?.count || 1;
