/** Schemas of answers, from which the OpenAPI document can be made. */

import type { Fields, Schema } from '../wire/kinds/define.ts';

export const uuid: Schema = { type: 'string', format: 'uuid' };
export const time: Schema = { type: 'string', format: 'date-time' };
export const text: Schema = { type: 'string' };
export const count: Schema = { type: 'integer', minimum: 0 };

/** A text for people, without control characters: PostgreSQL has no text for NUL. */
export const label = (maxLength: number): Schema => ({
  type: 'string',
  minLength: 1,
  maxLength,
  pattern: '^[^\\u0000-\\u001f]+$',
});

export const nullable = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

/** An object with exactly these keys. */
export const object = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** `{"data": …}` */
export const dataOf = (item: Schema): Schema => object({ data: item });

/** `{"data": […], "meta": …}` */
export const listOf = (item: Schema, meta: Schema): Schema =>
  object({ data: { type: 'array', items: item }, meta });

/** `{total, page, per_page}` without more (AP-05). */
export const pageMeta: Schema = object({ total: count, page: count, per_page: count });

/** Fields of a kind as properties of its REST record. */
export const fieldSchemas = (fields: Fields): Record<string, Schema> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.schema]));
