/** Hosts that nodes are linked to (LK-01). A collector is an agent, never a host (EN-07). */

import type { Pql } from '../rules/pql/parse.ts';
import { fieldsIn } from '../rules/pql/parse.ts';
import type { Bind } from './inventory/listSql.ts';
import { binding } from './inventory/listSql.ts';
import { isoTime } from './isoTime.ts';
import type { Page, Paged } from './page.ts';
import { pageParameters } from './page.ts';
import type { Db } from './pool.ts';
import { conditionOf, HOST_FIELDS } from './pqlSql.ts';
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

/**
 * Hosts in the scope, by name. A query that asks for a cluster finds hosts that are its nodes, each once (PQ-01, PQ-06);
 * a link whose host has moved to another environment counts for nothing (LK-06).
 */
export async function listHosts(
  db: Db,
  scope: ScopeFilter,
  page: Page,
  pql: Pql | null = null,
): Promise<Paged<Host>> {
  const { values, bind } = binding(scopeParameters(scope));
  const condition = pql === null ? '' : ` and ${hostCondition(pql, bind)}`;
  const where = `${scopeCondition('h', 1)}${condition}`;
  const counted = await db.query<{ total: number }>(`select count(*) as total from hosts h where ${where}`, [
    ...values,
  ]);
  const [limit, offset] = pageParameters(page).map(bind);
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from hosts h where ${where} order by h.hostname, h.id limit ${limit} offset ${offset}`,
    values,
  );
  return { rows: rows.map(toHost), total: counted.rows[0]?.total ?? 0 };
}

function hostCondition(pql: Pql, bind: Bind): string {
  const condition = conditionOf(pql, HOST_FIELDS, bind);
  const asksForCluster = [...fieldsIn(pql)].some((field) => field.startsWith('cluster.'));
  if (!asksForCluster) return condition;
  return `exists (
    select from k8s_nodes n join clusters k on k.id = n.cluster_id
    where n.host_id = h.id and k.environment_id = h.environment_id and ${condition})`;
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
