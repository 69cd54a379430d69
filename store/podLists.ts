/** Pods of one node or one workload (AP-40). */

import { pods } from '../wire/kinds/index.ts';
import type { Bind, ListRequest } from './inventory/listSql.ts';
import type { Window } from './inventory/read.ts';
import { listWindow } from './inventory/read.ts';
import type { Db } from './pool.ts';
import type { ClusterInScope } from './scope.ts';

export type PodOwner = 'node' | 'workload';

/**
 * The condition on a pod `t`. The list asks for the cluster beside it, so an id of another cluster finds nothing; pods
 * name their workload by kind and name, as the agent resolved it (AG-33).
 */
const OWNED: Readonly<Record<PodOwner, (id: string) => string>> = {
  node: (id) => `t.node_id = ${id}`,
  workload: (id) => `exists (
    select from k8s_workloads w
    where w.cluster_id = t.cluster_id and w.id = ${id}
      and w.namespace = t.namespace and w.kind = t.workload_kind and w.name = t.workload)`,
};

/** One window of the owner's pods; none when the cluster has no such owner. */
export const listPodsOf = (
  db: Db,
  cluster: ClusterInScope,
  owner: PodOwner,
  ownerId: string,
  request: ListRequest,
): Promise<Window> => listWindow(db, cluster, pods, request, (bind: Bind) => OWNED[owner](bind(ownerId)));
