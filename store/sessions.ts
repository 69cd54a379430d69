/** Who stands behind a bearer token or a browser session (contracts.md section 5). */

import type { Grant } from '../rules/access.ts';
import type { CallerType } from './callers.ts';
import type { Db } from './pool.ts';
import { hashSecret, newSecret } from './secrets.ts';

/** An authenticated caller with everything that the access rules need. */
export interface Identity {
  readonly caller_id: string;
  readonly type: CallerType;
  readonly name: string;
  readonly email: string | null;
  /** The token presented, or the one that the session was opened with; null for a subject of an OIDC issuer. */
  readonly token_id: string | null;
  readonly grants: readonly Grant[];
}

interface IdentityRow extends Identity {
  readonly used_lately: boolean;
}

/** A use is recorded when the recorded one is older than this: one write a minute, not one a request. */
const USE_RECORDED_EVERY = "interval '1 minute'";

/** Everything about a caller `c`; `used` says when its credential was used last. */
const identityColumns = (used: string): string => `
  c.id as caller_id, c.type, c.name, c.email,
  coalesce(${used} > $2::timestamptz - ${USE_RECORDED_EVERY}, false) as used_lately,
  coalesce((select json_agg(json_build_object('role', g.role, 'client_id', g.client_id,
                                              'environment_id', g.environment_id))
            from grants g where g.caller_id = c.id), '[]'::json) as grants`;

const SELECT_IDENTITY = `
  select t.id as token_id, ${identityColumns('t.last_used_at')}
  from caller_tokens t join callers c on c.id = t.caller_id`;

const TOKEN_LIVES = '(t.expires_at is null or t.expires_at > $2::timestamptz)';

/** The caller who holds this token; null when it is unknown or expired. Records the use. */
export async function identifyByToken(db: Db, token: string, now: Date): Promise<Identity | null> {
  const { rows } = await db.query<IdentityRow>(
    `${SELECT_IDENTITY} where t.token_hash = $1 and ${TOKEN_LIVES}`,
    [hashSecret(token), now],
  );
  return recordUse(db, rows[0], now);
}

/** The caller whose session this is; null when it has ended, or its token has. Records the use. */
export async function identifyBySession(db: Db, sessionId: string, now: Date): Promise<Identity | null> {
  const { rows } = await db.query<IdentityRow>(
    `${SELECT_IDENTITY} join sessions s on s.token_id = t.id
     where s.id_hash = $1 and s.expires_at > $2::timestamptz and ${TOKEN_LIVES}`,
    [hashSecret(sessionId), now],
  );
  return recordUse(db, rows[0], now);
}

/** The caller who is this subject at this issuer; null when nobody is. Records the use. */
export async function identifyBySubject(
  db: Db,
  issuer: string,
  subject: string,
  now: Date,
): Promise<Identity | null> {
  const { rows } = await db.query<IdentityRow>(
    `select null as token_id, ${identityColumns('i.last_used_at')}
     from caller_identities i join callers c on c.id = i.caller_id where i.issuer = $1 and i.subject = $3`,
    [issuer, now, subject],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { used_lately: usedLately, ...identity } = row;
  if (!usedLately) {
    await db.query(
      `update caller_identities set last_used_at = $3
       where issuer = $1 and subject = $2
         and (last_used_at is null or last_used_at <= $3::timestamptz - ${USE_RECORDED_EVERY})`,
      [issuer, subject, now],
    );
  }
  return identity;
}

async function recordUse(db: Db, row: IdentityRow | undefined, now: Date): Promise<Identity | null> {
  if (row === undefined) return null;
  const { used_lately: usedLately, ...identity } = row;
  if (!usedLately) {
    await db.query(
      `update caller_tokens set last_used_at = $2
       where id = $1 and (last_used_at is null or last_used_at <= $2::timestamptz - ${USE_RECORDED_EVERY})`,
      [identity.token_id, now],
    );
  }
  return identity;
}

/** Opens a session for a token and returns its id, which only the browser keeps. Clears ended sessions on the way. */
export async function openSession(db: Db, tokenId: string, now: Date, expiresAt: Date): Promise<string> {
  await db.query('delete from sessions where expires_at <= $1', [now]);
  const sessionId = newSecret('pxs_');
  await db.query('insert into sessions (id_hash, token_id, expires_at) values ($1, $2, $3)', [
    hashSecret(sessionId),
    tokenId,
    expiresAt,
  ]);
  return sessionId;
}

/** Ends a session; nothing happens when there is none. */
export async function closeSession(db: Db, sessionId: string): Promise<void> {
  await db.query('delete from sessions where id_hash = $1', [hashSecret(sessionId)]);
}
