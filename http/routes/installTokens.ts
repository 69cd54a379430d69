/** Install tokens (contracts.md sections 4 and 5): made by those who may write to the environment, shown once. */

import {
  createInstallToken,
  findInstallToken,
  listInstallTokens,
  revokeInstallToken,
} from '../../store/installTokens.ts';
import { enrollRequestSchema } from '../../wire/enroll.ts';
import { created, done, many } from '../answer.ts';
import { objectBody } from '../body.ts';
import { listPages, pageOf } from '../params.ts';
import type { Route } from '../route.ts';
import { scopedRoute } from '../route.ts';
import { count, dataOf, listOf, nullable, object, pageMeta, text, time, uuid } from '../schemas.ts';
import { environmentInBody, everything, objectInPath } from '../target.ts';

const DEFAULT_HOURS = 24;
const DEFAULT_AGENTS = 5;
const HOUR_MS = 3_600_000;

const properties = {
  id: uuid,
  client_id: uuid,
  environment_id: uuid,
  cluster_slug: nullable(text),
  max_agents: count,
  agents_enrolled: count,
  created_by: nullable(uuid),
  created_at: time,
  expires_at: time,
  revoked_at: nullable(time),
};

interface NewInstallToken {
  readonly environment_id: string;
  readonly cluster_slug?: string | null;
  readonly max_agents?: number;
  readonly expires_in_hours?: number;
}

export const installTokenRoutes: readonly Route[] = [
  scopedRoute({
    method: 'GET',
    path: '/api/v1/install-tokens',
    summary: 'List install tokens; the tokens themselves are shown only when they are made.',
    permission: 'assets:write',
    target: everything,
    query: listPages,
    answer: listOf(object(properties), pageMeta),
    async handle({ backend, scope, query }) {
      const page = pageOf(query);
      const { rows, total } = await listInstallTokens(backend.pool, scope, page);
      return many(rows, { total, page: page.page, per_page: page.perPage });
    },
  }),
  scopedRoute({
    method: 'POST',
    path: '/api/v1/install-tokens',
    summary: 'Make an install token for an environment, or for one cluster of it.',
    permission: 'assets:write',
    target: environmentInBody,
    body: objectBody<NewInstallToken>(
      {
        environment_id: uuid,
        cluster_slug: nullable(enrollRequestSchema.properties.cluster_slug),
        max_agents: { type: 'integer', minimum: 1, maximum: 1000 },
        expires_in_hours: { type: 'integer', minimum: 1, maximum: 720 },
      },
      ['cluster_slug', 'max_agents', 'expires_in_hours'],
    ),
    status: 201,
    answer: dataOf(object({ ...properties, token: text })),
    async handle({ backend, body, target, caller, now }) {
      const lifeMs = (body.expires_in_hours ?? DEFAULT_HOURS) * HOUR_MS;
      const { row, secret } = await createInstallToken(backend.pool, {
        client_id: target.client_id,
        environment_id: target.id,
        cluster_slug: body.cluster_slug ?? null,
        max_agents: body.max_agents ?? DEFAULT_AGENTS,
        created_by: caller.caller_id,
        expires_at: new Date(now.getTime() + lifeMs),
      });
      return created({ ...row, token: secret });
    },
  }),
  scopedRoute({
    method: 'DELETE',
    path: '/api/v1/install-tokens/:id',
    summary: 'Revoke an install token; agents that enrolled with it stay.',
    permission: 'assets:write',
    target: objectInPath('id', 'install token', (backend, id) => findInstallToken(backend.pool, id)),
    status: 204,
    answer: null,
    async handle({ backend, target, now }) {
      await revokeInstallToken(backend.pool, target.id, now);
      return done();
    },
  }),
];
