/** Deliveries that were begun and had no outcome (contracts.md section 2). */

import type { Db } from './pool.ts';

/** The stream keeps a message for 24 h, so an older row belongs to a sequence number of an earlier stream. */
const STALE = "interval '25 hours'";

/** Counts one more attempt at the message of this stream sequence, committed at once, and returns how many there were. */
export async function recordAttempt(db: Db, sequence: number, at: Date): Promise<number> {
  const { rows } = await db.query<{ attempts: number }>(
    `insert into ingest_attempts as a (stream_sequence, attempts, updated_at)
     values ($1, 1, $2::timestamptz)
     on conflict (stream_sequence) do update
     set attempts = case when a.updated_at < $2::timestamptz - ${STALE} then 1 else a.attempts + 1 end,
         updated_at = $2::timestamptz
     returning attempts`,
    [sequence, at],
  );
  return rows[0]?.attempts ?? 1;
}

/** The message has an outcome. Takes rows along that no message can have any more. */
export async function forgetAttempts(db: Db, sequence: number, at: Date): Promise<void> {
  await db.query(
    `delete from ingest_attempts where stream_sequence = $1 or updated_at < $2::timestamptz - ${STALE}`,
    [sequence, at],
  );
}
