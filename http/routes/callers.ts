/** Administration of callers, their tokens and grants (contracts.md section 5); `admin:write` throughout. */

import type { Role } from '../../rules/access.ts';
import { ROLE_NAMES } from '../../rules/access.ts';
import type { Caller, CallerType } from '../../store/callers.ts';
import {
  createCaller,
  createToken,
  deleteToken,
  findCaller,
  listCallers,
  listTokens,
  rotateToken,
} from '../../store/callers.ts';
import { createGrant, deleteGrant, listGrants } from '../../store/grants.ts';
import { createIdentity, deleteIdentity, listIdentities } from '../../store/identities.ts';
import type { Answer } from '../answer.ts';
import { created, done, many } from '../answer.ts';
import type { Backend } from '../backend.ts';
import { objectBody } from '../body.ts';
import { listPages, pageOf } from '../params.ts';
import { badBody, notFound, refuse } from '../refusal.ts';
import type { Route } from '../route.ts';
import { systemRoute } from '../route.ts';
import { count, dataOf, label, listOf, nullable, object, pageMeta, text, time, uuid } from '../schemas.ts';
import { isUuid } from '../uuid.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const CALLERS = '/api/v1/admin/callers';
const wholeList = object({ total: count });

const caller = object({ id: uuid, type: text, name: text, email: nullable(text), created_at: time });

const tokenProperties = {
  id: uuid,
  caller_id: uuid,
  name: text,
  created_at: time,
  expires_at: nullable(time),
  last_used_at: nullable(time),
};

const grant = object({
  id: uuid,
  caller_id: uuid,
  role: { type: 'string', enum: [...ROLE_NAMES] },
  client_id: nullable(uuid),
  environment_id: nullable(uuid),
  created_at: time,
});

/** Hands the caller of the path on, or answers 404. */
async function withCaller(
  call: { backend: Backend; params: Readonly<Record<string, string>> },
  answer: (found: Caller) => Promise<Answer>,
): Promise<Answer> {
  const id = call.params.id ?? '';
  const found = isUuid(id) ? await findCaller(call.backend.pool, id) : null;
  return found === null ? notFound('caller') : answer(found);
}

interface NewCaller {
  readonly type: CallerType;
  readonly name: string;
  readonly email?: string | null;
}

const callers: readonly Route[] = [
  systemRoute({
    method: 'GET',
    path: CALLERS,
    summary: 'List callers.',
    query: listPages,
    answer: listOf(caller, pageMeta),
    async handle({ backend, query }) {
      const page = pageOf(query);
      const { rows, total } = await listCallers(backend.pool, page);
      return many(rows, { total, page: page.page, per_page: page.perPage });
    },
  }),
  systemRoute({
    method: 'POST',
    path: CALLERS,
    refusals: [409],
    summary: 'Add a caller: a user with an email, or a service without.',
    body: objectBody<NewCaller>(
      {
        type: { type: 'string', enum: ['user', 'service'] },
        name: label(200),
        email: nullable({ type: 'string', maxLength: 320, pattern: '^[^@\\s\\u0000]+@[^@\\s\\u0000]+$' }),
      },
      ['email'],
    ),
    status: 201,
    answer: dataOf(caller),
    async handle({ backend, body }) {
      const email = body.email ?? null;
      if ((body.type === 'user') !== (email !== null)) {
        return badBody('/email', 'is needed for a user, and only for a user');
      }
      const row = await createCaller(backend.pool, { ...body, email });
      return row === null ? refuse(409, 'email_taken', 'a caller has this email') : created(row);
    },
  }),
];

interface NewToken {
  readonly name: string;
  readonly expires_in_hours?: number | null;
}

const tokens: readonly Route[] = [
  systemRoute({
    method: 'GET',
    path: `${CALLERS}/:id/tokens`,
    summary: 'List the tokens of a caller; the tokens themselves are shown only when they are made.',
    answer: listOf(object(tokenProperties), wholeList),
    handle: (call) =>
      withCaller(call, async ({ id }) => {
        const rows = await listTokens(call.backend.pool, id);
        return many(rows, { total: rows.length });
      }),
  }),
  systemRoute({
    method: 'POST',
    path: `${CALLERS}/:id/tokens`,
    summary: 'Make a token for a caller; the answer is the only place where it is shown.',
    body: objectBody<NewToken>(
      { name: label(200), expires_in_hours: nullable({ type: 'integer', minimum: 1, maximum: 87_600 }) },
      ['expires_in_hours'],
    ),
    status: 201,
    answer: dataOf(object({ ...tokenProperties, token: text })),
    handle: (call) =>
      withCaller(call, async ({ id }) => {
        const hours = call.body.expires_in_hours ?? null;
        const { row, secret } = await createToken(call.backend.pool, {
          caller_id: id,
          name: call.body.name,
          expires_at: hours === null ? null : new Date(call.now.getTime() + hours * HOUR_MS),
        });
        return created({ ...row, token: secret });
      }),
  }),
  systemRoute({
    method: 'POST',
    path: `${CALLERS}/:id/tokens/:tokenID/rotate`,
    refusals: [404],
    summary:
      'Make a token in place of another, for as long as that one was made for; the old one ends after the overlap.',
    body: objectBody<{ readonly overlap_minutes?: number }>(
      { overlap_minutes: { type: 'integer', minimum: 0, maximum: 10_080 } },
      ['overlap_minutes'],
    ),
    status: 201,
    answer: dataOf(object({ ...tokenProperties, token: text })),
    handle: (call) =>
      withCaller(call, async ({ id }) => {
        const tokenId = call.params.tokenID ?? '';
        const endsAt = new Date(call.now.getTime() + (call.body.overlap_minutes ?? 0) * MINUTE_MS);
        const made = isUuid(tokenId)
          ? await rotateToken(call.backend.pool, { callerId: id, tokenId, now: call.now, endsAt })
          : null;
        return made === null ? notFound('token') : created({ ...made.row, token: made.secret });
      }),
  }),
  systemRoute({
    method: 'DELETE',
    path: `${CALLERS}/:id/tokens/:tokenID`,
    summary: 'End a token and the sessions that were opened with it.',
    status: 204,
    answer: null,
    handle: (call) =>
      withCaller(call, async ({ id }) => {
        const tokenId = call.params.tokenID ?? '';
        const gone = isUuid(tokenId) && (await deleteToken(call.backend.pool, id, tokenId));
        return gone ? done() : notFound('token');
      }),
  }),
];

interface NewGrant {
  readonly role: Role;
  readonly client_id?: string | null;
  readonly environment_id?: string | null;
}

const grants: readonly Route[] = [
  systemRoute({
    method: 'GET',
    path: `${CALLERS}/:id/grants`,
    summary: 'List the grants of a caller.',
    answer: listOf(grant, wholeList),
    handle: (call) =>
      withCaller(call, async ({ id }) => {
        const rows = await listGrants(call.backend.pool, id);
        return many(rows, { total: rows.length });
      }),
  }),
  systemRoute({
    method: 'POST',
    path: `${CALLERS}/:id/grants`,
    refusals: [404, 409],
    summary: 'Give a caller a role globally, on one client, or on one environment.',
    body: objectBody<NewGrant>(
      {
        role: { type: 'string', enum: [...ROLE_NAMES] },
        client_id: nullable(uuid),
        environment_id: nullable(uuid),
      },
      ['client_id', 'environment_id'],
    ),
    status: 201,
    answer: dataOf(grant),
    handle: (call) =>
      withCaller(call, async ({ id }) => {
        const { role, client_id = null, environment_id = null } = call.body;
        if (role === 'super_admin' && (client_id !== null || environment_id !== null)) {
          return badBody('/role', 'super_admin is granted globally only');
        }
        const made = await createGrant(call.backend.pool, { caller_id: id, role, client_id, environment_id });
        switch (made.kind) {
          case 'created':
            return created(made.grant);
          case 'exists':
            return refuse(409, 'grant_exists', 'the caller has this grant');
          case 'no_scope':
            return notFound(environment_id === null ? 'client' : 'environment');
        }
      }),
  }),
  systemRoute({
    method: 'DELETE',
    path: `${CALLERS}/:id/grants/:grantID`,
    summary: 'Take a grant back.',
    status: 204,
    answer: null,
    handle: (call) =>
      withCaller(call, async ({ id }) => {
        const grantId = call.params.grantID ?? '';
        const gone = isUuid(grantId) && (await deleteGrant(call.backend.pool, id, grantId));
        return gone ? done() : notFound('grant');
      }),
  }),
];

interface NewIdentity {
  readonly subject: string;
}

const identity = object({
  id: uuid,
  caller_id: uuid,
  issuer: text,
  subject: text,
  created_at: time,
  last_used_at: nullable(time),
});

const identities: readonly Route[] = [
  systemRoute({
    method: 'GET',
    path: `${CALLERS}/:id/identities`,
    summary: 'List who a caller is at the OIDC issuer.',
    answer: listOf(identity, wholeList),
    handle: (call) =>
      withCaller(call, async ({ id }) => {
        const rows = await listIdentities(call.backend.pool, id);
        return many(rows, { total: rows.length });
      }),
  }),
  systemRoute({
    method: 'POST',
    path: `${CALLERS}/:id/identities`,
    refusals: [404, 409],
    summary: 'Take a subject of the OIDC issuer for this caller: the sub of its tokens, never the email.',
    body: objectBody<NewIdentity>({ subject: label(255) }),
    status: 201,
    answer: dataOf(identity),
    configured: (backend) => backend.oidc !== null,
    handle: (call) =>
      withCaller(call, async ({ id }) => {
        const issuer = call.backend.oidc?.issuer ?? '';
        const made = await createIdentity(call.backend.pool, {
          caller_id: id,
          issuer,
          subject: call.body.subject,
        });
        return made === null ? refuse(409, 'subject_taken', 'a caller has this subject') : created(made);
      }),
  }),
  systemRoute({
    method: 'DELETE',
    path: `${CALLERS}/:id/identities/:identityID`,
    summary: 'Take a subject of the OIDC issuer away from a caller.',
    status: 204,
    answer: null,
    handle: (call) =>
      withCaller(call, async ({ id }) => {
        const identityId = call.params.identityID ?? '';
        const gone = isUuid(identityId) && (await deleteIdentity(call.backend.pool, id, identityId));
        return gone ? done() : notFound('identity');
      }),
  }),
];

export const callerRoutes: readonly Route[] = [...callers, ...tokens, ...grants, ...identities];
