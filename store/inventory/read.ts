/** Reads of the thirteen kinds for the API. */

import type { Kind } from '../../wire/kinds/define.ts';
import { isoTime } from '../isoTime.ts';
import type { Page, Paged } from '../page.ts';
import { pageParameters } from '../page.ts';
import type { Db } from '../pool.ts';
import type { ClusterInScope } from '../scope.ts';
import { recordFields } from './columns.ts';
import { selectCount, selectList, selectOne } from './listSql.ts';

/** A row as the REST body carries it: the kind's fields, `id`, the link column and `synced_at`; times as text. */
export type InventoryObject = Readonly<Record<string, unknown>>;

/** One page of a kind in its default order; `page` null answers the whole list. */
export async function listObjects(
  db: Db,
  cluster: ClusterInScope,
  kind: Kind,
  page: Page | null,
): Promise<Paged<InventoryObject>> {
  const paging = page === null ? [] : pageParameters(page);
  const { rows } = await db.query<Record<string, unknown>>({
    name: `list_${kind.name}${page === null ? '' : '_page'}`,
    text: selectList(kind, page !== null),
    values: [cluster.id, ...paging],
  });
  const total = page === null ? rows.length : await countObjects(db, cluster, kind);
  return { rows: rows.map((row) => toObject(kind, row)), total };
}

async function countObjects(db: Db, cluster: ClusterInScope, kind: Kind): Promise<number> {
  const { rows } = await db.query<{ total: number }>({
    name: `count_${kind.name}`,
    text: selectCount(kind),
    values: [cluster.id],
  });
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

/** Rows come from this query alone, so they are turned in place. */
function toObject(kind: Kind, row: Record<string, unknown>): InventoryObject {
  row.synced_at = isoTime(row.synced_at as Date);
  for (const [column, field] of recordFields(kind)) {
    const value = row[column];
    if (field.column === 'timestamptz' && value instanceof Date) row[column] = isoTime(value);
  }
  return row;
}
