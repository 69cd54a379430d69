/** Every answer of a test run is held against the OpenAPI document. */

import { deepEqual, ok } from 'node:assert/strict';
import { openApiOf } from '../../http/openapi.ts';
import type { Route } from '../../http/route.ts';
import type { Schema } from '../../wire/kinds/define.ts';
import { compileSchema } from '../../wire/validate.ts';

interface Operation {
  readonly responses: Readonly<Record<string, { content?: { 'application/json'?: { schema: Schema } } }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: { readonly Error: Schema } };
}
type Check = (value: unknown) => { readonly ok: boolean };
interface Described {
  readonly pattern: RegExp;
  readonly literal: boolean;
  readonly method: string;
  /** Per status the check of the body; null where there is none. */
  readonly answers: ReadonlyMap<number, Check | null>;
}

const described = new WeakMap<readonly Route[], Described[]>();

function describe(routes: readonly Route[]): Described[] {
  const document = openApiOf(routes, '0') as unknown as Document;
  const checks = new Map<Schema, Check>();
  const checkOf = (schema: Schema): Check => {
    const whole = '$ref' in schema ? document.components.schemas.Error : schema;
    const known = checks.get(whole) ?? compileSchema(whole);
    checks.set(whole, known);
    return known;
  };
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { responses }]) => ({
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
      literal: !path.includes('{'),
      method: method.toUpperCase(),
      answers: new Map(
        Object.entries(responses).map(([status, { content }]) => {
          const schema = content?.['application/json']?.schema;
          return [Number(status), schema === undefined ? null : checkOf(schema)];
        }),
      ),
    })),
  );
}

/** Throws when the document does not know this status of this path, or when the body has another shape. */
export function assertDescribed(
  routes: readonly Route[],
  method: string,
  path: string,
  answer: {
    readonly status: number;
    readonly text: string;
    readonly json: unknown;
    readonly headers: Headers;
  },
): void {
  const known = described.get(routes) ?? describe(routes);
  described.set(routes, known);
  const [bare = ''] = path.split('?', 1);
  const found = known.filter((one) => one.method === method && one.pattern.test(bare));
  const operation = found.find(({ literal }) => literal) ?? found[0];
  if (operation === undefined) return;
  const what = `${method} ${bare} answered ${answer.status}`;
  ok(operation.answers.has(answer.status), `${what}, which the document does not have: ${answer.text}`);
  const check = operation.answers.get(answer.status);
  const isJson = answer.headers.get('content-type')?.startsWith('application/json');
  if (check === null || check === undefined || !isJson) return;
  const kept = structuredClone(answer.json);
  ok(check(kept).ok, `${what} in another shape: ${JSON.stringify(check(kept))}`);
  deepEqual(kept, answer.json, `${what} with a key that the document does not have`);
}
