/** Roles on scopes, per caller (contracts.md section 5). */

import type { Grant, Role } from '../rules/access.ts';
import { isoTime } from './isoTime.ts';
import type { Db } from './pool.ts';

export interface GrantRow extends Grant {
  readonly id: string;
  readonly caller_id: string;
  readonly created_at: string;
}

type Row = Omit<GrantRow, 'created_at'> & { created_at: Date };
const COLUMNS = 'g.id, g.caller_id, g.role, g.client_id, g.environment_id, g.created_at';
const toGrant = (row: Row): GrantRow => ({ ...row, created_at: isoTime(row.created_at) });

/** Grants of one caller, the oldest first. */
export async function listGrants(db: Db, callerId: string): Promise<GrantRow[]> {
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from grants g where g.caller_id = $1 order by g.created_at, g.id`,
    [callerId],
  );
  return rows.map(toGrant);
}

export type CreatedGrant =
  | { readonly kind: 'created'; readonly grant: GrantRow }
  | { readonly kind: 'exists' }
  | { readonly kind: 'no_scope' };

/**
 * Gives a caller a role. An environment is named by its id alone and brings its client along; `no_scope` when the
 * client or the environment does not exist, or does not belong to the client that is named beside it.
 */
export async function createGrant(
  db: Db,
  grant: { caller_id: string; role: Role; client_id: string | null; environment_id: string | null },
): Promise<CreatedGrant> {
  const scope = await resolveScope(db, grant);
  if (scope === null) return { kind: 'no_scope' };
  const { rows } = await db.query<Row>(
    `insert into grants as g (caller_id, role, client_id, environment_id) values ($1, $2, $3, $4)
     on conflict (caller_id, role, client_id, environment_id) do nothing
     returning ${COLUMNS}`,
    [grant.caller_id, grant.role, scope.client_id, scope.environment_id],
  );
  return rows[0] === undefined ? { kind: 'exists' } : { kind: 'created', grant: toGrant(rows[0]) };
}

type GrantScope = Pick<Grant, 'client_id' | 'environment_id'>;

async function resolveScope(db: Db, scope: GrantScope): Promise<GrantScope | null> {
  if (scope.client_id === null && scope.environment_id === null) return scope;
  const { rows } = await db.query<GrantScope>(
    scope.environment_id === null
      ? 'select id as client_id, null as environment_id from clients where id = $1 and $2::uuid is null'
      : `select client_id, id as environment_id from environments
         where id = $2 and ($1::uuid is null or client_id = $1)`,
    [scope.client_id, scope.environment_id],
  );
  return rows[0] ?? null;
}

/** Takes a grant of that caller back. False when there was none. */
export async function deleteGrant(db: Db, callerId: string, grantId: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from grants where id = $1 and caller_id = $2', [
    grantId,
    callerId,
  ]);
  return rowCount === 1;
}
