/** Change records in `change_events`, as a sync writes them (CH-04 to CH-10). */

import type { Sight } from '../rules/facts/lifecycle.ts';
import type { ChangeRecord } from '../rules/facts/record.ts';
import { CONFIG_SOURCE } from '../rules/facts/record.ts';
import type { Db } from './pool.ts';

/** The cluster that records belong to, by whose client and environment they are read. */
export interface RecordedCluster {
  readonly id: string;
  readonly name: string;
  readonly client_id: string;
  readonly environment_id: string;
}

/** What is recorded of a snapshot, for whom and as of when. */
export interface Recording {
  readonly cluster: RecordedCluster;
  /** Time of the snapshot for facts and records, as the fence gives it. */
  readonly at: Date;
  /** For `synced_at` (ISO). */
  readonly syncedAt: string;
  /** What the snapshot before saw; null while the life of workloads is not recorded. */
  readonly lifecycle: Sight | null;
}

/** Writes records of one snapshot, with its time, not that of its processing (CH-07). */
export async function insertChanges(
  db: Db,
  { cluster, at }: Recording,
  records: readonly ChangeRecord[],
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
