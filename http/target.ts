/** What a scoped route is about, and how the caller's right to it is found out. */

import type { Permission, Place } from '../rules/access.ts';
import type { ScopeFilter } from '../store/scope.ts';
import { clientExists, type Environment, findEnvironment } from '../store/tenants.ts';
import type { Access } from './access.ts';
import type { Backend } from './backend.ts';
import type { Incoming } from './incoming.ts';
import type { Refusal } from './refusal.ts';
import { isRefusal, notFound } from './refusal.ts';
import { isUuid } from './uuid.ts';

interface Asked {
  readonly backend: Backend;
  readonly access: Access;
  readonly permission: Permission;
  readonly now: Date;
}

/** Named in the path: found before anything is parsed. Named in the body: found right after. */
export interface Target<T, B> {
  readonly inPath?: (asked: Asked & { readonly request: Incoming }) => Promise<T | Refusal>;
  readonly inBody?: (asked: Asked & { readonly body: B }) => Promise<T | Refusal>;
}

/** Nothing in particular: the list of all that the caller may see. */
export const everything: Target<null, unknown> = { inPath: () => Promise.resolve(null) };

/** The object of that id in the path; its row says where it lives. */
export const objectInPath = <T extends Place>(
  parameter: string,
  noun: string,
  load: (backend: Backend, id: string, now: Date) => Promise<T | null>,
): Target<T, unknown> => ({
  async inPath({ backend, access, permission, request, now }) {
    const id = request.params[parameter] ?? '';
    const row = isUuid(id) ? await load(backend, id, now) : null;
    if (row === null) return notFound(noun);
    return access.place(row, [permission], noun) ?? row;
  },
});

const placeOf = (environment: Environment): Place => ({
  client_id: environment.client_id,
  environment_id: environment.id,
});

async function entitledEnvironment(
  { backend, access, permission }: Asked,
  id: string,
): Promise<Environment | Refusal> {
  const environment = isUuid(id) ? await findEnvironment(backend.pool, id) : null;
  if (environment === null) return notFound('environment');
  return access.place(placeOf(environment), [permission], 'environment') ?? environment;
}

/** The environment of that id in the path. */
export const environmentInPath = (parameter: string): Target<Environment, unknown> => ({
  inPath: (asked) => entitledEnvironment(asked, asked.request.params[parameter] ?? ''),
});

/** The environment that the body's `environment_id` names. */
export const environmentInBody: Target<Environment, { readonly environment_id: string }> = {
  inBody: (asked) => entitledEnvironment(asked, asked.body.environment_id),
};

/** The client of that id in the path: what the caller may see inside it (AU-04). */
export const clientInPath = (
  parameter: string,
): Target<{ readonly clientId: string; readonly scope: ScopeFilter }, unknown> => ({
  async inPath({ backend, access, permission, request }) {
    const clientId = request.params[parameter] ?? '';
    const known = isUuid(clientId) && (await clientExists(backend.pool, clientId));
    if (!known) return notFound('client');
    const scope = access.scopeWithin(clientId, permission);
    return isRefusal(scope) ? scope : { clientId, scope };
  },
});
