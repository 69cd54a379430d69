/** What a live read may ask for (LV-14, LV-15, LV-21). Both ends check: the routes, and the agent once more. */

import { isDateTime } from '../../wire/dateTime.ts';
import { MAX_TAIL } from '../../wire/kubeQuery.ts';

/** Kinds that have a rollout history (LV-07). */
export const REVISION_KINDS = ['Deployment', 'Rollout', 'StatefulSet', 'DaemonSet'] as const;
export type RevisionKind = (typeof REVISION_KINDS)[number];

export const isRevisionKind = (kind: string): kind is RevisionKind =>
  (REVISION_KINDS as readonly string[]).includes(kind);

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** A DNS-1123 label: namespaces and containers. */
export const isDnsLabel = (text: string): boolean => LABEL.test(text);

/** A DNS-1123 subdomain of at most 253 characters: names of objects. Kubernetes puts no limit of 63 on its parts. */
export const isDnsSubdomain = (text: string): boolean =>
  text.length <= 253 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(text);

/** 1 to 300 in decimal digits; null otherwise. */
export function parseTail(text: string): number | null {
  const value = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= MAX_TAIL ? value : null;
}

/** The same time at the second below, which is all that an API server honours (LV-15); null when it is no RFC 3339 time. */
export function parseSince(text: string): string | null {
  if (!isDateTime(text)) return null;
  const time = new Date(text);
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9999 ? `${time.toISOString().slice(0, 19)}Z` : null;
}
