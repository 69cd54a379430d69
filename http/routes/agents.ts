/** The fleet (contracts.md sections 4 and 5; HA-06, X-14). */

import { AGENT_STATUSES } from '../../rules/agentStatus.ts';
import { deleteAgent } from '../../store/agents.ts';
import { findFleetAgent, listFleet } from '../../store/fleet.ts';
import { AGENTS_PATH } from '../../wire/enroll.ts';
import { many, one } from '../answer.ts';
import { listPages, pageOf } from '../params.ts';
import type { Route } from '../route.ts';
import { scopedRoute } from '../route.ts';
import { count, dataOf, listOf, nullable, object, pageMeta, text, time, uuid } from '../schemas.ts';
import { everything, objectInPath } from '../target.ts';

const agent = object({
  id: uuid,
  client_id: uuid,
  environment_id: uuid,
  agent_type: text,
  name: text,
  cluster_name: text,
  cluster_slug: text,
  cluster_uid: nullable(text),
  nkey: text,
  agent_version: text,
  status: { type: 'string', enum: [...AGENT_STATUSES] },
  last_heartbeat_at: nullable(time),
  epoch: nullable(object({ lease_uid: text, transitions: count })),
  created_at: time,
});

const agentInPath = objectInPath('id', 'agent', (backend, id, now) => findFleetAgent(backend.pool, id, now));

export const agentRoutes: readonly Route[] = [
  scopedRoute({
    method: 'GET',
    path: AGENTS_PATH,
    summary: 'List enrolled agents.',
    permission: 'assets:read',
    target: everything,
    query: listPages,
    answer: listOf(agent, pageMeta),
    async handle({ backend, scope, query, now }) {
      const page = pageOf(query);
      const { rows, total } = await listFleet(backend.pool, scope, page, now);
      return many(rows, { total, page: page.page, per_page: page.perPage });
    },
  }),
  scopedRoute({
    method: 'GET',
    path: `${AGENTS_PATH}/:id`,
    summary: 'Get an enrolled agent.',
    permission: 'assets:read',
    target: agentInPath,
    answer: dataOf(agent),
    handle: async ({ target }) => one(target),
  }),
  scopedRoute({
    method: 'DELETE',
    path: `${AGENTS_PATH}/:id`,
    summary: 'Delete an agent: its name is free and its messages are refused.',
    permission: 'assets:write',
    target: agentInPath,
    answer: dataOf(object({ revoked: { type: 'boolean' } })),
    async handle({ backend, target, caller, now }) {
      await deleteAgent(backend.pool, target.id, now);
      backend.log.info({ agent_id: target.id, caller_id: caller.caller_id }, 'agent deleted');
      // The backend refuses its messages from here on; the NATS server itself still knows its key (contracts.md section 7).
      return one({ revoked: false });
    },
  }),
];
