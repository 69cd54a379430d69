/** Capacity and health counts of clusters (SM-01 to SM-05, SM-16 to SM-19): one text for the list and the summary. */

import type { Db } from './pool.ts';
import type { ClusterInScope } from './scope.ts';

/** What a cluster has, what its pods ask for and what is used. CPU in millicores, memory in bytes. */
export interface Capacity {
  readonly cpu_allocatable_millicores: number;
  readonly cpu_requested_millicores: number;
  readonly cpu_limits_millicores: number;
  /** Over the nodes that report usage; null, never 0, when none does. */
  readonly cpu_used_millicores: number | null;
  /** Allocatable of exactly those nodes. */
  readonly cpu_allocatable_reporting_millicores: number;
  readonly mem_allocatable_bytes: number;
  readonly mem_requested_bytes: number;
  readonly mem_limits_bytes: number;
  readonly mem_used_bytes: number | null;
  readonly mem_allocatable_reporting_bytes: number;
  readonly pods_allocatable: number;
  readonly pods_running: number;
  readonly nodes_total: number;
  readonly cpu_usage_nodes: number;
  readonly mem_usage_nodes: number;
}

export interface ClusterLoad {
  readonly capacity: Capacity;
  /** Pods in any phase but Running and Succeeded. */
  readonly pods_not_running: number;
  /** Warning events seen in the past hour: objects, not their counts (SM-03). */
  readonly warning_events_1h: number;
}

/** Pods that hold no resources any more; their requests and limits count for nothing (SM-17). */
export const ENDED_PHASES = "('Succeeded', 'Failed')";

/**
 * A row per cluster of $1 that still exists. Each table is grouped by itself, so that no join multiplies its rows. An
 * older agent stored 0 for a node without usage: a running node never uses nothing, so that reads as null.
 */
const LOADS = `
  with nodes as (
    select cluster_id,
      count(*) as nodes_total,
      sum(allocatable_cpu_millicores) as cpu_allocatable,
      sum(allocatable_memory_bytes) as mem_allocatable,
      sum(allocatable_pods) as pods_allocatable,
      sum(nullif(usage_cpu_millicores, 0)) as cpu_used,
      sum(nullif(usage_memory_bytes, 0)) as mem_used,
      sum(allocatable_cpu_millicores) filter (where usage_cpu_millicores <> 0) as cpu_reporting,
      sum(allocatable_memory_bytes) filter (where usage_memory_bytes <> 0) as mem_reporting,
      count(*) filter (where usage_cpu_millicores <> 0) as cpu_usage_nodes,
      count(*) filter (where usage_memory_bytes <> 0) as mem_usage_nodes
    from k8s_nodes where cluster_id = any ($1::uuid[]) group by cluster_id
  ), pods as (
    select cluster_id,
      sum(cpu_requests_millicores) filter (where phase not in ${ENDED_PHASES}) as cpu_requested,
      sum(cpu_limits_millicores) filter (where phase not in ${ENDED_PHASES}) as cpu_limits,
      sum(memory_requests_bytes) filter (where phase not in ${ENDED_PHASES}) as mem_requested,
      sum(memory_limits_bytes) filter (where phase not in ${ENDED_PHASES}) as mem_limits,
      count(*) filter (where phase = 'Running') as running,
      count(*) filter (where phase not in ('Running', 'Succeeded')) as not_running
    from k8s_pods where cluster_id = any ($1::uuid[]) group by cluster_id
  ), warnings as (
    select cluster_id, count(*) as total
    from k8s_events
    where cluster_id = any ($1::uuid[]) and type = 'Warning' and last_seen_at > now() - interval '1 hour'
    group by cluster_id
  )
  select k.id,
    json_build_object(
      'cpu_allocatable_millicores', coalesce(n.cpu_allocatable, 0),
      'cpu_requested_millicores', coalesce(p.cpu_requested, 0),
      'cpu_limits_millicores', coalesce(p.cpu_limits, 0),
      'cpu_used_millicores', n.cpu_used,
      'cpu_allocatable_reporting_millicores', coalesce(n.cpu_reporting, 0),
      'mem_allocatable_bytes', coalesce(n.mem_allocatable, 0),
      'mem_requested_bytes', coalesce(p.mem_requested, 0),
      'mem_limits_bytes', coalesce(p.mem_limits, 0),
      'mem_used_bytes', n.mem_used,
      'mem_allocatable_reporting_bytes', coalesce(n.mem_reporting, 0),
      'pods_allocatable', coalesce(n.pods_allocatable, 0),
      'pods_running', coalesce(p.running, 0),
      'nodes_total', coalesce(n.nodes_total, 0),
      'cpu_usage_nodes', coalesce(n.cpu_usage_nodes, 0),
      'mem_usage_nodes', coalesce(n.mem_usage_nodes, 0)
    ) as capacity,
    coalesce(p.not_running, 0) as pods_not_running,
    coalesce(w.total, 0) as warning_events_1h
  from clusters k
  left join nodes n on n.cluster_id = k.id
  left join pods p on p.cluster_id = k.id
  left join warnings w on w.cluster_id = k.id
  where k.id = any ($1::uuid[])`;

/** Loads by cluster id, in one query; a cluster that is gone by now is missing (SM-04, SM-05). */
export async function loadsOf(
  db: Db,
  clusters: readonly { readonly id: string }[],
): Promise<ReadonlyMap<string, ClusterLoad>> {
  const { rows } = await db.query<ClusterLoad & { id: string }>({
    name: 'cluster_loads',
    text: LOADS,
    values: [clusters.map(({ id }) => id)],
  });
  return new Map(rows.map(({ id, ...load }) => [id, load]));
}

/** The load of one cluster; null when it is gone by now. */
export const loadOf = async (db: Db, cluster: ClusterInScope): Promise<ClusterLoad | null> =>
  (await loadsOf(db, [cluster])).get(cluster.id) ?? null;
