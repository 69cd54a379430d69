/** Reads of the thirteen kinds for the API. */

import { writeCursor } from '../../rules/query/list.ts';
import type { Kind } from '../../wire/kinds/define.ts';
import { isoTime } from '../isoTime.ts';
import type { Paged } from '../page.ts';
import type { Db } from '../pool.ts';
import type { ClusterInScope } from '../scope.ts';
import { recordFields } from './columns.ts';
import type { Bind, ListRequest } from './listSql.ts';
import { selectAll, selectCount, selectOne, selectWindow } from './listSql.ts';

/** A row as the REST body carries it: the kind's fields, `id`, the link column and `synced_at`; times as text. */
export type InventoryObject = Readonly<Record<string, unknown>>;

export interface Window extends Paged<InventoryObject> {
  /** Where the default order goes on behind these rows; null at its end and in any other order. */
  readonly nextCursor: string | null;
}

/** The whole list in its default order. */
export async function listAll(db: Db, cluster: ClusterInScope, kind: Kind): Promise<InventoryObject[]> {
  const { rows } = await db.query<Record<string, unknown>>({
    name: `list_${kind.name}`,
    text: selectAll(kind),
    values: [cluster.id],
  });
  return rows.map((row) => toObject(kind, row));
}

/** One window of a list; `total` counts all rows of the request. `owner` narrows the rows `t` further. */
export async function listWindow(
  db: Db,
  cluster: ClusterInScope,
  kind: Kind,
  request: ListRequest,
  owner?: (bind: Bind) => string,
): Promise<Window> {
  const { text, values } = selectWindow(kind, cluster.id, request, owner);
  const found = await db.query<Record<string, unknown>>(text, [...values]);
  const { window } = request;
  const rows = found.rows.slice(0, window.perPage);
  const more = found.rows.length > rows.length;
  const last = rows.at(-1);
  const nextCursor = more && last !== undefined && request.sort === null ? writeCursor(kind, last) : null;
  const before = 'page' in window ? (window.page - 1) * window.perPage : null;
  // The last page of a list tells its length.
  const isLast = before !== null && !more && (before === 0 || rows.length > 0);
  const total = isLast ? before + rows.length : await count(db, cluster, kind, request, owner);
  return { rows: rows.map((row) => toObject(kind, row)), total, nextCursor };
}

async function count(
  db: Db,
  cluster: ClusterInScope,
  kind: Kind,
  request: ListRequest,
  owner?: (bind: Bind) => string,
): Promise<number> {
  const { text, values } = selectCount(kind, cluster.id, request, owner);
  const { rows } = await db.query<{ total: number }>(text, [...values]);
  return rows[0]?.total ?? 0;
}

/** The object of that id (a UUID) in this cluster; null when the cluster has none. */
export async function getObject(
  db: Db,
  cluster: ClusterInScope,
  kind: Kind,
  id: string,
): Promise<InventoryObject | null> {
  const { rows } = await db.query<Record<string, unknown>>({
    name: `get_${kind.name}`,
    text: selectOne(kind),
    values: [cluster.id, id],
  });
  return rows[0] === undefined ? null : toObject(kind, rows[0]);
}

/** Rows come from these queries alone, so they are turned in place. */
function toObject(kind: Kind, row: Record<string, unknown>): InventoryObject {
  row.synced_at = isoTime(row.synced_at as Date);
  for (const [column, field] of recordFields(kind)) {
    const value = row[column];
    if (field.column === 'timestamptz' && value instanceof Date) row[column] = isoTime(value);
  }
  return row;
}
