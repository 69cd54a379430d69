/** What is stored about one object, for the explanation of its absence. */

import type { Kind } from '../wire/kinds/define.ts';
import { isoTime } from './isoTime.ts';
import type { Db } from './pool.ts';
import type { ClusterInScope } from './scope.ts';

/** An object by what Kubernetes calls it. */
export interface Named {
  readonly kind: Kind;
  /** Its Kubernetes kind, such as StatefulSet. */
  readonly kubernetesKind: string;
  /** Null for an object that lives in no namespace. */
  readonly namespace: string | null;
  readonly name: string;
}

export interface StoredEvidence {
  readonly id: string | null;
  readonly storedAt: string | null;
  readonly record: { readonly type: string; readonly at: string } | null;
  readonly namespaceKnown: boolean;
}

/** The row of the object, the newest change record about it, and whether its namespace is known. */
export async function evidenceOf(db: Db, cluster: ClusterInScope, named: Named): Promise<StoredEvidence> {
  const row = await storedRow(db, cluster, named);
  const record = await newestRecord(db, cluster, named);
  const known = await db.query(`select from k8s_namespaces where cluster_id = $1 and name = $2`, [
    cluster.id,
    named.namespace,
  ]);
  return {
    id: row?.id ?? null,
    storedAt: row === null ? null : isoTime(row.synced_at),
    record,
    namespaceKnown: known.rows.length > 0,
  };
}

async function storedRow(
  db: Db,
  cluster: ClusterInScope,
  { kind, kubernetesKind, namespace, name }: Named,
): Promise<{ id: string; synced_at: Date } | null> {
  const conditions = ['cluster_id = $1', 'name = $2'];
  const values = [cluster.id, name];
  if (kind.namespaced) conditions.push(`namespace = $${values.push(namespace ?? '')}`);
  if (kind.kubernetesKinds.length > 1) conditions.push(`kind = $${values.push(kubernetesKind)}`);
  const { rows } = await db.query<{ id: string; synced_at: Date }>(
    `select id, synced_at from ${kind.table} where ${conditions.join(' and ')} limit 1`,
    values,
  );
  return rows[0] ?? null;
}

async function newestRecord(
  db: Db,
  cluster: ClusterInScope,
  { kubernetesKind, namespace, name }: Named,
): Promise<StoredEvidence['record']> {
  const { rows } = await db.query<{ event_type: string; at: Date }>(
    `select event_type, coalesce(scanned_at, created_at) as at from change_events
     where client_id = $1 and source = 'k8s-config' and details @> $2::jsonb
     order by coalesce(scanned_at, created_at) desc limit 1`,
    [cluster.client_id, JSON.stringify({ cluster_id: cluster.id, kind: kubernetesKind, namespace, name })],
  );
  const [row] = rows;
  return row === undefined ? null : { type: row.event_type, at: isoTime(row.at) };
}
