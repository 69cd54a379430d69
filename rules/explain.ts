/** Why an object is in the inventory or is not (issue "Why is it missing?"). A decision over what is stored. */

import type { Coverage, CoverageBlock, CoveredResource } from '../wire/coverage.ts';

/** What is known about an object and about the cluster that it is looked for in. Times are RFC 3339. */
export interface Evidence {
  /** Name of the namespace; null for an object that lives in none. */
  readonly namespace: string | null;
  /** The coverage entry that proves or does not prove the kind. */
  readonly resource: string;
  /** When the row last changed; null when there is no row. */
  readonly storedAt: string | null;
  /** The newest change record about the object; null without one. */
  readonly record: { readonly type: string; readonly at: string } | null;
  /** False when the object's namespace is not in the inventory either. */
  readonly namespaceKnown: boolean;
  readonly cluster: {
    readonly snapshot_at: string | null;
    readonly excluded_namespaces: readonly string[];
    readonly coverage: CoverageBlock | null;
    readonly unverified_since: Readonly<Partial<Record<string, string>>>;
    readonly agent_status: 'connected' | 'disconnected';
    readonly last_seen_at: string | null;
  };
}

export const VERDICTS = [
  'present',
  'present_unverified',
  'no_snapshot',
  'excluded_namespace',
  'forbidden',
  'failing',
  'not_served',
  'maybe_cut',
  'gone',
  'never_seen',
] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Explanation {
  readonly verdict: Verdict;
  /** One sentence for an operator. */
  readonly message: string;
  /** Since when that is so, where it is known. */
  readonly since: string | null;
  /** What else weakens the answer. */
  readonly notes: readonly string[];
}

/**
 * The strongest reason first: a row is there, whatever else holds; without a snapshot nothing can be said; an excluded
 * namespace and an unreadable kind explain an absence; a cap may; only then is the object itself gone or unknown.
 */
export function explain(evidence: Evidence): Explanation {
  const verdict = judge(evidence);
  return { ...verdict, notes: notesOn(evidence) };
}

function judge({ namespace, resource, storedAt, record, cluster }: Evidence): Omit<Explanation, 'notes'> {
  const { snapshot_at: asOf, coverage } = cluster;
  const read = coverage === null ? null : (coverage[resource as CoveredResource] ?? FAILED);
  const unverifiedSince = cluster.unverified_since[resource] ?? null;
  if (storedAt !== null) {
    return read === null || provesPresence(read)
      ? say('present', `it is in the snapshot of ${asOf ?? 'an unknown time'}`, storedAt)
      : say(
          'present_unverified',
          `it is stored, but ${resource} could not be read${sinceText(unverifiedSince)}: it may be gone by now`,
          unverifiedSince,
        );
  }
  if (asOf === null) return say('no_snapshot', 'no snapshot of this cluster was stored yet', null);
  if (namespace !== null && cluster.excluded_namespaces.includes(namespace)) {
    return say('excluded_namespace', 'the agent is told to leave this namespace out', null);
  }
  switch (read?.state) {
    case 'forbidden':
      return say(
        'forbidden',
        `the agent may not list ${resource}${sinceText(unverifiedSince)}: its ClusterRole lacks the rule`,
        unverifiedSince,
      );
    case 'error':
      return say(
        'failing',
        `the agent cannot list ${resource}${sinceText(unverifiedSince)}${reasonText(read)}`,
        unverifiedSince,
      );
    case 'absent':
      return say('not_served', `the cluster does not serve ${resource}`, null);
    case 'truncated':
      return say(
        'maybe_cut',
        `${read.sent} of ${read.listed} ${resource} were sent${reasonText(read)}: it may be among the others`,
        null,
      );
  }
  if (record !== null) {
    return record.type.endsWith('_deleted')
      ? say('gone', `it was deleted before the snapshot of ${record.at}`, record.at)
      : say('gone', `it is not in the snapshot of ${asOf}; a record shows it on ${record.at}`, null);
  }
  return say('never_seen', `it is not in the snapshot of ${asOf}, and no record speaks of it`, null);
}

/** A resource that the block does not name counts as failed (contracts.md section 1). */
const FAILED: Coverage = { state: 'error', listed: 0, sent: 0 };

const provesPresence = ({ state }: Coverage): boolean => state === 'complete' || state === 'truncated';
const say = (verdict: Verdict, message: string, since: string | null) => ({ verdict, message, since });
const sinceText = (since: string | null): string => (since === null ? '' : ` since ${since}`);
const reasonText = ({ reason }: Coverage): string => (reason === undefined ? '' : ` (${reason})`);

function notesOn({ namespace, namespaceKnown, storedAt, cluster }: Evidence): string[] {
  const notes: string[] = [];
  if (cluster.agent_status === 'disconnected' && cluster.last_seen_at !== null) {
    notes.push(`the agent is silent since ${cluster.last_seen_at}: everything here is as old as that`);
  }
  if (storedAt === null && namespace !== null && !namespaceKnown) {
    notes.push(`the namespace is not in the inventory either: is its name right?`);
  }
  return notes;
}
