/** What a cluster has and carries: summary, node capacity, namespace usage (SM-06 to SM-23, AP-09 to AP-16). */

import { summarize } from '../../store/summary.ts';
import { namespaceUsage, nodeCapacities } from '../../store/usage.ts';
import type { Schema } from '../../wire/kinds/define.ts';
import { events, namespaces, nodes, pods, workloads } from '../../wire/kinds/index.ts';
import { freshness, freshnessOf } from '../freshness.ts';
import { notFound } from '../refusal.ts';
import type { Route } from '../route.ts';
import { clusterRoute } from '../route.ts';
import { count, nullable, object, text, time, uuid } from '../schemas.ts';

const BASE = '/api/v1/clusters/:clusterID';
const amount = nullable(count);
const listOfItems = (properties: Readonly<Record<string, Schema>>, maxItems?: number): Schema => ({
  type: 'array',
  items: object(properties),
  ...(maxItems === undefined ? {} : { maxItems }),
});
const meta: Schema = {
  type: 'object',
  properties: freshness,
  required: ['as_of'],
  additionalProperties: false,
};
const answer = (data: Schema): Schema => object({ data, meta });

const asked = {
  cpu_requested_millicores: count,
  cpu_limits_millicores: count,
  mem_requested_bytes: count,
  mem_limits_bytes: count,
};

/** SM-16, SM-18, SM-19. */
export const capacity = object({
  ...asked,
  cpu_allocatable_millicores: count,
  cpu_used_millicores: amount,
  cpu_allocatable_reporting_millicores: count,
  mem_allocatable_bytes: count,
  mem_used_bytes: amount,
  mem_allocatable_reporting_bytes: count,
  pods_allocatable: count,
  pods_running: count,
  nodes_total: count,
  cpu_usage_nodes: count,
  mem_usage_nodes: count,
});

const reasons = (maxItems: number): Schema => listOfItems({ reason: text, count }, maxItems);

const summary = object({
  nodes: object({ total: count, ready: count, not_ready: count, with_metrics: count }),
  not_ready_nodes: { type: 'array', items: text, maxItems: 10 },
  pods: object({
    total: count,
    running: count,
    pending: count,
    succeeded: count,
    failed: count,
    unknown: count,
  }),
  waiting: reasons(10),
  pending_long: listOfItems({ namespace: text, name: text, age_seconds: count }, 10),
  top_restarters: listOfItems(
    { namespace: text, name: text, workload_kind: nullable(text), workload: nullable(text), restarts: count },
    5,
  ),
  workloads_not_ready: listOfItems(
    { id: uuid, kind: text, namespace: text, name: text, ready: count, desired: count },
    10,
  ),
  capacity,
  warning_events_1h: count,
  top_warning_reasons: reasons(5),
  generated_at: time,
});

const nodeCapacity = {
  id: uuid,
  name: text,
  status: text,
  roles: { type: 'array', items: text },
  unschedulable: { type: 'boolean' },
  pod_count: amount,
  cpu_allocatable_millicores: amount,
  cpu_used_millicores: amount,
  mem_allocatable_bytes: amount,
  mem_used_bytes: amount,
  pods_allocatable: amount,
  ...asked,
};

const usage = {
  name: text,
  workload_count: amount,
  pods_total: count,
  pods_running: count,
  restarts: count,
  ...asked,
};

const json = (data: unknown, meta: unknown) => ({ kind: 'json', status: 200, body: { data, meta } }) as const;

/** Mounted before the inventory: `nodes/capacity` is no node's id. */
export const summaryRoutes: readonly Route[] = [
  clusterRoute({
    method: 'GET',
    path: `${BASE}/summary`,
    summary: 'Get the health digest of a cluster; its lists are capped, the counts beside them exact.',
    permissions: ['assets:read'],
    answer: answer(summary),
    async handle({ backend, cluster }) {
      const found = await summarize(backend.pool, cluster);
      if (found === null) return notFound('cluster');
      const { generated_at: _, ...digest } = found;
      const meta = freshnessOf(cluster, nodes, pods, workloads, events);
      // The time at which it was made makes no other summary of it.
      return { ...json(found, meta), sameness: [digest, meta] };
    },
  }),
  clusterRoute({
    method: 'GET',
    path: `${BASE}/nodes/capacity`,
    summary: 'Get what the first 1000 nodes of a cluster have, what their pods ask for and what is used.',
    permissions: ['assets:read'],
    answer: answer(
      object({ nodes: listOfItems(nodeCapacity, 1000), truncated: { type: 'boolean' }, total: count }),
    ),
    handle: async ({ backend, cluster }) =>
      json(await nodeCapacities(backend.pool, cluster), freshnessOf(cluster, nodes, pods)),
  }),
  clusterRoute({
    method: 'GET',
    path: `${BASE}/namespaces/usage`,
    summary: 'Get what the pods of each namespace of a cluster ask for.',
    permissions: ['assets:read'],
    answer: answer(listOfItems(usage)),
    handle: async ({ backend, cluster }) =>
      json(await namespaceUsage(backend.pool, cluster), freshnessOf(cluster, namespaces, pods)),
  }),
];
