/** Search over the workloads and pods of the whole fleet (PQL beyond the seeds; the scope is always added). */

import type { Pql } from '../rules/pql/parse.ts';
import type { Kind } from '../wire/kinds/define.ts';
import { pods, workloads } from '../wire/kinds/index.ts';
import { answerColumns, binding } from './inventory/listSql.ts';
import { isoTime } from './isoTime.ts';
import type { Page, Paged } from './page.ts';
import { pageParameters } from './page.ts';
import type { Db } from './pool.ts';
import type { PqlFieldTable } from './pqlSql.ts';
import { conditionOf, POD_FIELDS, WORKLOAD_FIELDS } from './pqlSql.ts';
import type { ScopeFilter } from './scope.ts';
import { scopeCondition, scopeParameters } from './scope.ts';

/** What can be searched for. */
export const SUBJECTS = {
  workloads: { kind: workloads as Kind, fields: WORKLOAD_FIELDS },
  pods: { kind: pods as Kind, fields: POD_FIELDS },
} as const satisfies Record<string, { kind: Kind; fields: PqlFieldTable }>;

export type Subject = keyof typeof SUBJECTS;

/** The object as its list has it, with where it is and how old that is. */
export type Found = Readonly<Record<string, unknown>>;

/** One page of what the query finds, by cluster, then in the kind's own order. */
export async function searchFleet(
  db: Db,
  scope: ScopeFilter,
  subject: Subject,
  pql: Pql,
  page: Page,
): Promise<Paged<Found>> {
  const { kind, fields } = SUBJECTS[subject];
  const { values, bind } = binding(scopeParameters(scope));
  const order = ['k.name', 'k.id', ...kind.order.map((column) => `t.${column}`), 't.id'].join(', ');
  const columns = answerColumns(kind).map((column) => `t.${column}`);
  const condition = conditionOf(pql, fields, bind);
  const [limit, offset] = pageParameters(page).map(bind);
  // Every candidate is looked at once, for the count and the page alike; the rows of the page are then read whole.
  const { rows } = await db.query<Record<string, unknown> & { total: number; id: string | null }>(
    `with found as materialized (
       select t.id, t.cluster_id, ${kind.order.map((column) => `t.${column}`).join(', ')}
       from ${kind.table} t join clusters k on k.id = t.cluster_id
       where ${scopeCondition('k', 1)} and ${condition}
     ), page as (
       select t.id, t.cluster_id from found t join clusters k on k.id = t.cluster_id
       order by ${order} limit ${limit} offset ${offset}
     )
     select c.total, ${columns.join(', ')}, k.id as cluster_id, k.name as cluster_name, k.snapshot_at as as_of
     from (select count(*) as total from found) c
     left join (page join ${kind.table} t on t.id = page.id join clusters k on k.id = page.cluster_id) on true
     order by ${order}`,
    values,
  );
  const total = rows[0]?.total ?? 0;
  const found = rows.filter(({ id }) => id !== null).map(({ total: _, ...row }) => row);
  return { rows: found.map(withTextTimes), total };
}

const withTextTimes = (row: Record<string, unknown>): Found =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, value instanceof Date ? isoTime(value) : value]),
  );
