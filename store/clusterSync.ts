/** The `clusters` table as a sync writes it. */

import type { AssetStatus, ClusterStatus } from '../rules/clusterStatus.ts';
import { assetStatus } from '../rules/clusterStatus.ts';
import type { Fence } from '../rules/fence.ts';
import type { CoverageBlock } from '../wire/coverage.ts';
import { COVERED_RESOURCES, provesAbsence } from '../wire/coverage.ts';
import type { ClusterBlock, Epoch } from '../wire/snapshot.ts';
import { forgetFacts } from './facts.ts';
import { isoTime } from './isoTime.ts';
import type { Db } from './pool.ts';

/** Where a cluster lives; clusters are matched on environment and slug (IN-27). */
export interface ClusterPlace {
  readonly client_id: string;
  readonly environment_id: string;
  readonly slug: string;
}

/** What has to be known of a cluster before anything of a snapshot is written. */
export interface LockedCluster {
  readonly id: string;
  readonly asset_id: string;
  readonly uid: string | null;
  readonly fence: Fence;
  readonly unverified_since: UnverifiedSince;
  /** Of the last stored snapshot; null when it had none. */
  readonly coverage: CoverageBlock | null;
  readonly excluded_namespaces: readonly string[];
  /** Its client's number in VictoriaLogs and VictoriaMetrics. */
  readonly tenant: number;
}

/** Resource to the stamp (ISO) of the first snapshot in a row that could not verify it. */
export type UnverifiedSince = Readonly<Partial<Record<string, string>>>;

interface LockedRow {
  id: string;
  asset_id: string;
  uid: string | null;
  snapshot_at: Date | null;
  recorded_at: Date | null;
  epoch_lease_uid: string | null;
  epoch_transitions: number | null;
  unverified_since: UnverifiedSince;
  coverage: CoverageBlock | null;
  excluded_namespaces: string[];
  tenant: number;
}

/**
 * The cluster's row, locked for the rest of the transaction; null when there is none. FOR NO KEY UPDATE makes the syncs
 * of one cluster wait for each other and lets inserts of rows that refer to it go through (IN-23, IN-25).
 */
export async function lockCluster(db: Db, place: ClusterPlace): Promise<LockedCluster | null> {
  const { rows } = await db.query<LockedRow>({
    name: 'lock_cluster',
    text: `select id, asset_id, uid, snapshot_at, recorded_at, epoch_lease_uid, epoch_transitions,
                  unverified_since, coverage, excluded_namespaces,
                  (select tenant from clients where clients.id = client_id) as tenant
           from clusters where environment_id = $1 and slug = $2 for no key update`,
    values: [place.environment_id, place.slug],
  });
  const row = rows[0];
  if (row === undefined) return null;
  const { snapshot_at: snapshotAt, recorded_at: recordedAt, ...others } = row;
  const { epoch_lease_uid: leaseUid, epoch_transitions: transitions, ...rest } = others;
  const epoch = leaseUid === null ? null : { lease_uid: leaseUid, transitions: transitions ?? 0 };
  return { ...rest, fence: { snapshotAt, epoch, recordedAt } };
}

/**
 * Takes the lock again before a prune, by the key that the prune has: cluster before children, whoever calls (IN-24).
 * Inside the sync's transaction it costs a look at a row that is ours already.
 */
export async function lockClusterById(db: Db, clusterId: string): Promise<void> {
  await db.query('select 1 from clusters where id = $1 for no key update', [clusterId]);
}

/**
 * Inserts the cluster and its asset (SC-17). Two first snapshots at once: the second waits for the first's commit, finds
 * its insert refused and takes its own asset back.
 */
export async function insertCluster(
  db: Db,
  place: ClusterPlace,
  names: { readonly name: string; readonly display_name: string },
): Promise<void> {
  const asset = await db.query<{ id: string }>(
    `insert into assets (client_id, environment_id, asset_type, name, status)
     values ($1, $2, 'cluster', $3, 'active') returning id`,
    [place.client_id, place.environment_id, names.display_name],
  );
  const assetId = asset.rows[0]?.id;
  const { rowCount } = await db.query(
    `insert into clusters (asset_id, client_id, environment_id, slug, name, display_name)
     values ($1, $2, $3, $4, $5, $6) on conflict (environment_id, slug) do nothing`,
    [assetId, place.client_id, place.environment_id, place.slug, names.name, names.display_name],
  );
  if (rowCount === 0) await db.query('delete from assets where id = $1', [assetId]);
}

/** What a stored snapshot says of its cluster; `stamp` is clamped already. */
export interface ClusterState {
  readonly block: ClusterBlock;
  readonly status: ClusterStatus;
  readonly stamp: Date;
  /** Time of its facts and records; null for a replay, which has none. */
  readonly recordedAt: Date | null;
  readonly epoch: Epoch | null;
  readonly agentVersion: string;
  readonly coverage: CoverageBlock | undefined;
}

/** Steps 1 and 2 (IN-07, IN-08): the asset where it differs, the cluster always, back to connected (ST-03). */
export async function updateCluster(db: Db, cluster: LockedCluster, state: ClusterState): Promise<void> {
  const { block } = state;
  await updateAsset(db, cluster.asset_id, block.display_name, assetStatus(state.status));
  await db.query({
    name: 'update_cluster',
    text: `update clusters set
             name = $2, display_name = $3, uid = coalesce($4, uid), version = $5, platform = $6, distribution = $7,
             api_server_url = $8, cluster_cidr = $9, service_cidr = $10, dns_domain = coalesce($11, dns_domain),
             cloud_provider = $12, cloud_region = $13, cloud_account_id = $14, status = $15,
             sync_interval_seconds = $16, excluded_namespaces = $17, agent_status = 'connected', agent_version = $18,
             last_seen_at = $19, snapshot_at = $19, epoch_lease_uid = $20, epoch_transitions = $21, coverage = $22,
             unverified_since = $23, recorded_at = coalesce($24, recorded_at), updated_at = now()
           where id = $1`,
    values: [
      cluster.id,
      block.name,
      block.display_name,
      block.uid,
      block.version,
      block.platform,
      block.distribution,
      block.api_server_url,
      block.cluster_cidr,
      block.service_cidr,
      block.dns_domain,
      block.cloud_provider,
      block.cloud_region,
      block.cloud_account_id,
      state.status,
      block.sync_interval_seconds,
      block.excluded_namespaces,
      state.agentVersion,
      state.stamp,
      state.epoch?.lease_uid ?? null,
      state.epoch?.transitions ?? null,
      state.coverage === undefined ? null : JSON.stringify(state.coverage),
      JSON.stringify(unverifiedSince(cluster.unverified_since, state.coverage, state.stamp)),
      state.recordedAt,
    ],
  });
}

async function updateAsset(db: Db, id: string, name: string, status: AssetStatus): Promise<void> {
  await db.query({
    name: 'update_asset',
    text: `update assets set name = $2, status = $3, updated_at = now()
           where id = $1 and (name, status) is distinct from ($2, $3)`,
    values: [id, name, status],
  });
}

/** Resources that the snapshot does not verify, each with the time since when; a verified one leaves the list (D9). */
export function unverifiedSince(
  before: UnverifiedSince,
  coverage: CoverageBlock | undefined,
  stamp: Date,
): UnverifiedSince {
  const unverified = COVERED_RESOURCES.filter((resource) => !provesAbsence(coverage, resource));
  return Object.fromEntries(unverified.map((resource) => [resource, before[resource] ?? isoTime(stamp)]));
}

/** Step 17 (IN-22): the counts on the cluster, from what the tables hold after the prune. */
export async function updateCounts(db: Db, clusterId: string): Promise<void> {
  await db.query({
    name: 'update_cluster_counts',
    text: `update clusters set (node_count, namespace_count, workload_count) = (counted.nodes, counted.namespaces, counted.workloads)
           from (select (select count(*) from k8s_nodes where cluster_id = $1)::integer as nodes,
                        (select count(*) from k8s_namespaces where cluster_id = $1)::integer as namespaces,
                        (select count(*) from k8s_workloads where cluster_id = $1)::integer as workloads) as counted
           where id = $1 and (node_count, namespace_count, workload_count)
                 is distinct from (counted.nodes, counted.namespaces, counted.workloads)`,
    values: [clusterId],
  });
}

/**
 * Takes a rebuilt cluster under the same slug (contracts.md section 1, "Foreign cluster"): its uid, while fence, epoch and
 * facts start over. False when there is no such cluster.
 */
export async function acceptClusterUid(db: Db, clusterId: string, uid: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update clusters set uid = $2, snapshot_at = null, recorded_at = null, epoch_lease_uid = null,
            epoch_transitions = null, updated_at = now()
     where id = $1`,
    [clusterId, uid],
  );
  if (rowCount === 0) return false;
  await forgetFacts(db, clusterId);
  return true;
}
