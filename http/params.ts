/** Query parameters: how each is read, and its schema for the OpenAPI document. */

import type { Page } from '../store/page.ts';
import type { Schema } from '../wire/kinds/define.ts';
import type { Refusal } from './refusal.ts';
import { invalidParam, isRefusal, refuse } from './refusal.ts';
import { isLocalPath } from './signInFirst.ts';
import { isUuid } from './uuid.ts';

/** One parameter. `read` answers undefined for a text that it cannot read; `problem` then completes "page …". */
export interface Param<T> {
  readonly schema: Schema;
  readonly description: string;
  readonly problem: string | ((text: string) => string);
  readonly absent: T;
  /** True for the description of one that has to be given; `absent` is then never used. */
  readonly required?: true;
  readonly read: (text: string) => T | undefined;
}

export type Params = Readonly<Record<string, Param<unknown>>>;

/** The values of a set of parameters. */
export type QueryOf<P extends Params> = { readonly [K in keyof P]: P[K] extends Param<infer T> ? T : never };

/**
 * Reads the parameters that a route knows and ignores the others. A parameter given twice is refused: picking
 * one of two values in silence answers a question that nobody asked.
 */
export function readQuery<P extends Params>(params: P, search: URLSearchParams): QueryOf<P> | Refusal {
  const values: Record<string, unknown> = {};
  for (const [name, param] of Object.entries(params)) {
    const [text, ...more] = search.getAll(name);
    if (more.length > 0) return invalidParam(name, 'is given more than once');
    if (text === undefined && param.required) return invalidParam(name, 'is missing');
    const value = text === undefined ? param.absent : param.read(text);
    if (value === undefined) {
      const { problem } = param;
      return invalidParam(name, typeof problem === 'string' ? problem : problem(text ?? ''));
    }
    values[name] = value;
  }
  return values as QueryOf<P>;
}

/**
 * Reads a closed set of parameters: one that is unknown, empty or repeated is refused like one that cannot be read,
 * with `bad_request`.
 */
export function readClosedQuery<P extends Params>(params: P, search: URLSearchParams): QueryOf<P> | Refusal {
  for (const [name, text] of search) {
    if (!Object.hasOwn(params, name)) return refuse(400, 'bad_request', 'a parameter is unknown');
    if (text === '') return badParam(name, 'is empty');
  }
  const read = readQuery(params, search);
  return isRefusal(read) ? { ...read, code: 'bad_request' } : read;
}

const badParam = (parameter: string, problem: string): Refusal =>
  refuse(400, 'bad_request', `${parameter} ${problem}`, { details: { parameter } });

const positive = (absent: number, maximum: number, description: string): Param<number> => ({
  schema: { type: 'integer', minimum: 1, default: absent },
  description,
  problem: 'must be an integer of 1 or more',
  absent,
  read(text) {
    const value = /^[0-9]+$/.test(text) ? Number(text) : 0;
    return value >= 1 ? Math.min(value, maximum) : undefined;
  },
});

/** The last page that can be asked for; its offset fits a bigint. */
const LAST_PAGE = 2 ** 40;

/** `page` and `per_page`; a larger per_page is clamped and the clamped one echoed (AP-04, X-05). */
const pageParams = (perPage: { default: number; maximum: number }) => ({
  page: positive(1, LAST_PAGE, 'Page number, from 1 on.'),
  per_page: positive(
    perPage.default,
    perPage.maximum,
    `Items per page, at most ${perPage.maximum}; more is clamped.`,
  ),
});

/** The three cluster lists. */
export const clusterPages = pageParams({ default: 20, maximum: 100 });

/** Every other paged list. */
export const listPages = pageParams({ default: 50, maximum: 100 });

/** The page that was asked for. */
export const pageOf = (query: QueryOf<typeof listPages>): Page => ({
  page: query.page,
  perPage: query.per_page,
});

/** A UUID, or null when it is not given. */
export const uuidParam = (description: string): Param<string | null> => ({
  schema: { type: 'string', format: 'uuid' },
  description,
  problem: 'must be a UUID',
  absent: null,
  read: (text) => (isUuid(text) ? text : undefined),
});

/** A path on this server; anything else counts as none, since a link elsewhere may have made it. */
export const localPathParam = (description: string): Param<string | null> => ({
  schema: { type: 'string', maxLength: 512 },
  description,
  problem: 'must be a path',
  absent: null,
  read: (text) => (isLocalPath(text) ? text : null),
});

/** A text; null when it is not given or empty. NUL, which PostgreSQL has no text for, is refused. */
export const textParam = (description: string): Param<string | null> => ({
  schema: { type: 'string', maxLength: 512 },
  description,
  problem: 'must be a text of at most 512 characters',
  absent: null,
  read(text) {
    if (text === '') return null;
    return text.length > 512 || text.includes('\0') ? undefined : text;
  },
});
