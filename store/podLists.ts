/** Pods of one node or one workload (AP-40). */

import { pods } from '../wire/kinds/index.ts';
import { answerColumns } from './inventory/listSql.ts';
import type { InventoryObject } from './inventory/read.ts';
import { isoTime } from './isoTime.ts';
import type { Page, Paged } from './page.ts';
import { pageParameters } from './page.ts';
import type { Db } from './pool.ts';
import type { ClusterInScope } from './scope.ts';

export type PodOwner = 'node' | 'workload';

/**
 * $1 cluster, $2 id of the owner. The cluster is asked for beside the id, so an id of another cluster finds nothing.
 * Pods name their workload by kind and name, as the agent resolved it (AG-33).
 */
const OWNED: Readonly<Record<PodOwner, string>> = {
  node: 'p.cluster_id = $1 and p.node_id = $2',
  workload: `p.cluster_id = $1 and exists (
    select from k8s_workloads w
    where w.cluster_id = $1 and w.id = $2
      and w.namespace = p.namespace and w.kind = p.workload_kind and w.name = p.workload)`,
};

const COLUMNS = answerColumns(pods)
  .map((column) => `p.${column}`)
  .join(', ');

const ORDER = [...pods.order, 'id'].map((column) => `p.${column}`).join(', ');

/** One page of the owner's pods in the default order of pods; none when the cluster has no such owner. */
export async function listPodsOf(
  db: Db,
  cluster: ClusterInScope,
  owner: PodOwner,
  ownerId: string,
  page: Page,
): Promise<Paged<InventoryObject>> {
  const { rows } = await db.query<Record<string, unknown>>(
    `select ${COLUMNS} from ${pods.table} p where ${OWNED[owner]} order by ${ORDER} limit $3 offset $4`,
    [cluster.id, ownerId, ...pageParameters(page)],
  );
  const counted = await db.query<{ total: number }>(
    `select count(*) as total from ${pods.table} p where ${OWNED[owner]}`,
    [cluster.id, ownerId],
  );
  return { rows: rows.map(withTextTimes), total: counted.rows[0]?.total ?? 0 };
}

const withTextTimes = (row: Record<string, unknown>): InventoryObject =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, value instanceof Date ? isoTime(value) : value]),
  );
