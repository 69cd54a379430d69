import type { Schema } from '../wire/kinds/define.ts';
import type { Validation } from '../wire/validate.ts';
import { compileSchema } from '../wire/validate.ts';

/** How a request body is checked, and its schema for the OpenAPI document. */
export interface BodyShape<B> {
  readonly schema: Schema;
  readonly check: (value: unknown) => Validation<B>;
}

/** A body of this schema; `B` is what the schema describes. */
export const bodyOf = <B>(schema: Schema): BodyShape<B> => ({ schema, check: compileSchema<B>(schema) });

/** A body that is an object with exactly these properties; those not listed as optional are required. */
export const objectBody = <B>(
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): BodyShape<B> =>
  bodyOf<B>({
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    additionalProperties: false,
  });
