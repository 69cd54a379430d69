/** The three cluster lists and the single cluster (AP-02 to AP-07, AP-43, AU-03 to AU-05). */

import { loadsOf } from '../../store/capacity.ts';
import type { ClusterFilter } from '../../store/clusters.ts';
import { listClusters } from '../../store/clusters.ts';
import type { ScopeFilter } from '../../store/scope.ts';
import { COVERAGE_STATES } from '../../wire/coverage.ts';
import { clusterFields } from '../../wire/snapshot.ts';
import type { Answer } from '../answer.ts';
import { many, one } from '../answer.ts';
import type { Backend } from '../backend.ts';
import type { Param, QueryOf } from '../params.ts';
import { clusterPages, pageOf, textParam, uuidParam } from '../params.ts';
import type { Route } from '../route.ts';
import { clusterRoute, scopedRoute } from '../route.ts';
import {
  count,
  dataOf,
  fieldSchemas,
  listOf,
  nullable,
  object,
  pageMeta,
  text,
  time,
  uuid,
} from '../schemas.ts';
import { clientInPath, environmentInPath, everything } from '../target.ts';
import { capacity } from './summary.ts';

const include: Param<'capacity' | null> = {
  schema: { type: 'string', enum: ['capacity'] },
  description: 'capacity adds to each cluster what it has, what its pods ask for, and two health counts.',
  problem: 'must be capacity',
  absent: null,
  read: (value) => (value === 'capacity' ? value : undefined),
};

const filters = {
  include,
  status: textParam('Only clusters of this status.'),
  search: textParam('Only clusters whose name contains this, in any case.'),
};

const listQuery = {
  ...clusterPages,
  ...filters,
  client_id: uuidParam('Only clusters of this client.'),
  environment_id: uuidParam('Only clusters of this environment.'),
};
const placedQuery = { ...clusterPages, ...filters };

const itemProperties = {
  id: uuid,
  asset_id: uuid,
  client_id: uuid,
  environment_id: uuid,
  name: text,
  display_name: text,
  slug: text,
  version: nullable(text),
  platform: nullable(text),
  status: text,
  agent_status: text,
  agent_version: nullable(text),
  node_count: count,
  namespace_count: count,
  workload_count: count,
  last_seen_at: nullable(time),
};

/** The three last ones with `include=capacity`, while the cluster exists (SM-05). */
const item = {
  ...object(itemProperties),
  properties: { ...itemProperties, capacity, pods_not_running: count, warning_events_1h: count },
};

const coverageBlock = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: {
      state: { type: 'string', enum: [...COVERAGE_STATES] },
      listed: count,
      sent: count,
      reason: text,
    },
    required: ['state', 'listed', 'sent'],
    additionalProperties: false,
  },
};

const detail = object({
  ...fieldSchemas(clusterFields),
  ...itemProperties,
  dns_domain: text,
  snapshot_at: nullable(time),
  recorded_at: nullable(time),
  epoch_lease_uid: nullable(text),
  epoch_transitions: nullable(count),
  coverage: nullable(coverageBlock),
  unverified_since: { type: 'object', additionalProperties: time },
  argocd_state: nullable(text),
  argocd_in_cluster_names: { type: 'array', items: text },
  created_at: time,
  updated_at: time,
});

/** One page of clusters with exactly `{total, page, per_page}` (AP-05). */
async function answerClusters(
  backend: Backend,
  scope: ScopeFilter,
  filter: ClusterFilter,
  query: QueryOf<typeof clusterPages & { include: typeof include }>,
): Promise<Answer> {
  const page = pageOf(query);
  const { rows, total } = await listClusters(backend.pool, scope, filter, page);
  const loads = query.include === null ? null : await loadsOf(backend.pool, rows);
  const items = loads === null ? rows : rows.map((row) => ({ ...row, ...loads.get(row.id) }));
  return many(items, { total, page: page.page, per_page: page.perPage });
}

export const clusterRoutes: readonly Route[] = [
  scopedRoute({
    method: 'GET',
    path: '/api/v1/clusters',
    summary: 'List the clusters that the caller may see.',
    permission: 'assets:read',
    target: everything,
    query: listQuery,
    answer: listOf(item, pageMeta),
    handle: ({ backend, scope, query }) => answerClusters(backend, scope, query, query),
  }),
  scopedRoute({
    method: 'GET',
    path: '/api/v1/clients/:id/clusters',
    summary: 'List the clusters of a client that the caller may see.',
    permission: 'assets:read',
    target: clientInPath('id'),
    query: placedQuery,
    answer: listOf(item, pageMeta),
    handle: ({ backend, target, query }) =>
      answerClusters(
        backend,
        target.scope,
        { ...query, client_id: target.clientId, environment_id: null },
        query,
      ),
  }),
  scopedRoute({
    method: 'GET',
    path: '/api/v1/environments/:envID/clusters',
    summary: 'List the clusters of an environment.',
    permission: 'assets:read',
    target: environmentInPath('envID'),
    query: placedQuery,
    answer: listOf(item, pageMeta),
    handle: ({ backend, scope, target, query }) =>
      answerClusters(backend, scope, { ...query, client_id: null, environment_id: target.id }, query),
  }),
  clusterRoute({
    method: 'GET',
    path: '/api/v1/clusters/:clusterID',
    summary: 'Get a cluster with all metadata, cloud context and counts.',
    permissions: ['assets:read'],
    answer: dataOf(detail),
    handle: async ({ cluster }) => one(cluster),
  }),
];
