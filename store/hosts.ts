/** Hosts that nodes are linked to (LK-01). A collector is an agent, never a host (EN-07). */

import { isoTime } from './isoTime.ts';
import type { Page, Paged } from './page.ts';
import { pageParameters } from './page.ts';
import type { Db } from './pool.ts';
import type { ScopeFilter } from './scope.ts';
import { scopeCondition, scopeParameters } from './scope.ts';

export interface Host {
  readonly id: string;
  readonly client_id: string;
  readonly environment_id: string;
  readonly hostname: string;
  readonly ip_address: string | null;
  readonly os: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

type Row = Omit<Host, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date };

const COLUMNS =
  'h.id, h.client_id, h.environment_id, h.hostname, h.ip_address, h.os, h.created_at, h.updated_at';

const toHost = (row: Row): Host => ({
  ...row,
  created_at: isoTime(row.created_at),
  updated_at: isoTime(row.updated_at),
});

/** Hosts in the scope, by name. */
export async function listHosts(db: Db, scope: ScopeFilter, page: Page): Promise<Paged<Host>> {
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from hosts h where ${scopeCondition('h', 1)}
     order by h.hostname, h.id
     limit $4 offset $5`,
    [...scopeParameters(scope), ...pageParameters(page)],
  );
  const total = await db.query<{ total: number }>(
    `select count(*) as total from hosts h where ${scopeCondition('h', 1)}`,
    scopeParameters(scope),
  );
  return { rows: rows.map(toHost), total: total.rows[0]?.total ?? 0 };
}

/** The host of that id (a UUID). */
export async function findHost(db: Db, id: string): Promise<Host | null> {
  const { rows } = await db.query<Row>(`select ${COLUMNS} from hosts h where h.id = $1`, [id]);
  return rows[0] === undefined ? null : toHost(rows[0]);
}

/** The new host; null when its environment has one of that name. */
export async function createHost(
  db: Db,
  host: {
    client_id: string;
    environment_id: string;
    hostname: string;
    ip_address: string | null;
    os: string | null;
  },
): Promise<Host | null> {
  const { rows } = await db.query<Row>(
    `insert into hosts as h (client_id, environment_id, hostname, ip_address, os) values ($1, $2, $3, $4, $5)
     on conflict (environment_id, hostname) do nothing
     returning ${COLUMNS}`,
    [host.client_id, host.environment_id, host.hostname, host.ip_address, host.os],
  );
  return rows[0] === undefined ? null : toHost(rows[0]);
}

/** Removes a host; nodes that were linked to it lose the link. */
export async function deleteHost(db: Db, id: string): Promise<void> {
  await db.query('delete from hosts where id = $1', [id]);
}
