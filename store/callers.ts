/** Callers and their tokens (contracts.md section 5). */

import { isoTime, isoTimeOrNull } from './isoTime.ts';
import type { Page, Paged } from './page.ts';
import { pageParameters } from './page.ts';
import type { Db } from './pool.ts';
import { hashSecret, newSecret } from './secrets.ts';

export type CallerType = 'user' | 'service';

export interface Caller {
  readonly id: string;
  readonly type: CallerType;
  readonly name: string;
  /** Set for users, null for services. */
  readonly email: string | null;
  readonly created_at: string;
}

type Row = Omit<Caller, 'created_at'> & { created_at: Date };
const COLUMNS = 'c.id, c.type, c.name, c.email, c.created_at';
const toCaller = (row: Row): Caller => ({ ...row, created_at: isoTime(row.created_at) });

/** Every caller, the oldest first. */
export async function listCallers(db: Db, page: Page): Promise<Paged<Caller>> {
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from callers c order by c.created_at, c.id limit $1 offset $2`,
    pageParameters(page),
  );
  const total = await db.query<{ total: number }>('select count(*) as total from callers');
  return { rows: rows.map(toCaller), total: total.rows[0]?.total ?? 0 };
}

/** The caller of that id (a UUID). */
export async function findCaller(db: Db, id: string): Promise<Caller | null> {
  const { rows } = await db.query<Row>(`select ${COLUMNS} from callers c where c.id = $1`, [id]);
  return rows[0] === undefined ? null : toCaller(rows[0]);
}

/** The new caller; null when the email is taken. */
export async function createCaller(
  db: Db,
  caller: { type: CallerType; name: string; email: string | null },
): Promise<Caller | null> {
  const { rows } = await db.query<Row>(
    `insert into callers as c (type, name, email) values ($1, $2, $3)
     on conflict (lower(email)) do nothing
     returning ${COLUMNS}`,
    [caller.type, caller.name, caller.email],
  );
  return rows[0] === undefined ? null : toCaller(rows[0]);
}

/** What a list shows of a token; the secret is shown once, when it is made. */
export interface CallerToken {
  readonly id: string;
  readonly caller_id: string;
  readonly name: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  /** Within a minute of the last use. */
  readonly last_used_at: string | null;
}

type TokenRow = Omit<CallerToken, 'created_at' | 'expires_at' | 'last_used_at'> & {
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
};

const TOKEN_COLUMNS = 't.id, t.caller_id, t.name, t.created_at, t.expires_at, t.last_used_at';

const toToken = (row: TokenRow): CallerToken => ({
  ...row,
  created_at: isoTime(row.created_at),
  expires_at: isoTimeOrNull(row.expires_at),
  last_used_at: isoTimeOrNull(row.last_used_at),
});

/** Tokens of one caller, the newest first. */
export async function listTokens(db: Db, callerId: string): Promise<CallerToken[]> {
  const { rows } = await db.query<TokenRow>(
    `select ${TOKEN_COLUMNS} from caller_tokens t where t.caller_id = $1 order by t.created_at desc, t.id`,
    [callerId],
  );
  return rows.map(toToken);
}

/** The new token and its secret, which is stored as a hash and cannot be read again. */
export async function createToken(
  db: Db,
  token: { caller_id: string; name: string; expires_at: Date | null; bootstrap?: boolean },
): Promise<{ row: CallerToken; secret: string }> {
  const secret = newSecret('pxt_');
  const { rows } = await db.query<TokenRow>(
    `insert into caller_tokens as t (caller_id, name, expires_at, bootstrap, token_hash)
     values ($1, $2, $3, $4, $5)
     returning ${TOKEN_COLUMNS}`,
    [token.caller_id, token.name, token.expires_at, token.bootstrap ?? false, hashSecret(secret)],
  );
  return { row: toToken(rows[0] as TokenRow), secret };
}

/**
 * A token in place of a living one: of its name, for as long as that one was made for. The old one ends at `endsAt`,
 * unless it ends before. Null when the caller has no such token, or it has ended.
 */
export async function rotateToken(
  db: Db,
  o: { callerId: string; tokenId: string; now: Date; endsAt: Date },
): Promise<{ row: CallerToken; secret: string } | null> {
  const secret = newSecret('pxt_');
  // One statement: two rotations at a time wait for each other's row, and a crash leaves the old token as it was.
  const { rows } = await db.query<TokenRow>(
    `with old as (
       update caller_tokens set expires_at = least(coalesce(expires_at, 'infinity'), $4)
       where id = $1 and caller_id = $2 and (expires_at is null or expires_at > $3)
       returning caller_id, name
     ), lifetime as (
       select expires_at - created_at as span from caller_tokens where id = $1
     )
     insert into caller_tokens as t (caller_id, name, expires_at, token_hash, created_at)
     select old.caller_id, old.name, $3::timestamptz + lifetime.span, $5, $3 from old, lifetime
     returning ${TOKEN_COLUMNS}`,
    [o.tokenId, o.callerId, o.now, o.endsAt, hashSecret(secret)],
  );
  return rows[0] === undefined ? null : { row: toToken(rows[0]), secret };
}

/** Ends a token of that caller, and the sessions that were opened with it. False when there was none. */
export async function deleteToken(db: Db, callerId: string, tokenId: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from caller_tokens where id = $1 and caller_id = $2', [
    tokenId,
    callerId,
  ]);
  return rowCount === 1;
}
