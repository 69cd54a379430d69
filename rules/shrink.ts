/** What a snapshot sheds, and in which order, when it does not fit into one message (PL-04 to PL-06, X-06). */

import type { SentWorkload, Snapshot } from '../wire/snapshot.ts';

/** How far a sync had to go, mildest first; the last one sent nothing. Labels of the counter of PL-07. */
export const SHEDS = [
  'spec_facts_dropped',
  'argocd_rows_dropped',
  'argocd_applications_dropped',
  'inventory_dropped',
] as const;
export type Shed = (typeof SHEDS)[number];

export interface Shrunk {
  readonly shed: Exclude<Shed, 'inventory_dropped'>;
  readonly snapshot: Snapshot;
}

/** A step answers null when there is nothing to drop, so that no size is measured twice. */
type Step = (snapshot: Snapshot) => Snapshot | null;

/**
 * The next smaller snapshot: each call goes on where `after` left off (null: the whole snapshot) and skips the steps that
 * have nothing to drop. Null when there is nothing left to give up. The given snapshot is not changed, and what is kept
 * is shared with it.
 */
export function shrink(snapshot: Snapshot, after: Shrunk['shed'] | null): Shrunk | null {
  const rest = STEPS.slice(after === null ? 0 : STEPS.findIndex(([shed]) => shed === after) + 1);
  for (const [shed, step] of rest) {
    const smaller = step(snapshot);
    if (smaller !== null) return { shed, snapshot: smaller };
  }
  return null;
}

/** From all workloads or from none: a workload without facts among others that have them would look like a change. */
const dropSpecFacts: Step = (snapshot) => {
  const { workloads } = snapshot.data;
  if (!workloads.some((workload) => workload.spec_facts !== undefined)) return null;
  return withData(snapshot, {
    workloads: workloads.map(({ spec_facts: _, ...workload }): SentWorkload => workload),
  });
};

/** An empty list stays: it says that there are no rows, where null says that they were dropped. */
const dropApplicationRows: Step = (snapshot) => {
  const { argocd } = snapshot.data;
  if (!argocd?.applications.some(({ resources }) => hasRows(resources))) return null;
  return withData(snapshot, {
    argocd: {
      ...argocd,
      applications: argocd.applications.map((application) =>
        hasRows(application.resources) ? { ...application, resources: null } : application,
      ),
    },
  });
};

const hasRows = (resources: readonly unknown[] | null): boolean => resources !== null && resources.length > 0;

/** The backend keeps the Applications that it has, because their coverage is no longer a proof. */
const dropApplications: Step = (snapshot) => {
  const { argocd, ...data } = snapshot.data;
  if (argocd === undefined || argocd.applications.length === 0) return null;
  const { coverage, ...envelope } = snapshot;
  // Without the block every resource counts as whole; one that names Applications alone would say `error` of all others.
  if (coverage === undefined) return { ...envelope, data };
  const listed = coverage.applications?.listed ?? argocd.applications.length;
  const applications = { state: 'error', listed, sent: 0, reason: 'too_large' } as const;
  return { ...envelope, coverage: { ...coverage, applications }, data };
};

const withData = (snapshot: Snapshot, changed: Partial<Snapshot['data']>): Snapshot => ({
  ...snapshot,
  data: { ...snapshot.data, ...changed },
});

const STEPS: readonly (readonly [Shrunk['shed'], Step])[] = [
  ['spec_facts_dropped', dropSpecFacts],
  ['argocd_rows_dropped', dropApplicationRows],
  ['argocd_applications_dropped', dropApplications],
];
