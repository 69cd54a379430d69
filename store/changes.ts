/** Change records in `change_events`, as a sync writes them (CH-04 to CH-10). */

import type { ChangeRecord } from '../rules/facts/record.ts';
import type { Db } from './pool.ts';

/** `source` of everything that a sync records. */
export const CONFIG_SOURCE = 'k8s-config';

/** The cluster that records belong to, by whose client and environment they are read. */
export interface RecordedCluster {
  readonly id: string;
  readonly name: string;
  readonly client_id: string;
  readonly environment_id: string;
}

/** Writes records of one snapshot; `at` is its time, not that of its processing (CH-07). */
export async function insertChanges(
  db: Db,
  cluster: RecordedCluster,
  records: readonly ChangeRecord[],
  at: Date,
): Promise<void> {
  if (records.length === 0) return;
  const rows = records.map(({ event_type, summary, ...details }) => ({
    event_type,
    summary,
    details: { cluster_id: cluster.id, cluster: cluster.name, ...details },
  }));
  await db.query({
    name: 'insert_changes',
    text: `insert into change_events (client_id, environment_id, source, event_type, severity, summary, details, scanned_at)
           select $1, $2, $3, event_type, 'info', summary, details, $4
           from json_to_recordset($5::json) as sent (event_type text, summary text, details jsonb)`,
    values: [cluster.client_id, cluster.environment_id, CONFIG_SOURCE, at, JSON.stringify(rows)],
  });
}
