/** Hosts that nodes are linked to (contracts.md section 4). */

import type { Host } from '../../store/hosts.ts';
import { createHost, deleteHost, findHost, listHosts } from '../../store/hosts.ts';
import { fieldTypes, HOST_FIELDS } from '../../store/pqlSql.ts';
import { created, done, many } from '../answer.ts';
import { objectBody } from '../body.ts';
import { listPages, pageOf } from '../params.ts';
import { pqlParam, readPql } from '../pqlParam.ts';
import { isRefusal, refuse } from '../refusal.ts';
import type { Route } from '../route.ts';
import { scopedRoute } from '../route.ts';
import { dataOf, label, listOf, nullable, object, pageMeta, text, time, uuid } from '../schemas.ts';
import { environmentInBody, everything, objectInPath } from '../target.ts';

const host = object({
  id: uuid,
  client_id: uuid,
  environment_id: uuid,
  hostname: text,
  ip_address: nullable(text),
  os: nullable(text),
  created_at: time,
  updated_at: time,
});

interface NewHost {
  readonly environment_id: string;
  readonly hostname: string;
  readonly ip_address?: string | null;
  readonly os?: string | null;
}

const FIELDS = fieldTypes(HOST_FIELDS);

export const hostRoutes: readonly Route[] = [
  scopedRoute({
    method: 'GET',
    path: '/api/v1/hosts',
    summary: 'List hosts, those alone that a query finds when there is one.',
    permission: 'assets:read',
    target: everything,
    query: { ...listPages, pql: pqlParam(FIELDS) },
    answer: listOf(host, pageMeta),
    async handle({ backend, scope, query }) {
      const pql = query.pql === null ? null : readPql(query.pql, FIELDS);
      if (isRefusal(pql)) return pql;
      const page = pageOf(query);
      const { rows, total } = await listHosts(backend.pool, scope, page, pql);
      return many(rows, { total, page: page.page, per_page: page.perPage });
    },
  }),
  scopedRoute({
    method: 'POST',
    path: '/api/v1/hosts',
    refusals: [409],
    summary: 'Add a host to an environment.',
    permission: 'assets:write',
    target: environmentInBody,
    body: objectBody<NewHost>(
      {
        environment_id: uuid,
        hostname: label(253),
        ip_address: nullable(label(64)),
        os: nullable(label(128)),
      },
      ['ip_address', 'os'],
    ),
    status: 201,
    answer: dataOf(host),
    async handle({ backend, body, target }) {
      const row: Host | null = await createHost(backend.pool, {
        client_id: target.client_id,
        environment_id: target.id,
        hostname: body.hostname,
        ip_address: body.ip_address ?? null,
        os: body.os ?? null,
      });
      return row === null
        ? refuse(409, 'hostname_taken', 'the environment has a host of this name')
        : created(row);
    },
  }),
  scopedRoute({
    method: 'DELETE',
    path: '/api/v1/hosts/:id',
    summary: 'Remove a host.',
    permission: 'assets:write',
    target: objectInPath('id', 'host', (backend, id) => findHost(backend.pool, id)),
    status: 204,
    answer: null,
    async handle({ backend, target }) {
      await deleteHost(backend.pool, target.id);
      return done();
    },
  }),
];
