/** Live reads between backend and agent: request and reply on the agent's command subject (contracts.md section 3). */

import type { Schema } from './kinds/define.ts';
import { compileSchema, type Validation } from './validate.ts';

/** Lines that one log read answers at most; a follow always asks for them all (LV-14, LV-15). */
export const MAX_TAIL = 300;
export const DEFAULT_TAIL = 100;
/** Largest request; a true one has 600 bytes. */
export const MAX_QUERY_BYTES = 16 * 1024;
/** Largest reply of any kind. */
export const MAX_REPLY_BYTES = 1024 * 1024;
/** Largest object, and what the templates of a history may take together (LV-09, LV-25). */
export const MAX_OBJECT_BYTES = 512 * 1024;
/** A longer line of a log is cut. */
export const MAX_LINE_BYTES = 16 * 1024;
/** Revisions of one answer (LV-07). */
export const MAX_REVISIONS = 20;

export const LIVE_OPS = ['manifest', 'revisions', 'logs'] as const;
export type LiveOp = (typeof LIVE_OPS)[number];

/** `name` is the pod's for logs, whose `kind` is null; what an operation does not use is null. */
export interface KubeQuery {
  readonly type: 'kube_query';
  readonly schema: 1;
  readonly op: LiveOp;
  readonly kind: string | null;
  readonly namespace: string;
  readonly name: string;
  readonly container: string | null;
  readonly tail: number | null;
  readonly previous: boolean;
  /** RFC 3339, in whole seconds. */
  readonly since_time: string | null;
  readonly timestamps: boolean;
  readonly tier: 'read-only';
  /** Who asks, for the agent's log. */
  readonly actor: string;
}

export const ERROR_CODES = [
  'not_found',
  'not_permitted',
  'rollouts_not_installed',
  'too_large',
  'bad_request',
  'internal',
] as const;
export type LiveErrorCode = (typeof ERROR_CODES)[number];

export interface ManifestData {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: Readonly<Record<string, unknown>>;
  readonly notes: readonly string[];
  readonly observed_at: string;
}

export interface Revision {
  readonly revision: number;
  readonly name: string;
  readonly created: string | null;
  /** Null where a history does not say. */
  readonly replicas: number | null;
  readonly template_hash: string | null;
  readonly containers: readonly { readonly name: string; readonly image: string }[];
  /** Null when the budget of the reply was used up. */
  readonly pod_template: Readonly<Record<string, unknown>> | null;
}

export interface RevisionsData {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly revisions: readonly Revision[];
  readonly truncated: boolean;
  readonly notes: readonly string[];
  readonly observed_at: string;
}

export interface LogsData {
  readonly namespace: string;
  readonly pod: string;
  /** Null while it is not clear which one is meant. */
  readonly container: string | null;
  readonly previous: boolean;
  readonly lines: readonly { readonly ts: string | null; readonly text: string }[];
  readonly truncated: boolean;
  /** Those that the pod has, when the one to read is not clear (LV-17). */
  readonly containers?: readonly string[];
  readonly timestamps: boolean;
  readonly notes: readonly string[];
  readonly observed_at: string;
}

export type LiveData = ManifestData | RevisionsData | LogsData;

export type KubeReply<D extends LiveData = LiveData> =
  | { readonly ok: true; readonly data: D }
  | { readonly ok: false; readonly error: { readonly code: LiveErrorCode; readonly message: string } };

const text = (maxLength = 1024): Schema => ({ type: 'string', maxLength });
const nullable = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });
const time: Schema = { type: 'string', format: 'date-time' };
const list = (items: Schema, maxItems: number): Schema => ({ type: 'array', items, maxItems });
const record = (properties: Record<string, Schema>, optional: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((key) => !optional.includes(key)),
  additionalProperties: false,
});

/** Checks the shape of a parsed request; whether its names are names is for `rules/query/live` to say. */
export const checkKubeQuery = compileSchema<KubeQuery>(
  record({
    type: { const: 'kube_query' },
    schema: { const: 1 },
    op: { enum: [...LIVE_OPS] },
    kind: nullable(text(64)),
    namespace: text(63),
    name: text(253),
    container: nullable(text(63)),
    tail: nullable({ type: 'integer' }),
    previous: { type: 'boolean' },
    since_time: nullable(text(64)),
    timestamps: { type: 'boolean' },
    tier: { const: 'read-only' },
    actor: { type: 'string', minLength: 1, maxLength: 1024 },
  }),
);

const notes = list(text(4096), 1000);
const shared = { namespace: text(), notes, observed_at: time };
const anyObject: Schema = { type: 'object' };

/** Schemas of the three answers; the API's are the same. */
export const LIVE_DATA: Readonly<Record<LiveOp, Schema>> = {
  manifest: record({ kind: text(), name: text(), object: anyObject, ...shared }),
  revisions: record({
    kind: text(),
    name: text(),
    revisions: list(
      record({
        revision: { type: 'integer', minimum: 0 },
        name: text(),
        created: nullable(time),
        replicas: nullable({ type: 'integer', minimum: 0 }),
        template_hash: nullable(text()),
        containers: list(record({ name: text(), image: text(4096) }), 1000),
        pod_template: nullable(anyObject),
      }),
      MAX_REVISIONS,
    ),
    truncated: { type: 'boolean' },
    ...shared,
  }),
  logs: record(
    {
      pod: text(),
      container: nullable(text()),
      previous: { type: 'boolean' },
      lines: list(record({ ts: nullable(time), text: text(65_536) }), MAX_TAIL),
      truncated: { type: 'boolean' },
      containers: list(text(), 1000),
      timestamps: { type: 'boolean' },
      ...shared,
    },
    ['containers'],
  ),
};

const failed = record({
  ok: { const: false },
  error: record({ code: { enum: [...ERROR_CODES] }, message: text(65_536) }),
});

const checkFailed = compileSchema<KubeReply>(failed);
const checkData = {
  manifest: compileSchema<KubeReply>(record({ ok: { const: true }, data: LIVE_DATA.manifest })),
  revisions: compileSchema<KubeReply>(record({ ok: { const: true }, data: LIVE_DATA.revisions })),
  logs: compileSchema<KubeReply>(record({ ok: { const: true }, data: LIVE_DATA.logs })),
} satisfies Record<LiveOp, unknown>;

/** Checks a parsed reply to a request for `op`. */
export function checkKubeReply(op: LiveOp, reply: unknown): Validation<KubeReply> {
  const isFailed = typeof reply === 'object' && reply !== null && 'ok' in reply && reply.ok === false;
  return (isFailed ? checkFailed : checkData[op])(reply);
}
