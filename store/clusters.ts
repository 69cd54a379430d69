/** Reads of clusters for the API (AP-02, AP-04, AP-06, AP-07). */

import type { CoverageBlock } from '../wire/coverage.ts';
import type { UnverifiedSince } from './clusterSync.ts';
import { isoTime, isoTimeOrNull } from './isoTime.ts';
import type { Page, Paged } from './page.ts';
import { pageParameters } from './page.ts';
import type { Db } from './pool.ts';
import type { ScopeFilter } from './scope.ts';
import { scopeCondition, scopeParameters } from './scope.ts';

/** A cluster in a list (AP-06). */
export interface ClusterItem {
  readonly id: string;
  readonly asset_id: string;
  readonly client_id: string;
  readonly environment_id: string;
  readonly name: string;
  readonly display_name: string;
  readonly slug: string;
  readonly version: string | null;
  readonly platform: string | null;
  readonly status: string;
  /** Beside the sample's fields: the list shows who is silent. */
  readonly agent_status: 'connected' | 'disconnected';
  readonly agent_version: string | null;
  readonly node_count: number;
  readonly namespace_count: number;
  readonly workload_count: number;
  readonly last_seen_at: string | null;
}

/** A whole cluster (AP-07): every column, times as text. */
export interface ClusterRow extends ClusterItem {
  readonly uid: string | null;
  readonly distribution: string | null;
  readonly api_server_url: string | null;
  readonly cluster_cidr: string | null;
  readonly service_cidr: string | null;
  readonly dns_domain: string;
  readonly cloud_provider: string | null;
  readonly cloud_region: string | null;
  readonly cloud_account_id: string | null;
  /** Stamp of the stored snapshot, what `meta.as_of` says (D10). */
  readonly snapshot_at: string | null;
  /** The latest time that facts or change records carry; ahead of `snapshot_at` after a failover to a slow clock. */
  readonly recorded_at: string | null;
  readonly epoch_lease_uid: string | null;
  readonly epoch_transitions: number | null;
  readonly sync_interval_seconds: number | null;
  readonly excluded_namespaces: string[];
  readonly coverage: CoverageBlock | null;
  readonly unverified_since: UnverifiedSince;
  readonly argocd_state: string | null;
  readonly argocd_in_cluster_names: string[];
  readonly created_at: string;
  readonly updated_at: string;
}

/** Null leaves a filter out; `search` is a case-insensitive part of the name. */
export interface ClusterFilter {
  readonly client_id: string | null;
  readonly environment_id: string | null;
  readonly status: string | null;
  readonly search: string | null;
}

const ITEM_COLUMNS = `k.id, k.asset_id, k.client_id, k.environment_id, k.name, k.display_name, k.slug, k.version,
  k.platform, k.status, k.agent_status, k.agent_version, k.node_count, k.namespace_count, k.workload_count, k.last_seen_at`;

const LIST_CONDITION = `${scopeCondition('k', 1)}
  and ($4::uuid is null or k.client_id = $4)
  and ($5::uuid is null or k.environment_id = $5)
  and ($6::text is null or k.status = $6)
  and ($7::text is null or strpos(lower(k.name), lower($7)) > 0)`;

type ItemRow = Omit<ClusterItem, 'last_seen_at'> & { last_seen_at: Date | null };

/** Clusters in the scope by name; the id breaks ties, so that a loop over the pages meets each once (AP-05). */
export async function listClusters(
  db: Db,
  scope: ScopeFilter,
  filter: ClusterFilter,
  page: Page,
): Promise<Paged<ClusterItem>> {
  const values = [
    ...scopeParameters(scope),
    filter.client_id,
    filter.environment_id,
    filter.status,
    filter.search,
  ];
  const { rows } = await db.query<ItemRow>(
    `select ${ITEM_COLUMNS} from clusters k where ${LIST_CONDITION} order by k.name, k.id limit $8 offset $9`,
    [...values, ...pageParameters(page)],
  );
  const counted = await db.query<{ total: number }>(
    `select count(*) as total from clusters k where ${LIST_CONDITION}`,
    values,
  );
  return {
    rows: rows.map((row) => ({ ...row, last_seen_at: isoTimeOrNull(row.last_seen_at) })),
    total: counted.rows[0]?.total ?? 0,
  };
}

type TimeColumn = 'last_seen_at' | 'snapshot_at' | 'recorded_at' | 'created_at' | 'updated_at';
type StoredCluster = Omit<ClusterRow, TimeColumn> & {
  last_seen_at: Date | null;
  snapshot_at: Date | null;
  recorded_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

/**
 * The cluster of that id (a UUID); null when there is none. Not narrowed to a scope: `http/access` loads the row with it,
 * decides, and mints the `ClusterInScope` that every further read asks for.
 */
export async function getCluster(db: Db, id: string): Promise<ClusterRow | null> {
  const { rows } = await db.query<StoredCluster>('select k.* from clusters k where k.id = $1', [id]);
  const row = rows[0];
  if (row === undefined) return null;
  return {
    ...row,
    last_seen_at: isoTimeOrNull(row.last_seen_at),
    snapshot_at: isoTimeOrNull(row.snapshot_at),
    recorded_at: isoTimeOrNull(row.recorded_at),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}
