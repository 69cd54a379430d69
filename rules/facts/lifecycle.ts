/** Whether a snapshot proves that a workload was created or deleted. Ours, and off by default: the seeds record neither. */

import type { CoverageBlock } from '../../wire/coverage.ts';
import { provesAbsence } from '../../wire/coverage.ts';
import { workloads } from '../../wire/kinds/workload.ts';

/** What one snapshot says about what it could see. */
export interface Sight {
  /** Null or undefined: the agent did not say. */
  readonly coverage: CoverageBlock | null | undefined;
  readonly excludedNamespaces: ReadonlySet<string>;
}

/** Its own kind was read whole, and its namespace was not left out. */
function sawAll({ coverage, excludedNamespaces }: Sight, kind: string, namespace: string): boolean {
  const resource = (workloads.coverage as Readonly<Record<string, string>>)[kind];
  if (!coverage || resource === undefined || excludedNamespaces.has(namespace)) return false;
  return provesAbsence(coverage, resource);
}

interface Place {
  readonly kind: string;
  readonly namespace: string;
}

/**
 * A row that is new: created, if the snapshot before saw all workloads of its kind and did not hold it. A kind that could
 * not be read until now, and a namespace that was left out, bring rows of old workloads.
 */
export const isProvenCreated = (workload: Place, before: Sight): boolean =>
  sawAll(before, workload.kind, workload.namespace);

/** A row that goes: deleted, unless its namespace is left out from now on. */
export const isProvenDeleted = (
  workload: Place,
  now: Sight & { readonly namespaces: ReadonlySet<string> },
): boolean => {
  if (sawAll(now, workload.kind, workload.namespace)) return true;
  if (!now.coverage || now.excludedNamespaces.has(workload.namespace)) return false;
  return provesAbsence(now.coverage, 'namespaces') && !now.namespaces.has(workload.namespace);
};
