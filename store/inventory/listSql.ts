/** Text of the list queries, from the kind table. Pure; identifiers come from the table, values are parameters. */

import type { Labels, Place, Sort } from '../../rules/query/list.ts';
import type { Kind, SortKey } from '../../wire/kinds/define.ts';
import type { Page } from '../page.ts';
import { linkColumn, recordFields } from './columns.ts';

/** Columns that a list can be narrowed to one value of, where its kind has them (AP-37 to AP-42). */
const FILTERS = ['namespace', 'kind', 'phase', 'type'];

export const filterColumns = (kind: Kind): string[] => FILTERS.filter((column) => column in kind.fields);

/** What a list is asked for. The parts narrow each other. */
export interface ListRequest {
  /** Value by column; only those of `filterColumns`. */
  readonly filters: Readonly<Record<string, string>>;
  readonly labels: Labels | null;
  /** A part of the name or of the namespace, in any case. */
  readonly search: string | null;
  /** Null for the kind's own order. */
  readonly sort: Sort | null;
  /** A page, or the rows behind a place in the default order. */
  readonly window: Page | { readonly after: Place; readonly perPage: number };
}

/** A query's text with the values of its parameters. */
export interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Writes a value into the parameters and answers its placeholder. */
export type Bind = (value: unknown) => string;

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

const columnsOf = (kind: Kind): string =>
  answerColumns(kind)
    .map((column) => `t.${column}`)
    .join(', ');

/** The whole list in its default order. $1 cluster. */
export const selectAll = (kind: Kind): string =>
  `select ${columnsOf(kind)} from ${kind.table} t where t.cluster_id = $1 order by ${defaultOrder(kind)}`;

/** $1 cluster, $2 id. */
export const selectOne = (kind: Kind): string =>
  `select ${columnsOf(kind)} from ${kind.table} t where t.cluster_id = $1 and t.id = $2`;

/**
 * One window of a list, with one row more than asked for, which tells that there is more. `owner` adds a condition on
 * the rows `t`. The id ends every order, so that pages neither repeat nor skip (AP-25).
 */
export function selectWindow(
  kind: Kind,
  clusterId: string,
  request: ListRequest,
  owner?: (bind: Bind) => string,
): Query {
  const { values, bind } = binding();
  const conditions = conditionsOf(kind, clusterId, request, bind, owner);
  const { window } = request;
  if ('after' in window) {
    const place = [...kind.order, 'id'].map((column) => `t.${column}`).join(', ');
    conditions.push(`(${place}) > (${window.after.map(bind).join(', ')})`);
  }
  const offset =
    'page' in window && window.page > 1 ? ` offset ${bind((window.page - 1) * window.perPage)}` : '';
  const order = request.sort === null ? defaultOrder(kind) : sortOrder(kind, request.sort);
  // The page is chosen by narrow columns, which an index may hold, and only its rows are read whole.
  const chosen = `select t.id from ${kind.table} t where ${conditions.join(' and ')}
    order by ${order} limit ${bind(window.perPage + 1)}${offset}`;
  const text = `select ${columnsOf(kind)} from (${chosen}) chosen join ${kind.table} t on t.id = chosen.id
    order by ${order}`;
  return { text, values };
}

/** How many rows the list has, all its windows together. */
export function selectCount(
  kind: Kind,
  clusterId: string,
  request: ListRequest,
  owner?: (bind: Bind) => string,
): Query {
  const { values, bind } = binding();
  const conditions = conditionsOf(kind, clusterId, request, bind, owner);
  return {
    text: `select count(*) as total from ${kind.table} t where ${conditions.join(' and ')}`,
    values,
  };
}

/** Parameters of a query that is being written; `first` are there already. */
export function binding(first: readonly unknown[] = []): { values: unknown[]; bind: Bind } {
  const values = [...first];
  return { values, bind: (value) => `$${values.push(value)}` };
}

function conditionsOf(
  kind: Kind,
  clusterId: string,
  request: ListRequest,
  bind: Bind,
  owner?: (bind: Bind) => string,
): string[] {
  const conditions = [`t.cluster_id = ${bind(clusterId)}`];
  if (owner !== undefined) conditions.push(owner(bind));
  for (const [column, value] of Object.entries(request.filters)) {
    if (!filterColumns(kind).includes(column))
      throw new RangeError('a list is filtered by an unknown column');
    conditions.push(`t.${column} = ${bind(value)}`);
  }
  if (request.labels !== null) conditions.push(`t.labels @> ${bind(JSON.stringify(request.labels))}::jsonb`);
  if (request.search !== null) {
    // strpos reads its text literally: no character of it is a pattern (AP-21).
    const part = `lower(${bind(request.search)})`;
    conditions.push(`(strpos(lower(t.name), ${part}) > 0 or strpos(lower(t.namespace), ${part}) > 0)`);
  }
  return conditions;
}

const defaultOrder = (kind: Kind): string => [...kind.order, 'id'].map((column) => `t.${column}`).join(', ');

/** The sort key's column, then namespace, name and id. Throws RangeError for a key that the kind lacks (AP-36). */
function sortOrder(kind: Kind, { key, descending }: Sort): string {
  const sortKey = Object.hasOwn(kind.sortKeys, key) ? kind.sortKeys[key] : undefined;
  if (sortKey === undefined) throw new RangeError('a list is sorted by an unknown key');
  return [...directed(kind, sortKey, descending), 't.namespace', 't.name', 't.id'].join(', ');
}

/** One octet of a dotted address as PostgreSQL's inet reads it, without leading zeros. */
const OCTET = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const IPV4 = `'^${OCTET}(\\.${OCTET}){3}$'`;

function directed(kind: Kind, { columns, as }: SortKey, descending: boolean): string[] {
  const [first = ''] = columns;
  const names = columns.map((column) => `t.${column}`);
  const value = names.length > 1 ? `coalesce(${names.join(', ')})` : (names[0] ?? '');
  const direction = descending === (as === 'age') ? 'asc' : 'desc';
  if (as === 'address') {
    // The case keeps the cast away from texts such as None, whatever the planner evaluates first (AP-31).
    const isIpv4 = `${value} ~ ${IPV4}`;
    return [
      `(${value} is null)`,
      `(case when ${isIpv4} then 0 else 1 end) ${direction}`,
      `(case when ${isIpv4} then ${value}::inet end) ${direction}`,
      `${value} collate "C" ${direction}`,
    ];
  }
  // By bytes, like every other order here: the same on every machine.
  const collated = kind.fields[first]?.column === 'text' ? `${value} collate "C"` : value;
  return [`${collated} ${direction} nulls last`];
}
