import { type Answer, json } from './answer.ts';

/** One reason among several, as `details.causes` lists them. */
export interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

/** `details` in the order in which the API server writes the fields. */
export interface Details {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly causes?: readonly Cause[];
  readonly retryAfterSeconds?: number;
}

/** What a failure is about. `group` is empty for the core group and is then left out of `details`. */
export interface Subject {
  readonly group: string;
  readonly resource: string;
}

/** A failure as meta/v1 Status. Every shape and message below was read off a 1.37.2 API server. */
export function failure(
  code: number,
  reason: string | null,
  message: string,
  details?: Details,
  metadata: { readonly continue?: string } = {},
): Answer {
  return json(
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status: 'Failure',
      message,
      ...(reason === null ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    },
    code,
  );
}

/** `deployments.apps`, and `pods` in the core group. */
export function qualified({ group, resource }: Subject): string {
  return group === '' ? resource : `${resource}.${group}`;
}

export function detailsOf({ group, resource }: Subject, name?: string): Details {
  return {
    ...(name === undefined ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind: resource,
  };
}

export function notFound(subject: Subject, name: string): Answer {
  return failure(404, 'NotFound', `${qualified(subject)} "${name}" not found`, detailsOf(subject, name));
}

/** The path is well formed and its group is served, but not this resource or subresource. */
export const noSuchResource: Answer = failure(
  404,
  'NotFound',
  'the server could not find the requested resource',
  {},
);

export const methodNotAllowed: Answer = failure(
  405,
  'MethodNotAllowed',
  'the server does not allow this method on the requested resource',
  {},
);

export const unauthorized: Answer = failure(401, 'Unauthorized', 'Unauthorized');

export function badRequest(message: string): Answer {
  return failure(400, 'BadRequest', message);
}

/**
 * 422: the object or the options were understood but are not valid. The message names one cause as it is and several in
 * brackets, each with its field.
 */
export function invalid(kind: string, details: { name?: string; group?: string }, causes: Cause[]): Answer {
  const said = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const what = details.group === undefined ? kind : `${kind}.${details.group}`;
  const list = said.length === 1 ? said[0] : `[${said.join(', ')}]`;
  const message = `${what} "${details.name ?? ''}" is invalid: ${list}`;
  return failure(422, 'Invalid', message, { ...details, kind, causes });
}
