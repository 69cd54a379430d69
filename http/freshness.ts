/** How old and how whole an answer from the inventory is (D10). */

import { shortfalls } from '../rules/listCoverage.ts';
import type { ClusterRow } from '../store/clusters.ts';
import { COVERAGE_STATES } from '../wire/coverage.ts';
import type { Kind, Schema } from '../wire/kinds/define.ts';
import { count, nullable, text, time } from './schemas.ts';

const shortfall: Schema = {
  type: 'object',
  properties: {
    state: { type: 'string', enum: COVERAGE_STATES.filter((state) => state !== 'complete') },
    listed: count,
    sent: count,
    reason: text,
    since: time,
  },
  required: ['state', 'listed', 'sent'],
  additionalProperties: false,
};

/** The properties that `freshnessOf` puts into `meta`; only `as_of` is always there. */
export const freshness = {
  as_of: nullable(time),
  coverage: { type: 'object', additionalProperties: shortfall },
};

/** Time of the snapshot, and what that snapshot lacked of these kinds. */
export function freshnessOf(cluster: ClusterRow, ...kinds: readonly Kind[]) {
  const lacking = kinds.map((kind) => shortfalls(kind.coverage, cluster.coverage, cluster.unverified_since));
  const coverage = Object.assign({}, ...lacking);
  return { as_of: cluster.snapshot_at, ...(Object.keys(coverage).length === 0 ? {} : { coverage }) };
}
