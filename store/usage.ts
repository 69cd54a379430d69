/** What nodes and namespaces carry (AP-09 to AP-13, AP-15, AP-16). CPU in millicores, memory in bytes. */

import { ENDED_PHASES } from './capacity.ts';
import type { Db } from './pool.ts';
import type { ClusterInScope } from './scope.ts';

export interface NodeCapacity {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly roles: string[];
  readonly unschedulable: boolean;
  /** As the last sync stored it; null while no sync could count. */
  readonly pod_count: number | null;
  readonly cpu_allocatable_millicores: number | null;
  readonly cpu_requested_millicores: number;
  readonly cpu_limits_millicores: number;
  /** Null for a node without a report. */
  readonly cpu_used_millicores: number | null;
  readonly mem_allocatable_bytes: number | null;
  readonly mem_requested_bytes: number;
  readonly mem_limits_bytes: number;
  readonly mem_used_bytes: number | null;
  readonly pods_allocatable: number | null;
}

export interface NodeCapacities {
  readonly nodes: NodeCapacity[];
  readonly truncated: boolean;
  /** Nodes of the cluster, those behind the limit included. */
  readonly total: number;
}

const MAX_NODES = 1000;

/** Sums of what the pods of a group ask for while they run; sums of integers come as text without the cast. */
const ASKED = `
  coalesce(sum(cpu_requests_millicores) filter (where phase not in ${ENDED_PHASES}), 0)::bigint as cpu_requested_millicores,
  coalesce(sum(cpu_limits_millicores) filter (where phase not in ${ENDED_PHASES}), 0)::bigint as cpu_limits_millicores,
  coalesce(sum(memory_requests_bytes) filter (where phase not in ${ENDED_PHASES}), 0)::bigint as mem_requested_bytes,
  coalesce(sum(memory_limits_bytes) filter (where phase not in ${ENDED_PHASES}), 0)::bigint as mem_limits_bytes`;

const NODE_CAPACITY = `
  select n.id, n.name, n.status, n.roles, n.unschedulable, n.pod_count,
    n.allocatable_cpu_millicores as cpu_allocatable_millicores,
    coalesce(p.cpu_requested_millicores, 0) as cpu_requested_millicores,
    coalesce(p.cpu_limits_millicores, 0) as cpu_limits_millicores,
    nullif(n.usage_cpu_millicores, 0) as cpu_used_millicores,
    n.allocatable_memory_bytes as mem_allocatable_bytes,
    coalesce(p.mem_requested_bytes, 0) as mem_requested_bytes,
    coalesce(p.mem_limits_bytes, 0) as mem_limits_bytes,
    nullif(n.usage_memory_bytes, 0) as mem_used_bytes,
    n.allocatable_pods as pods_allocatable,
    count(*) over () as total
  from k8s_nodes n
  left join (
    select node_id, ${ASKED} from k8s_pods where cluster_id = $1 and node_id is not null group by node_id
  ) p on p.node_id = n.id
  where n.cluster_id = $1
  order by n.name limit ${MAX_NODES}`;

/** The first thousand nodes by name with what their pods ask for, in one query. */
export async function nodeCapacities(db: Db, cluster: ClusterInScope): Promise<NodeCapacities> {
  const { rows } = await db.query<NodeCapacity & { total: number }>({
    name: 'node_capacity',
    text: NODE_CAPACITY,
    values: [cluster.id],
  });
  const total = rows[0]?.total ?? 0;
  return { nodes: rows.map(({ total: _, ...node }) => node), truncated: total > rows.length, total };
}

export interface NamespaceUsage {
  readonly name: string;
  /** As the last sync stored it; null while no sync could count. */
  readonly workload_count: number | null;
  readonly pods_total: number;
  readonly pods_running: number;
  /** Sum over all pods, ended ones included. */
  readonly restarts: number;
  readonly cpu_requested_millicores: number;
  readonly cpu_limits_millicores: number;
  readonly mem_requested_bytes: number;
  readonly mem_limits_bytes: number;
}

const NAMESPACE_USAGE = `
  select n.name, n.workload_count,
    coalesce(p.pods_total, 0) as pods_total,
    coalesce(p.pods_running, 0) as pods_running,
    coalesce(p.restarts, 0) as restarts,
    coalesce(p.cpu_requested_millicores, 0) as cpu_requested_millicores,
    coalesce(p.cpu_limits_millicores, 0) as cpu_limits_millicores,
    coalesce(p.mem_requested_bytes, 0) as mem_requested_bytes,
    coalesce(p.mem_limits_bytes, 0) as mem_limits_bytes
  from k8s_namespaces n
  left join (
    select namespace,
      count(*) as pods_total,
      count(*) filter (where phase = 'Running') as pods_running,
      sum(restart_count) as restarts, ${ASKED}
    from k8s_pods where cluster_id = $1 group by namespace
  ) p on p.namespace = n.name
  where n.cluster_id = $1
  order by n.name`;

/** Every namespace of the cluster by name; one without pods has zeros. */
export async function namespaceUsage(db: Db, cluster: ClusterInScope): Promise<NamespaceUsage[]> {
  const { rows } = await db.query<NamespaceUsage>({
    name: 'namespace_usage',
    text: NAMESPACE_USAGE,
    values: [cluster.id],
  });
  return rows;
}
