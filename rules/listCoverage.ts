import type { Coverage, CoverageBlock, CoveredResource } from '../wire/coverage.ts';
import type { CoverageRule } from '../wire/kinds/define.ts';

/** What the last snapshot had of a resource that it did not have whole, and since when that is so. */
export interface Shortfall extends Coverage {
  /** Stamp of the first snapshot in a row that could not verify the resource; absent for a deliberate cap. */
  readonly since?: string;
}

/**
 * What a list says of its own wholeness (D10): the resources behind a kind that are not `complete`, by resource; null
 * when all are, or when the snapshot came without a coverage block. A resource that the block lacks counts as `error`.
 */
export function shortfalls(
  rule: CoverageRule,
  block: CoverageBlock | null,
  unverifiedSince: Readonly<Partial<Record<string, string>>>,
): Readonly<Record<string, Shortfall>> | null {
  if (block === null) return null;
  const resources = typeof rule === 'string' ? [rule] : Object.values(rule);
  const short = resources.flatMap((resource): [string, Shortfall][] => {
    const coverage = block[resource as CoveredResource] ?? { state: 'error', listed: 0, sent: 0 };
    if (coverage.state === 'complete') return [];
    const since = unverifiedSince[resource];
    return [[resource, since === undefined ? coverage : { ...coverage, since }]];
  });
  return short.length === 0 ? null : Object.fromEntries(short);
}
