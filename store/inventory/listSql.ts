/** Text of the list queries, from the kind table. Pure. */

import type { Kind } from '../../wire/kinds/define.ts';
import { linkColumn, recordFields } from './columns.ts';

/** Columns of an answer: the record, the id of the row that it refers to, and when the row last changed. */
export const answerColumns = (kind: Kind): string[] => {
  const link = linkColumn(kind);
  return [
    'id',
    ...recordFields(kind).map(([column]) => column),
    ...(link === null ? [] : [link]),
    'synced_at',
  ];
};

/** $1 cluster, then $2 limit and $3 offset when paged. The id breaks ties, so that pages neither repeat nor skip. */
export function selectList(kind: Kind, paged: boolean): string {
  const order = [...kind.order, 'id'].join(', ');
  const window = paged ? ' limit $2 offset $3' : '';
  return `select ${answerColumns(kind).join(', ')} from ${kind.table} where cluster_id = $1 order by ${order}${window}`;
}

/** $1 cluster. */
export const selectCount = (kind: Kind): string =>
  `select count(*) as total from ${kind.table} where cluster_id = $1`;

/** $1 cluster, $2 id. */
export const selectOne = (kind: Kind): string =>
  `select ${answerColumns(kind).join(', ')} from ${kind.table} where cluster_id = $1 and id = $2`;
