/** Lists and single objects of the thirteen kinds: one loop over the kind table (AP-08, AP-14, AP-17, AP-18, AP-40, AP-41). */

import { shortfalls } from '../../rules/listCoverage.ts';
import type { ClusterRow } from '../../store/clusters.ts';
import { linkColumn, recordFields } from '../../store/inventory/columns.ts';
import { getObject, listObjects } from '../../store/inventory/read.ts';
import type { Page } from '../../store/page.ts';
import type { PodOwner } from '../../store/podLists.ts';
import { listPodsOf } from '../../store/podLists.ts';
import { COVERAGE_STATES } from '../../wire/coverage.ts';
import type { Kind, Schema } from '../../wire/kinds/define.ts';
import { kinds, nodes, pods, workloads } from '../../wire/kinds/index.ts';
import { many, one } from '../answer.ts';
import { listPages, pageOf } from '../params.ts';
import { notFound } from '../refusal.ts';
import type { Route } from '../route.ts';
import { clusterRoute } from '../route.ts';
import { count, dataOf, fieldSchemas, listOf, nullable, object, text, time, uuid } from '../schemas.ts';
import { isUuid } from '../uuid.ts';

const BASE = '/api/v1/clusters/:clusterID';

/** What the REST record of a kind holds. */
function recordOf(kind: Kind): Schema {
  const link = linkColumn(kind);
  return object({
    id: uuid,
    ...fieldSchemas(Object.fromEntries(recordFields(kind))),
    ...(link === null ? {} : { [link]: nullable(uuid) }),
    synced_at: time,
  });
}

const shortfall: Schema = {
  type: 'object',
  properties: {
    state: { type: 'string', enum: COVERAGE_STATES.filter((state) => state !== 'complete') },
    listed: count,
    sent: count,
    reason: text,
    since: time,
  },
  required: ['state', 'listed', 'sent'],
  additionalProperties: false,
};

/** `total`, the page where there are pages, the snapshot's time, and what that snapshot lacked (D10). */
function metaSchema(paged: boolean): Schema {
  const required = paged ? ['total', 'page', 'per_page', 'as_of'] : ['total', 'as_of'];
  return {
    type: 'object',
    properties: {
      total: count,
      ...(paged ? { page: count, per_page: count } : {}),
      as_of: nullable(time),
      coverage: { type: 'object', additionalProperties: shortfall },
    },
    required,
    additionalProperties: false,
  };
}

function metaOf(cluster: ClusterRow, kind: Kind, total: number, page: Page | null) {
  const coverage = shortfalls(kind.coverage, cluster.coverage, cluster.unverified_since);
  return {
    total,
    ...(page === null ? {} : { page: page.page, per_page: page.perPage }),
    as_of: cluster.snapshot_at,
    ...(coverage === null ? {} : { coverage }),
  };
}

function listRoute(kind: Kind): Route {
  const shared = {
    method: 'GET',
    path: `${BASE}/${kind.path}`,
    summary: `List the ${kind.path} of a cluster.`,
    permissions: ['assets:read'],
    answer: listOf(recordOf(kind), metaSchema(kind.paged)),
  } as const;
  if (!kind.paged) {
    return clusterRoute({
      ...shared,
      async handle({ backend, cluster }) {
        const { rows, total } = await listObjects(backend.pool, cluster, kind, null);
        return many(rows, metaOf(cluster, kind, total, null));
      },
    });
  }
  return clusterRoute({
    ...shared,
    query: listPages,
    async handle({ backend, cluster, query }) {
      const page = pageOf(query);
      const { rows, total } = await listObjects(backend.pool, cluster, kind, page);
      return many(rows, metaOf(cluster, kind, total, page));
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
    query: listPages,
    answer: listOf(recordOf(pods), metaSchema(true)),
    async handle({ backend, cluster, params, query }) {
      const id = params[parameter] ?? '';
      if (!isUuid(id)) return notFound(owner);
      const page = pageOf(query);
      const { rows, total } = await listPodsOf(backend.pool, cluster, owner, id, page);
      return many(rows, metaOf(cluster, pods, total, page));
    },
  });

export const inventoryRoutes: readonly Route[] = [
  ...kinds.map((kind) => listRoute(kind)),
  singleRoute(nodes, 'nodeID', 'node'),
  singleRoute(workloads, 'workloadID', 'workload'),
  podsOfRoute('node', nodes, 'nodeID'),
  podsOfRoute('workload', workloads, 'workloadID'),
];
