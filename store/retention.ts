/** Rows that leave because of their age (ST-04, X-41, U-17, CH-41): one bounded batch a call. */

import type { Db } from './pool.ts';

/** Most rows of one statement: a tenth of a second, so that nobody waits for it. */
export const BATCH_ROWS = 5_000;

/**
 * Deletes Kubernetes events last seen before `before`; one without that time is as old as its row. Rows that a sync
 * is writing are left for the next time: waiting for one could lock out another that waits for us.
 */
export async function deleteOldEvents(db: Db, before: Date): Promise<number> {
  const { rowCount } = await db.query(
    `delete from k8s_events where id in (
       select id from k8s_events where coalesce(last_seen_at, synced_at) < $1::timestamptz
       limit $2 for update skip locked)`,
    [before, BATCH_ROWS],
  );
  return rowCount ?? 0;
}

/** Deletes change records of every source that happened before `before`, client by client along the index. */
export async function deleteOldChanges(db: Db, before: Date): Promise<number> {
  const { rowCount } = await db.query(
    `delete from change_events where id in (
       select old.id from clients c cross join lateral (
         select id from change_events where client_id = c.id and coalesce(scanned_at, created_at) < $1::timestamptz
         order by coalesce(scanned_at, created_at) limit $2) as old
       limit $2)`,
    [before, BATCH_ROWS],
  );
  return rowCount ?? 0;
}
