/**
 * How one resource kind is described. A kind is one row of data (design D3): from it follow the record type,
 * the JSON schema of the snapshot, the columns written and read, the prune rule and the list route.
 * By hand stay only the agent's mapper, which does not compile with a gap, and the DDL, which a drift spec compares.
 */

import { MAX_TEXT_CHARS } from '../limits.ts';

/** A JSON Schema fragment as ajv reads it (draft-07). */
export type Schema = Readonly<Record<string, unknown>>;

/** PostgreSQL type of a column. */
export type ColumnType = 'text' | 'integer' | 'bigint' | 'boolean' | 'timestamptz' | 'text[]' | 'jsonb';

/** One field of a record: the same name on the wire, as a column and in the REST body (design D4). */
export interface Field<T> {
  readonly column: ColumnType;
  readonly schema: Schema;
  /** Null on the wire means not applicable, not reported, or unreadable; an absent key reads as null. */
  readonly nullable: boolean;
  /** What an absent key reads as, for maps and lists (contracts.md section 1: never null). */
  readonly absent?: unknown;
  /** Null keeps the stored value: the source of this number was not readable in this snapshot. */
  readonly keepsStored: boolean;
  /** Carries the type only; never set. */
  readonly of?: T;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** The record type of a set of fields. */
export type RecordOf<F extends Fields> = {
  [K in keyof F]: F[K] extends Field<infer T> ? T : never;
};

/** Which coverage entry proves a record's absence: one resource, or one per value of the `kind` column. */
export type CoverageRule = string | Readonly<Record<string, string>>;

/**
 * What a key of `sort=` orders by: the first of the columns that has a value. `age` turns the direction, because the
 * youngest has the latest time; `address` puts IPv4 addresses first, by number (AP-26, AP-31).
 */
export interface SortKey {
  readonly columns: readonly string[];
  readonly as: 'value' | 'age' | 'address';
}

/** Keys of `sort=` by their name in the query. */
export type SortKeys = Readonly<Record<string, SortKey>>;

/** A sort key on one column. */
export const by = (column: string): SortKey => ({ columns: [column], as: 'value' });

/** The sort keys that every searchable list has. */
const SHARED_SORT_KEYS: SortKeys = {
  name: by('name'),
  namespace: by('namespace'),
  age: { columns: ['created_at'], as: 'age' },
};

/** One resource kind. */
export interface Kind<F extends Fields = Fields> {
  /** Name of the array under `data` in a snapshot. */
  readonly name: string;
  readonly table: string;
  /** Last path segment of its list route. */
  readonly path: string;
  /** What Kubernetes calls such objects (`kind`); several where a column tells them apart. */
  readonly kubernetesKinds: readonly string[];
  /** Natural key inside one cluster; rows keep their id as long as it stays the same (IN-03). */
  readonly key: readonly string[];
  /** Default order of its list, most significant first; the id breaks ties. */
  readonly order: readonly string[];
  /** False for the two lists that answer whole. */
  readonly paged: boolean;
  readonly coverage: CoverageRule;
  readonly fields: F;
  /** Columns counted by the backend from other parts of the same snapshot; absent on the wire. */
  readonly derived: Fields;
  /** True when records live in a namespace. */
  readonly namespaced: boolean;
  /** What its list can be ordered by; a list without keys takes neither `q` nor `sort` (AP-20). */
  readonly sortKeys: SortKeys;
}

const field = <T>(column: ColumnType, schema: Schema): Field<T> => ({
  column,
  schema,
  nullable: false,
  keepsStored: false,
});

/** A string, at most 64 KiB of characters: longer ones are not names, and an index refuses them. */
export const text = (): Field<string> => field('text', { type: 'string', maxLength: MAX_TEXT_CHARS });

/** A name that takes part in a unique index. */
export const name = (): Field<string> => field('text', { type: 'string', minLength: 1, maxLength: 512 });

/** A 32-bit integer. */
export const integer = (): Field<number> =>
  field('integer', { type: 'integer', minimum: -2147483648, maximum: 2147483647 });

/** An integer that fits a JSON number exactly. */
export const bigint = (): Field<number> =>
  field('bigint', {
    type: 'integer',
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  });

export const boolean = (): Field<boolean> => field('boolean', { type: 'boolean' });

/** An RFC 3339 time. */
export const time = (): Field<string> => field('timestamptz', { type: 'string', format: 'date-time' });

/** A list of strings. */
export const texts = (): Field<string[]> => ({
  ...field<string[]>('text[]', { type: 'array', items: { type: 'string' } }),
  absent: [],
});

/** String to string, as labels and selectors are. */
export const map = (): Field<Record<string, string>> => ({
  ...field<Record<string, string>>('jsonb', { type: 'object', additionalProperties: { type: 'string' } }),
  absent: {},
});

/** A list of objects of one shape. */
export const list = <T>(item: Shape<T>): Field<T[]> => ({
  ...field<T[]>('jsonb', { type: 'array', items: item.schema }),
  absent: [],
});

/** One object of a shape. */
export const object = <T>(shape: Shape<T>): Field<T> => field('jsonb', shape.schema);

/**
 * The same field, null allowed. A union type rather than `anyOf`: the other keywords of a type say nothing about null,
 * and a failed branch would make an error object for every null of a snapshot.
 */
export const nullable = <T>(inner: Field<T>): Field<T | null> => ({
  column: inner.column,
  schema: { ...inner.schema, type: [inner.schema.type, 'null'] },
  nullable: true,
  keepsStored: false,
});

/** A count that is null when its source could not be read; the stored number then stays (contracts.md section 1). */
export const keptCount = (): Field<number | null> => ({ ...nullable(integer()), keepsStored: true });

/** The schema of a nested object, with its type. */
export interface Shape<T> {
  readonly schema: Schema;
  readonly of?: T;
}

/** The shape of a nested object; keys that it does not name are dropped on arrival. */
export const shape = <F extends Fields>(fields: F): Shape<RecordOf<F>> => ({ schema: recordSchema(fields) });

/** What an absent key reads as; undefined where the key has to be there. */
const defaultOf = (f: Field<unknown>): unknown => (f.nullable ? null : f.absent);

/**
 * The JSON schema of a record. Only fields that can be neither null nor empty are required, so that an older agent
 * which does not know a newer field is still heard: validation fills in the rest. Unknown keys are removed, not refused.
 */
export function recordSchema(fields: Fields): Schema {
  const entries = Object.entries(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(
      entries.map(([key, f]) => {
        const absent = defaultOf(f);
        return [key, absent === undefined ? f.schema : { ...f.schema, default: absent }];
      }),
    ),
    required: entries.filter(([, f]) => defaultOf(f) === undefined).map(([key]) => key),
    additionalProperties: false,
  };
}

/** Declares a kind with the defaults of a namespaced, paged one; `sortKeys` holds those beside the shared ones. */
export function defineKind<const F extends Fields>(
  kind: Pick<Kind<F>, 'name' | 'table' | 'path' | 'kubernetesKinds' | 'coverage' | 'fields'> &
    Partial<Kind<F>>,
): Kind<F> {
  return {
    key: ['namespace', 'name'],
    order: ['namespace', 'name'],
    paged: true,
    derived: {},
    namespaced: true,
    ...kind,
    sortKeys: kind.sortKeys === undefined ? {} : { ...SHARED_SORT_KEYS, ...kind.sortKeys },
  };
}
