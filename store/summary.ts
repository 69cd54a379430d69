/** The health digest of one cluster (SM-06 to SM-22). */

import type { ClusterLoad } from './capacity.ts';
import { loadOf } from './capacity.ts';
import { isoTime } from './isoTime.ts';
import type { Db, Pool } from './pool.ts';
import type { ClusterInScope } from './scope.ts';
import { inReadTransaction } from './tx.ts';

export interface Counted {
  readonly reason: string;
  readonly count: number;
}

export interface Summary {
  readonly nodes: {
    readonly total: number;
    readonly ready: number;
    readonly not_ready: number;
    /** Nodes whose linked host belongs to the cluster's environment. */
    readonly with_metrics: number;
  };
  readonly not_ready_nodes: readonly string[];
  /** `unknown` is what the four named phases leave, so that the five add up to `total`. */
  readonly pods: Readonly<
    Record<'total' | 'running' | 'pending' | 'succeeded' | 'failed' | 'unknown', number>
  >;
  /** Waiting containers, not pods. */
  readonly waiting: readonly Counted[];
  readonly pending_long: readonly { namespace: string; name: string; age_seconds: number }[];
  readonly top_restarters: readonly {
    namespace: string;
    name: string;
    workload_kind: string | null;
    workload: string | null;
    restarts: number;
  }[];
  readonly workloads_not_ready: readonly {
    id: string;
    kind: string;
    namespace: string;
    name: string;
    ready: number;
    desired: number;
  }[];
  readonly capacity: ClusterLoad['capacity'];
  readonly warning_events_1h: number;
  readonly top_warning_reasons: readonly Counted[];
  /** The database's time. */
  readonly generated_at: string;
}

const TIMEOUT_MS = 10_000;

/**
 * A node `n` of a cluster `k` counts as monitored while its host belongs to the cluster's environment: a host that moved
 * on keeps its link until the next sync (SM-09, LK-06).
 */
const LINKED_HERE = 'h.id = n.host_id and h.environment_id = k.environment_id';

const NODES = `
  select count(*) as total,
    count(*) filter (where n.status = 'Ready') as ready,
    count(*) filter (where n.status <> 'Ready') as not_ready,
    count(h.id) as with_metrics
  from k8s_nodes n
  join clusters k on k.id = n.cluster_id
  left join hosts h on ${LINKED_HERE}
  where n.cluster_id = $1`;

const NOT_READY_NODES = `
  select name from k8s_nodes where cluster_id = $1 and status <> 'Ready' order by name limit 10`;

const PODS = `
  select count(*) as total,
    count(*) filter (where phase = 'Running') as running,
    count(*) filter (where phase = 'Pending') as pending,
    count(*) filter (where phase = 'Succeeded') as succeeded,
    count(*) filter (where phase = 'Failed') as failed,
    count(*) filter (where phase not in ('Running', 'Pending', 'Succeeded', 'Failed')) as unknown
  from k8s_pods where cluster_id = $1`;

/**
 * Only a pod that is not ready can have a waiting container: the others' lists are not unfolded. Which pods those are is
 * told by the index alone, hence the list of them before the join.
 */
const WAITING = `
  with unready as materialized (
    select id from k8s_pods where cluster_id = $1 and containers_ready < containers_total
  )
  select coalesce(c ->> 'reason', 'Unknown') as reason, count(*) as count
  from unready join k8s_pods p on p.id = unready.id cross join lateral jsonb_array_elements(p.containers) c
  where c ->> 'state' = 'waiting'
  group by 1 order by 2 desc, 1 limit 10`;

const PENDING_LONG = `
  select namespace, name, floor(extract(epoch from now() - created_at))::integer as age_seconds
  from k8s_pods
  where cluster_id = $1 and phase = 'Pending' and created_at < now() - interval '5 minutes'
  order by created_at, namespace, name limit 10`;

const TOP_RESTARTERS = `
  with most as materialized (
    select id from k8s_pods where cluster_id = $1 and restart_count > 0
    order by restart_count desc, namespace, name limit 5
  )
  select p.namespace, p.name, p.workload_kind, p.workload, p.restart_count as restarts
  from most join k8s_pods p on p.id = most.id
  order by p.restart_count desc, p.namespace, p.name`;

const WORKLOADS_NOT_READY = `
  select id, kind, namespace, name, replicas_ready as ready, replicas_desired as desired
  from k8s_workloads where cluster_id = $1 and replicas_ready < replicas_desired
  order by replicas_desired - replicas_ready desc, namespace, kind, name limit 10`;

const TOP_WARNING_REASONS = `
  select coalesce(reason, 'Unknown') as reason, count(*) as count
  from k8s_events
  where cluster_id = $1 and type = 'Warning' and last_seen_at > now() - interval '1 hour'
  group by 1 order by 2 desc, 1 limit 5`;

/**
 * Everything in one read-only transaction that sees one state of the database, so that the parts agree (SM-06). Null
 * when the cluster is gone by now.
 */
export const summarize = (pool: Pool, cluster: ClusterInScope): Promise<Summary | null> =>
  inReadTransaction(pool, TIMEOUT_MS, async (db) => {
    const load = await loadOf(db, cluster);
    if (load === null) return null;
    // By name each is planned once for a connection: planning eleven of them takes as long as running them.
    const rowsOf = async <T extends object>(name: string, text: string): Promise<T[]> =>
      (await db.query<T>({ name: `summary_${name}`, text, values: [cluster.id] })).rows;
    const only = async <T extends object>(name: string, text: string): Promise<T> => {
      const [row] = await rowsOf<T>(name, text);
      if (row === undefined) throw new Error('an aggregate has no row');
      return row;
    };
    const { capacity, warning_events_1h } = load;
    return {
      nodes: await only<Summary['nodes']>('nodes', NODES),
      not_ready_nodes: (await rowsOf<{ name: string }>('not_ready_nodes', NOT_READY_NODES)).map(
        ({ name }) => name,
      ),
      pods: await only<Summary['pods']>('pods', PODS),
      waiting: await rowsOf<Counted>('waiting', WAITING),
      pending_long: await rowsOf<Summary['pending_long'][number]>('pending_long', PENDING_LONG),
      top_restarters: await rowsOf<Summary['top_restarters'][number]>('top_restarters', TOP_RESTARTERS),
      workloads_not_ready: await rowsOf<Summary['workloads_not_ready'][number]>(
        'workloads_not_ready',
        WORKLOADS_NOT_READY,
      ),
      capacity,
      warning_events_1h,
      top_warning_reasons: await rowsOf<Counted>('top_warning_reasons', TOP_WARNING_REASONS),
      generated_at: await databaseTime(db),
    };
  });

async function databaseTime(db: Db): Promise<string> {
  const { rows } = await db.query<{ now: Date }>('select now() as now');
  return isoTime(rows[0]?.now ?? new Date(Number.NaN));
}
