/** Lists and single objects of the thirteen kinds: one loop over the kind table (AP-08, AP-14, AP-17, AP-18, AP-40, AP-41). */

import { sanitizeText } from '../../rules/scrub/text.ts';
import type { ClusterRow } from '../../store/clusters.ts';
import { linkColumn, recordFields } from '../../store/inventory/columns.ts';
import type { ListRequest } from '../../store/inventory/listSql.ts';
import type { Window } from '../../store/inventory/read.ts';
import { getObject, listAll, listWindow } from '../../store/inventory/read.ts';
import type { PodOwner } from '../../store/podLists.ts';
import { listPodsOf } from '../../store/podLists.ts';
import type { Kind, Schema } from '../../wire/kinds/define.ts';
import { events, kinds, nodes, pods, workloads } from '../../wire/kinds/index.ts';
import type { Answer } from '../answer.ts';
import { many, one } from '../answer.ts';
import { freshness, freshnessOf } from '../freshness.ts';
import { listParams, listRequest } from '../listParams.ts';
import { isRefusal, notFound } from '../refusal.ts';
import type { Route } from '../route.ts';
import { clusterRoute } from '../route.ts';
import { count, dataOf, fieldSchemas, listOf, nullable, object, text, time, uuid } from '../schemas.ts';
import { isUuid } from '../uuid.ts';

const BASE = '/api/v1/clusters/:clusterID';

/** What the REST record of a kind holds. */
export function recordProperties(kind: Kind): Record<string, Schema> {
  const link = linkColumn(kind);
  return {
    id: uuid,
    ...fieldSchemas(Object.fromEntries(recordFields(kind))),
    ...(link === null ? {} : { [link]: nullable(uuid) }),
    synced_at: time,
  };
}

const recordOf = (kind: Kind): Schema => object(recordProperties(kind));

/** What every list says of itself: its length, the snapshot's time, and what that snapshot lacked (D10). */
const shared = { total: count, ...freshness };

const wholeMeta: Schema = {
  type: 'object',
  properties: shared,
  required: ['total', 'as_of'],
  additionalProperties: false,
};

/** `page` is absent where a cursor was followed. */
const windowMeta: Schema = {
  type: 'object',
  properties: { ...shared, page: count, per_page: count, next_cursor: nullable(text) },
  required: ['total', 'per_page', 'next_cursor', 'as_of'],
  additionalProperties: false,
};

function answerWindow(cluster: ClusterRow, kind: Kind, { window }: ListRequest, found: Window): Answer {
  return many(found.rows, {
    total: found.total,
    ...('page' in window ? { page: window.page } : {}),
    per_page: window.perPage,
    next_cursor: found.nextCursor,
    ...freshnessOf(cluster, kind),
  });
}

/** Messages of events pass the sanitizer again: an older agent knew fewer of its rules (AP-42). */
function shown(kind: Kind, found: Window): Window {
  if (kind.name !== events.name) return found;
  const rows = found.rows.map((row) =>
    typeof row.message === 'string' ? { ...row, message: sanitizeText(row.message) } : row,
  );
  return { ...found, rows };
}

function listRoute(kind: Kind): Route {
  const contract = {
    method: 'GET',
    path: `${BASE}/${kind.path}`,
    summary: `List the ${kind.path} of a cluster.`,
    permissions: ['assets:read'],
    answer: listOf(recordOf(kind), kind.paged ? windowMeta : wholeMeta),
  } as const;
  if (!kind.paged) {
    return clusterRoute({
      ...contract,
      async handle({ backend, cluster }) {
        const rows = await listAll(backend.pool, cluster, kind);
        return many(rows, { total: rows.length, ...freshnessOf(cluster, kind) });
      },
    });
  }
  return clusterRoute({
    ...contract,
    query: listParams(kind),
    async handle({ backend, cluster, query, request }) {
      const asked = listRequest(kind, query, request.search);
      if (isRefusal(asked)) return asked;
      const found = await listWindow(backend.pool, cluster, kind, asked);
      return answerWindow(cluster, kind, asked, shown(kind, found));
    },
  });
}

/** One object of a kind, looked up by its id and the cluster of the path. */
const singleRoute = (kind: Kind, parameter: string, noun: string): Route =>
  clusterRoute({
    method: 'GET',
    path: `${BASE}/${kind.path}/:${parameter}`,
    summary: `Get one ${noun} of a cluster.`,
    permissions: ['assets:read'],
    answer: dataOf(recordOf(kind)),
    async handle({ backend, cluster, params }) {
      const id = params[parameter] ?? '';
      const row = isUuid(id) ? await getObject(backend.pool, cluster, kind, id) : null;
      return row === null ? notFound(noun) : one(row);
    },
  });

/** Pods of a node or a workload; an id of another cluster has none (AP-40). */
const podsOfRoute = (owner: PodOwner, kind: Kind, parameter: string): Route =>
  clusterRoute({
    method: 'GET',
    path: `${BASE}/${kind.path}/:${parameter}/pods`,
    summary: `List the pods of one ${owner} of a cluster.`,
    permissions: ['assets:read'],
    query: listParams(pods),
    answer: listOf(recordOf(pods), windowMeta),
    async handle({ backend, cluster, params, query, request }) {
      const id = params[parameter] ?? '';
      if (!isUuid(id)) return notFound(owner);
      const asked = listRequest(pods, query, request.search);
      if (isRefusal(asked)) return asked;
      return answerWindow(cluster, pods, asked, await listPodsOf(backend.pool, cluster, owner, id, asked));
    },
  });

export const inventoryRoutes: readonly Route[] = [
  ...kinds.map((kind) => listRoute(kind)),
  singleRoute(nodes, 'nodeID', 'node'),
  singleRoute(workloads, 'workloadID', 'workload'),
  podsOfRoute('node', nodes, 'nodeID'),
  podsOfRoute('workload', workloads, 'workloadID'),
];
