/** The one place that uses ajv: compiled schemas whose errors name the path and never echo a value. */

import type { ErrorObject } from 'ajv';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { isDateTime } from './dateTime.ts';
import type { Schema } from './kinds/define.ts';

/** What is wrong: `path` is a JSON pointer, `problem` a sentence without any part of the value. */
export interface Invalid {
  readonly path: string;
  readonly problem: string;
}

export type Validation<T> = { readonly ok: true; readonly value: T } | ({ readonly ok: false } & Invalid);

const ajv = new Ajv({
  removeAdditional: true,
  useDefaults: true,
  allowUnionTypes: true,
  strict: true,
  strictRequired: false,
  // Lengths in UTF-16 units: counting code points would read every character of a snapshot once more.
  unicode: false,
  // It would only say that this option is going away.
  logger: false,
});
addFormats.default(ajv, { mode: 'full', formats: ['uuid'] });
ajv.addFormat('date-time', { type: 'string', validate: isDateTime });

/**
 * Compiles a schema to a check. The check works on the value it is given: keys that the schema does not name are removed
 * (unknown fields are ignored, contracts.md section 1), defaults are filled in. It stops at the first fault.
 */
export function compileSchema<T>(schema: Schema): (value: unknown) => Validation<T> {
  const check = ajv.compile(schema);
  return (value) => {
    if (check(value)) return { ok: true, value: value as T };
    return { ok: false, ...describe(check.errors ?? []) };
  };
}

/** The fault that says most: inside an `anyOf` with null, the one about the value, not about null. */
function describe(errors: ErrorObject[]): Invalid {
  const error = errors.find((e) => e.keyword !== 'anyOf' && e.params.type !== 'null') ?? errors[0];
  if (error === undefined) return { path: '', problem: 'is not valid' };
  if (error.keyword === 'required') {
    return { path: `${error.instancePath}/${error.params.missingProperty}`, problem: 'is missing' };
  }
  // "must be string", "must match format "date-time"": built from the schema alone.
  return { path: error.instancePath, problem: error.message ?? 'is not valid' };
}
