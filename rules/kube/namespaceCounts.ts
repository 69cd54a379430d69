/** Counts of a namespace's objects (AG-07, X-42). */

import type { Coverage } from '../../wire/coverage.ts';

/** One list that a count is made from. */
export interface CountedList {
  /** Undefined when the list was not read at all. */
  readonly coverage: Coverage | undefined;
  /** Objects by namespace, before any cap. */
  readonly perNamespace: ReadonlyMap<string, number>;
}

/**
 * Objects of a namespace over all the lists, 0 where they have none; null when one of them shows only part of what is
 * there, so that the stored count stays (contracts.md section 1).
 */
export function countIn(namespace: string, lists: readonly CountedList[]): number | null {
  if (!lists.every(({ coverage }) => isWhole(coverage))) return null;
  return lists.reduce((sum, { perNamespace }) => sum + (perNamespace.get(namespace) ?? 0), 0);
}

/** True when every object was seen; a cap cuts what is sent, not what was seen. */
export const isWhole = (coverage: Coverage | undefined): boolean =>
  coverage?.state === 'complete' || coverage?.state === 'truncated';
