/** What a route answers instead of what was asked, as values (contracts.md section 5: the error envelope). */

export interface Refusal {
  readonly kind: 'refusal';
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** A refusal with its code (stable, for programs) and message (for people; never a value of the caller's). */
export const refuse = (
  status: number,
  code: string,
  message: string,
  extra: { details?: Record<string, unknown>; headers?: Record<string, string> } = {},
): Refusal => ({
  kind: 'refusal',
  status,
  code,
  message,
  details: extra.details ?? null,
  headers: extra.headers ?? {},
});

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'refusal';

/** No caller, or a token or session that is unknown or has ended: which of them is not said. */
export const unauthorized = (): Refusal =>
  refuse(401, 'unauthorized', 'a valid token is required', { headers: { 'WWW-Authenticate': 'Bearer' } });

export const forbidden = (message = 'permission is missing'): Refusal => refuse(403, 'forbidden', message);

/** The same words whether the object is unknown, of another tenant, or its id is malformed (AU-05). */
export const notFound = (noun: string): Refusal => refuse(404, 'not_found', `${noun} not found`);

/** A query parameter that cannot be read (contracts.md section 6). */
export const invalidParam = (parameter: string, problem: string): Refusal =>
  refuse(400, 'invalid_param', `${parameter} ${problem}`, { details: { parameter } });

/** A body that cannot be read; `path` is a JSON pointer. */
export const badBody = (path: string, problem: string): Refusal =>
  refuse(400, 'bad_request', `body${path} ${problem}`, { details: { path } });

export const rateLimited = (message: string, retryAfterSeconds: number): Refusal =>
  refuse(429, 'rate_limited', message, { headers: { 'Retry-After': String(retryAfterSeconds) } });

/** The body of a refusal, `{"error": {code, message, details}}`. */
export const errorBody = ({ code, message, details }: Pick<Refusal, 'code' | 'message' | 'details'>) => ({
  error: { code, message, details },
});
