/** The two fetches of triage (TR-05, TR-06). */

import { CONFIG_SOURCE } from '../rules/facts/record.ts';
import type { RecordedChange } from '../rules/triage.ts';
import { CHANGES_FETCHED, DEPLOY_SOURCES, REACH_MS, SCALE_TYPE, SCALES_FETCHED } from '../rules/triage.ts';
import type { Db } from './pool.ts';
import type { ClusterInScope, ScopeFilter } from './scope.ts';
import { scopeCondition, scopeParameters } from './scope.ts';

/**
 * Records at or before `at` that can concern the cluster: those of its own syncs, and deploys to its environment or, for a
 * caller who may see them, to its whole client. Older ones than any score reaches are not read.
 */
const RECORDS = `
  select id, coalesce(scanned_at, created_at) as at, source, event_type as type, summary as title
  from change_events as change
  where client_id = $1 and (environment_id = $2 or environment_id is null) and ${scopeCondition('change', 6)}
    and coalesce(scanned_at, created_at) between $3::timestamptz and $4::timestamptz`;
const NEWEST = 'order by coalesce(scanned_at, created_at) desc, id limit $5';

/** The newest deploys and configuration changes, without manual scales. */
export const fetchChanges = (db: Db, of: TriageQuestion): Promise<RecordedChange[]> =>
  read(
    db,
    of,
    CHANGES_FETCHED,
    `(source = any ($9::text[]) or source = $10 and event_type <> $11 and details ->> 'cluster_id' = $12)`,
    [DEPLOY_SOURCES, CONFIG_SOURCE, SCALE_TYPE, of.cluster.id],
  );

/** The newest manual scales. */
export const fetchScales = (db: Db, of: TriageQuestion): Promise<RecordedChange[]> =>
  read(db, of, SCALES_FETCHED, `source = $9 and event_type = $10 and details ->> 'cluster_id' = $11`, [
    CONFIG_SOURCE,
    SCALE_TYPE,
    of.cluster.id,
  ]);

export interface TriageQuestion {
  readonly cluster: ClusterInScope;
  readonly scope: ScopeFilter;
  /** When the alert fired. */
  readonly at: Date;
}

async function read(
  db: Db,
  { cluster, scope, at }: TriageQuestion,
  limit: number,
  condition: string,
  values: readonly unknown[],
): Promise<RecordedChange[]> {
  const since = new Date(at.getTime() - REACH_MS);
  const { rows } = await db.query<RecordedChange>(`${RECORDS} and ${condition} ${NEWEST}`, [
    cluster.client_id,
    cluster.environment_id,
    since,
    at,
    limit,
    ...scopeParameters(scope),
    ...values,
  ]);
  return rows;
}
