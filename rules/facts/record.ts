/** The change record of one object: what a row of `change_events` says (CH-04 to CH-12). */

import type { FieldChange } from './diff.ts';
import { summarize } from './summary.ts';

/** `source` of everything that a sync records (CH-04). */
export const CONFIG_SOURCE = 'k8s-config';

/** Entries that a record keeps; `change_count` counts all of them (CH-11). */
export const MAX_CHANGES = 50;

export type ChangeType =
  | 'workload_changed'
  | 'workload_scaled'
  | 'network_policy_changed'
  | 'workload_created'
  | 'workload_deleted';

/** The object that a record is about. */
export interface Subject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A row of `change_events` as far as the object's cluster does not decide it. */
export interface ChangeRecord extends Subject {
  readonly event_type: ChangeType;
  /** At most 300 characters. */
  readonly summary: string;
  readonly change_count: number;
  readonly truncated: boolean;
  readonly changes: readonly FieldChange[];
}

/** The record of a workload whose facts changed; `changes` is not empty. */
export function workloadRecord(subject: Subject, changes: readonly FieldChange[]): ChangeRecord {
  const isScale = changes.length === 1 && changes[0]?.field === 'replicas';
  return toRecord(isScale ? 'workload_scaled' : 'workload_changed', subject, changes);
}

/** A record of any type; one of a workload's life has no changes. */
export const toRecord = (
  eventType: ChangeType,
  { kind, namespace, name }: Subject,
  changes: readonly FieldChange[],
): ChangeRecord => ({
  kind,
  namespace,
  name,
  event_type: eventType,
  summary: summarize(eventType, { kind, namespace, name }, changes),
  change_count: changes.length,
  truncated: changes.length > MAX_CHANGES,
  changes: changes.slice(0, MAX_CHANGES),
});
