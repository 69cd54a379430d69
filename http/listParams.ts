/** Query parameters of the resource lists, from the kind table (AP-20 to AP-28, AP-37 to AP-42, U-35). */

import type { Labels, Place, Read, Sort } from '../rules/query/list.ts';
import { readCursor, readLabels, readSearch, readSort } from '../rules/query/list.ts';
import type { ListRequest } from '../store/inventory/listSql.ts';
import { filterColumns } from '../store/inventory/listSql.ts';
import type { Kind } from '../wire/kinds/define.ts';
import type { Param, Params, QueryOf } from './params.ts';
import { listPages, pageOf, textParam } from './params.ts';
import type { Refusal } from './refusal.ts';
import { invalidParam } from './refusal.ts';

/** A parameter whose rule says what is wrong with a text. */
const ruled = <T>(definition: {
  readonly description: string;
  readonly schema: Param<T>['schema'];
  readonly rule: (text: string) => Read<T>;
}): Param<T | null> => ({
  description: definition.description,
  schema: definition.schema,
  absent: null,
  read(text) {
    const outcome = definition.rule(text);
    return outcome.ok ? outcome.value : undefined;
  },
  problem(text) {
    const outcome = definition.rule(text);
    return outcome.ok ? '' : outcome.problem;
  },
});

const search = ruled<string | null>({
  description: 'Only objects whose name or namespace contains this, in any case, read literally.',
  schema: { type: 'string', maxLength: 100 },
  rule: readSearch,
});

const labels = ruled<Labels | null>({
  description: 'Only objects with these labels: key=value, several separated by commas.',
  schema: { type: 'string' },
  rule: readLabels,
});

const sortOf = (kind: Kind): Param<Sort | null> => {
  const keys = Object.keys(kind.sortKeys);
  return ruled<Sort>({
    description: 'Order: one of the keys, with - in front for descending; rows without a value come last.',
    schema: { type: 'string', enum: keys.flatMap((key) => [key, `-${key}`]) },
    rule: (text) => readSort(kind.sortKeys, text),
  });
};

const cursorOf = (kind: Kind): Param<Place | null> =>
  ruled<Place>({
    description:
      'Continues the default order behind the row that meta.next_cursor of the page before stood for; instead of page.',
    schema: { type: 'string' },
    rule: (text) => readCursor(kind, text),
  });

type ListParams = typeof listPages & {
  readonly cursor: Param<Place | null>;
  readonly q: Param<string | null>;
  readonly sort: Param<Sort | null>;
  readonly labels: Param<Labels | null>;
};

/** The parameters of a kind's list. Those that a kind does not have are left out, and read as undefined. */
export function listParams(kind: Kind): ListParams {
  const searchable = Object.keys(kind.sortKeys).length > 0;
  const params: Params = {
    ...listPages,
    cursor: cursorOf(kind),
    ...Object.fromEntries(filterColumns(kind).map((column) => [column, textParam(`Only this ${column}.`)])),
    ...('labels' in kind.fields ? { labels } : {}),
    ...(searchable ? { q: search, sort: sortOf(kind) } : {}),
  };
  return params as ListParams;
}

/** The request that the parameters make up; a cursor stands for a place in the default order and in no other. */
export function listRequest(
  kind: Kind,
  query: QueryOf<ListParams>,
  given: URLSearchParams,
): ListRequest | Refusal {
  const sort = query.sort ?? null;
  if (query.cursor !== null && (sort !== null || given.has('page'))) {
    return invalidParam('cursor', 'goes with the default order: leave out page and sort');
  }
  const values = query as Readonly<Record<string, unknown>>;
  return {
    filters: Object.fromEntries(
      filterColumns(kind).flatMap((column) => {
        const value = values[column];
        return typeof value === 'string' ? [[column, value]] : [];
      }),
    ),
    labels: query.labels ?? null,
    search: query.q ?? null,
    sort,
    window: query.cursor === null ? pageOf(query) : { after: query.cursor, perPage: query.per_page },
  };
}
