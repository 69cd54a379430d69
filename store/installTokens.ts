/** Install tokens: bound to one environment, maybe to one cluster; short-lived, counted, revocable (contracts.md section 4). */

import { isoTime, isoTimeOrNull } from './isoTime.ts';
import type { Page, Paged } from './page.ts';
import { pageParameters } from './page.ts';
import type { Db } from './pool.ts';
import type { ScopeFilter } from './scope.ts';
import { scopeCondition, scopeParameters } from './scope.ts';
import { hashSecret, newSecret } from './secrets.ts';

/** What a list shows; the token itself is shown once, when it is made. */
export interface InstallToken {
  readonly id: string;
  readonly client_id: string;
  readonly environment_id: string;
  /** Null: any cluster of the environment. */
  readonly cluster_slug: string | null;
  readonly max_agents: number;
  readonly agents_enrolled: number;
  readonly created_by: string | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly revoked_at: string | null;
}

type Row = Omit<InstallToken, 'created_at' | 'expires_at' | 'revoked_at'> & {
  created_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
};

const COLUMNS = `t.id, t.client_id, t.environment_id, t.cluster_slug, t.max_agents, t.agents_enrolled, t.created_by,
                 t.created_at, t.expires_at, t.revoked_at`;

const toToken = (row: Row): InstallToken => ({
  ...row,
  created_at: isoTime(row.created_at),
  expires_at: isoTime(row.expires_at),
  revoked_at: isoTimeOrNull(row.revoked_at),
});

/** The new token and its secret, which is stored as a hash and cannot be read again. */
export async function createInstallToken(
  db: Db,
  token: {
    client_id: string;
    environment_id: string;
    cluster_slug: string | null;
    max_agents: number;
    created_by: string | null;
    expires_at: Date;
  },
): Promise<{ row: InstallToken; secret: string }> {
  const secret = newSecret('pxi_');
  const { rows } = await db.query<Row>(
    `insert into install_tokens as t (client_id, environment_id, cluster_slug, max_agents, created_by, expires_at,
                                      token_hash)
     values ($1, $2, $3, $4, $5, $6, $7)
     returning ${COLUMNS}`,
    [
      token.client_id,
      token.environment_id,
      token.cluster_slug,
      token.max_agents,
      token.created_by,
      token.expires_at,
      hashSecret(secret),
    ],
  );
  return { row: toToken(rows[0] as Row), secret };
}

/** Tokens in the scope, the newest first. */
export async function listInstallTokens(
  db: Db,
  scope: ScopeFilter,
  page: Page,
): Promise<Paged<InstallToken>> {
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from install_tokens t where ${scopeCondition('t', 1)}
     order by t.created_at desc, t.id
     limit $4 offset $5`,
    [...scopeParameters(scope), ...pageParameters(page)],
  );
  const total = await db.query<{ total: number }>(
    `select count(*) as total from install_tokens t where ${scopeCondition('t', 1)}`,
    scopeParameters(scope),
  );
  return { rows: rows.map(toToken), total: total.rows[0]?.total ?? 0 };
}

/** The token of that id (a UUID). */
export async function findInstallToken(db: Db, id: string): Promise<InstallToken | null> {
  const { rows } = await db.query<Row>(`select ${COLUMNS} from install_tokens t where t.id = $1`, [id]);
  return rows[0] === undefined ? null : toToken(rows[0]);
}

/** Ends a token at once; one that was revoked before keeps its time. */
export async function revokeInstallToken(db: Db, id: string, at: Date): Promise<void> {
  await db.query('update install_tokens set revoked_at = coalesce(revoked_at, $2) where id = $1', [id, at]);
}

/** A token that is neither expired nor revoked, locked until the transaction ends; it may be spent. */
export interface UsableToken {
  readonly id: string;
  readonly client_id: string;
  readonly environment_id: string;
  readonly cluster_slug: string | null;
  /** True when every use is taken. */
  readonly spent: boolean;
}

/** Locks the token, so that two enrollments cannot take its last use. Null when unknown, expired or revoked. */
export async function lockUsableToken(db: Db, secret: string, now: Date): Promise<UsableToken | null> {
  const { rows } = await db.query<UsableToken>(
    `select id, client_id, environment_id, cluster_slug, agents_enrolled >= max_agents as spent
     from install_tokens
     where token_hash = $1 and revoked_at is null and expires_at > $2
     for no key update`,
    [hashSecret(secret), now],
  );
  return rows[0] ?? null;
}

/** Takes one use of a token locked by {@link lockUsableToken}. */
export async function countEnrollment(db: Db, tokenId: string): Promise<void> {
  await db.query('update install_tokens set agents_enrolled = agents_enrolled + 1 where id = $1', [tokenId]);
}
