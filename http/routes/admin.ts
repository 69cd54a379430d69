/** Administration of tenants and what ingest refused (contracts.md sections 1, 2 and 5); `admin:write` throughout. */

import { bindClaimants, claimedClusterUids } from '../../store/claimedUids.ts';
import { acceptClusterUid } from '../../store/clusterSync.ts';
import { getCluster } from '../../store/clusters.ts';
import { getRejected, listRejected } from '../../store/rejected.ts';
import { createClient, createEnvironment, listClients, listEnvironments } from '../../store/tenants.ts';
import { inTransaction } from '../../store/tx.ts';
import type { Schema } from '../../wire/kinds/define.ts';
import { created, many, one } from '../answer.ts';
import { objectBody } from '../body.ts';
import { listPages, pageOf, uuidParam } from '../params.ts';
import { badBody, isRefusal, notFound, refuse } from '../refusal.ts';
import type { Route } from '../route.ts';
import { systemRoute } from '../route.ts';
import { count, dataOf, label, listOf, nullable, object, pageMeta, text, time, uuid } from '../schemas.ts';
import { isUuid } from '../uuid.ts';

const ACCEPT_TIMEOUT_MS = 10_000;

const slug: Schema = { type: 'string', pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' };
const client = object({ id: uuid, slug: text, name: text, tenant: count, created_at: time });
const environment = object({ id: uuid, client_id: uuid, slug: text, name: text, created_at: time });
const wholeList = object({ total: count });

const tenantRoutes: readonly Route[] = [
  systemRoute({
    method: 'GET',
    path: '/api/v1/admin/clients',
    summary: 'List all clients.',
    answer: listOf(client, wholeList),
    async handle({ backend }) {
      const rows = await listClients(backend.pool);
      return many(rows, { total: rows.length });
    },
  }),
  systemRoute({
    method: 'POST',
    path: '/api/v1/admin/clients',
    refusals: [409],
    summary: 'Add a client. Its slug never changes.',
    body: objectBody<{ slug: string; name: string }>({ slug, name: label(200) }),
    status: 201,
    answer: dataOf(client),
    async handle({ backend, body }) {
      // Subjects `proxima.system.…` are the backend's own.
      if (body.slug === 'system') return badBody('/slug', 'is reserved');
      const row = await createClient(backend.pool, body);
      return row === null ? refuse(409, 'slug_taken', 'a client has this slug') : created(row);
    },
  }),
  systemRoute({
    method: 'GET',
    path: '/api/v1/admin/environments',
    summary: 'List all environments, or those of one client.',
    query: { client_id: uuidParam('Only environments of this client.') },
    answer: listOf(environment, wholeList),
    async handle({ backend, query }) {
      const rows = await listEnvironments(backend.pool, query.client_id);
      return many(rows, { total: rows.length });
    },
  }),
  systemRoute({
    method: 'POST',
    path: '/api/v1/admin/environments',
    refusals: [404, 409],
    summary: 'Add an environment to a client. Its slug never changes.',
    body: objectBody<{ client_id: string; slug: string; name: string }>({
      client_id: uuid,
      slug,
      name: label(200),
    }),
    status: 201,
    answer: dataOf(environment),
    async handle({ backend, body }) {
      const made = await createEnvironment(backend.pool, body);
      switch (made.kind) {
        case 'created':
          return created(made.environment);
        case 'no_client':
          return notFound('client');
        case 'slug_taken':
          return refuse(409, 'slug_taken', 'the client has an environment of this slug');
      }
    },
  }),
];

const rejectedProperties = {
  id: uuid,
  agent_id: text,
  type: text,
  subject: text,
  reason: text,
  detail: nullable(text),
  cluster_slug: nullable(text),
  cluster_uid: nullable(text),
  published_at: time,
  received_at: time,
  size_bytes: count,
  content_encoding: nullable(text),
};

const ingestRoutes: readonly Route[] = [
  systemRoute({
    method: 'GET',
    path: '/api/v1/admin/rejected',
    summary: 'List messages that ingest refused, the newest first.',
    query: listPages,
    answer: listOf(object(rejectedProperties), pageMeta),
    async handle({ backend, query }) {
      const page = pageOf(query);
      const { rows, total } = await listRejected(backend.pool, page);
      return many(rows, { total, page: page.page, per_page: page.perPage });
    },
  }),
  systemRoute({
    method: 'GET',
    path: '/api/v1/admin/rejected/:id',
    summary: 'Get a message that ingest refused, with its first 64 KiB in base64.',
    answer: dataOf(object({ ...rejectedProperties, head: text })),
    async handle({ backend, params }) {
      const id = params.id ?? '';
      const message = isUuid(id) ? await getRejected(backend.pool, id) : null;
      return message === null
        ? notFound('message')
        : one({ ...message, head: message.head.toString('base64') });
    },
  }),
  systemRoute({
    method: 'POST',
    path: '/api/v1/admin/clusters/:id/accept-uid',
    refusals: [404, 409],
    summary: 'Take a rebuilt cluster under its old slug; the uid is one that its agents reported.',
    body: objectBody<{ uid: string }>({ uid: { type: 'string', minLength: 1, maxLength: 64 } }),
    answer: dataOf(object({ id: uuid, uid: text })),
    async handle({ backend, params, body, caller }) {
      const id = params.id ?? '';
      if (!isUuid(id)) return notFound('cluster');
      const accepted = await inTransaction(backend.pool, ACCEPT_TIMEOUT_MS, async (db) => {
        const cluster = await getCluster(db, id);
        if (cluster === null) return notFound('cluster');
        // Asked twice, it must not start the facts over twice.
        if (cluster.uid === body.uid) return { before: cluster.uid };
        const listed = await claimedClusterUids(db, cluster);
        if (!listed.includes(body.uid)) {
          return refuse(409, 'uid_not_listed', 'no agent of this cluster has reported this uid', {
            details: { listed },
          });
        }
        await acceptClusterUid(db, cluster.id, body.uid);
        await bindClaimants(db, cluster, body.uid);
        return { before: cluster.uid };
      });
      if (isRefusal(accepted)) return accepted;
      if (accepted.before !== body.uid) {
        backend.log.info(
          { cluster_id: id, caller_id: caller.caller_id, uid: body.uid, uid_before: accepted.before },
          'cluster uid accepted',
        );
      }
      return one({ id, uid: body.uid });
    },
  }),
];

export const adminRoutes: readonly Route[] = [...tenantRoutes, ...ingestRoutes];
