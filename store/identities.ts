/** Which caller stands behind a subject of an OIDC issuer (contracts.md section 5). */

import { isoTime, isoTimeOrNull } from './isoTime.ts';
import type { Db } from './pool.ts';

export interface CallerIdentity {
  readonly id: string;
  readonly caller_id: string;
  readonly issuer: string;
  readonly subject: string;
  readonly created_at: string;
  /** Within a minute of the last use. */
  readonly last_used_at: string | null;
}

type Row = Omit<CallerIdentity, 'created_at' | 'last_used_at'> & {
  created_at: Date;
  last_used_at: Date | null;
};

const COLUMNS = 'i.id, i.caller_id, i.issuer, i.subject, i.created_at, i.last_used_at';

const toIdentity = (row: Row): CallerIdentity => ({
  ...row,
  created_at: isoTime(row.created_at),
  last_used_at: isoTimeOrNull(row.last_used_at),
});

/** Identities of one caller, the oldest first. */
export async function listIdentities(db: Db, callerId: string): Promise<CallerIdentity[]> {
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from caller_identities i where i.caller_id = $1 order by i.created_at, i.id`,
    [callerId],
  );
  return rows.map(toIdentity);
}

/** The new identity; null when some caller has it. */
export async function createIdentity(
  db: Db,
  identity: { caller_id: string; issuer: string; subject: string },
): Promise<CallerIdentity | null> {
  const { rows } = await db.query<Row>(
    `insert into caller_identities as i (caller_id, issuer, subject) values ($1, $2, $3)
     on conflict (issuer, subject) do nothing
     returning ${COLUMNS}`,
    [identity.caller_id, identity.issuer, identity.subject],
  );
  return rows[0] === undefined ? null : toIdentity(rows[0]);
}

/** Takes an identity of that caller away. False when there was none. */
export async function deleteIdentity(db: Db, callerId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from caller_identities where id = $1 and caller_id = $2', [
    id,
    callerId,
  ]);
  return rowCount === 1;
}
