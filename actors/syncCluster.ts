/** One snapshot, one transaction (IN-06, X-07): read from top to bottom, this is the order of contracts.md section 1. */

import { clusterStatus } from '../rules/clusterStatus.ts';
import type { Sight } from '../rules/facts/lifecycle.ts';
import { clampStamp, compareWithFence } from '../rules/fence.ts';
import type { EnrolledAgent } from '../store/agents.ts';
import { bindClusterUid } from '../store/agents.ts';
import { syncApplications } from '../store/applications.ts';
import type { RecordedCluster, Recording } from '../store/changes.ts';
import type { ClusterPlace, LockedCluster } from '../store/clusterSync.ts';
import { insertCluster, lockCluster, updateCluster, updateCounts } from '../store/clusterSync.ts';
import { refusedValue } from '../store/errors.ts';
import type { InventoryOutcome, Step } from '../store/inventory/sync.ts';
import { syncInventory } from '../store/inventory/sync.ts';
import type { Pool, PoolClient } from '../store/pool.ts';
import { inTransaction } from '../store/tx.ts';
import type { Snapshot } from '../wire/snapshot.ts';
import type { SpanName } from './spans.ts';
import { inSpan } from './spans.ts';

/** The limit of one sync's transaction (IN-06). */
export const SYNC_TIMEOUT_MS = 60_000;

/** A snapshot that passed validation, and whose subject belongs to this agent. */
export interface SyncInput {
  readonly agent: EnrolledAgent;
  readonly snapshot: Snapshot;
  /** When JetStream took the message. */
  readonly publishedAt: Date;
  /** Duplicate keys that decoding folded. */
  readonly folded: number;
}

export interface SyncOptions {
  readonly now: () => Date;
  readonly timeoutMs: number;
  /** Record workloads that are proven to be created or deleted (`PROXIMA_K8S_LIFECYCLE_RECORDS`); false unless given. */
  readonly lifecycleRecords?: boolean;
}

/** The cluster that a snapshot was stored for, as whoever works on after the commit names it. */
export interface StoredCluster extends RecordedCluster {
  readonly slug: string;
  /** Its client's number in VictoriaLogs and VictoriaMetrics. */
  readonly tenant: number;
}

export type SyncOutcome =
  | ({
      readonly outcome: 'stored';
      readonly clusterId: string;
      readonly cluster: StoredCluster;
      /** Time of the snapshot: its stamp, clamped, and behind the one before it where an epoch won. */
      readonly at: Date;
      /** The snapshot that was stored last, once more. */
      readonly replay: boolean;
      /** Its stamp lay too far ahead and was replaced (CH-32): worth a warning to the log. */
      readonly clamped: boolean;
      readonly folded: number;
    } & InventoryOutcome)
  | {
      readonly outcome: 'superseded';
      readonly clusterId: string;
      readonly clamped: boolean;
      /** Workloads whose facts were skipped with the snapshot (CH-31). */
      readonly factsNotNewer: number;
    }
  | {
      readonly outcome: 'rejected';
      readonly reason: 'foreign_cluster' | 'refused_value';
      /** Names a field, or SQLSTATE and column; never a value. */
      readonly detail: string;
    };

/**
 * Stores a snapshot, or says why not. Throws when the database could not do it now (connection, timeout, deadlock):
 * such a snapshot is worth another delivery.
 */
export async function syncCluster(pool: Pool, input: SyncInput, options: SyncOptions): Promise<SyncOutcome> {
  const foreign = foreignField(input);
  if (foreign !== null) return { outcome: 'rejected', reason: 'foreign_cluster', detail: foreign };
  try {
    return await inTransaction(pool, options.timeoutMs, (client) => store(client, input, options));
  } catch (error) {
    const refused = refusedValue(error);
    if (refused === null) throw error;
    return { outcome: 'rejected', reason: 'refused_value', detail: refused.detail };
  }
}

/** The field that says the snapshot is of another cluster than its agent was enrolled for; null when none does. */
function foreignField({ agent, snapshot }: SyncInput): string | null {
  const { slug, uid } = snapshot.data.cluster;
  if (snapshot.agent_id !== agent.id) return 'agent_id';
  if (slug !== agent.cluster_slug) return 'data.cluster.slug';
  if (uid !== null && agent.cluster_uid !== null && uid !== agent.cluster_uid) return 'data.cluster.uid';
  return null;
}

async function store(client: PoolClient, input: SyncInput, options: SyncOptions): Promise<SyncOutcome> {
  const { agent, snapshot } = input;
  const now = options.now();
  const { cluster: block } = snapshot.data;
  const place = {
    client_id: agent.client_id,
    environment_id: agent.environment_id,
    slug: agent.cluster_slug,
  };
  const cluster = await lockOrInsert(client, place, block);
  // A uid that could not be read stands for the enrolled one; where neither is known there is nothing to compare.
  const uid = block.uid ?? agent.cluster_uid;
  if (uid !== null && cluster.uid !== null && uid !== cluster.uid) {
    return { outcome: 'rejected', reason: 'foreign_cluster', detail: 'data.cluster.uid' };
  }
  const clock = { now, publishedAt: input.publishedAt };
  const { stamp, clamped } = clampStamp(new Date(snapshot.timestamp), clock);
  const verdict = compareWithFence(cluster.fence, { stamp, epoch: snapshot.epoch });
  const withFacts = countFacts(snapshot);
  if (verdict.kind === 'superseded') {
    return { outcome: 'superseded', clusterId: cluster.id, clamped, factsNotNewer: withFacts };
  }

  const replay = verdict.kind === 'replay';
  if (uid !== null && agent.cluster_uid === null) await bindClusterUid(client, agent.id, uid);
  await inSpan('k8s.upsert_cluster', { cluster_id: cluster.id }, () =>
    updateCluster(client, cluster, {
      block: { ...block, uid },
      status: clusterStatus(block.status),
      stamp,
      recordedAt: replay ? null : verdict.effectiveAt,
      epoch: snapshot.epoch,
      agentVersion: snapshot.agent_version,
      coverage: snapshot.coverage,
    }),
  );
  const isNew = cluster.fence.snapshotAt === null;
  const where = { id: cluster.id, environment_id: agent.environment_id, isNew };
  const stored: StoredCluster = { id: cluster.id, name: block.name, ...place, tenant: cluster.tenant };
  const recording: Recording = {
    cluster: stored,
    at: verdict.effectiveAt,
    syncedAt: now.toISOString(),
    lifecycle: options.lifecycleRecords === true ? sightBefore(cluster) : null,
  };
  const inventory = await syncInventory(client, where, snapshot, {
    syncedAt: now,
    recording: replay ? null : recording,
    step,
  });
  await syncApplications(client, cluster.id, snapshot.data.argocd, now);
  await updateCounts(client, cluster.id);
  return {
    outcome: 'stored',
    clusterId: cluster.id,
    cluster: stored,
    at: verdict.effectiveAt,
    replay,
    clamped,
    folded: input.folded,
    ...inventory,
    facts: replay ? { ...inventory.facts, notNewer: withFacts } : inventory.facts,
  };
}

const countFacts = ({ data }: Snapshot): number =>
  data.workloads.filter(({ spec_facts: facts }) => facts !== undefined).length;

/** Steps that have a span of their own (BO-07 to BO-12). */
const SPANS: Readonly<Record<string, SpanName>> = {
  nodes: 'k8s.sync_nodes',
  namespaces: 'k8s.sync_namespaces',
  workloads: 'k8s.sync_workloads',
  prune: 'worker.KubernetesPruneUnseen',
};

const step: Step = (name, work) => {
  const span = SPANS[name];
  return span === undefined ? work() : inSpan(span, {}, work);
};

/** What the last stored snapshot saw. After `accept-uid` that was another cluster's. */
const sightBefore = ({ fence, coverage, excluded_namespaces: excluded }: LockedCluster): Sight => ({
  coverage: fence.snapshotAt === null ? null : coverage,
  excludedNamespaces: new Set(excluded),
});

/** Cluster before children, always: the lock is the first thing a sync takes (IN-24). */
async function lockOrInsert(
  client: PoolClient,
  place: ClusterPlace,
  names: { readonly name: string; readonly display_name: string },
): Promise<LockedCluster> {
  const known = await lockCluster(client, place);
  if (known !== null) return known;
  await insertCluster(client, place, names);
  const inserted = await lockCluster(client, place);
  if (inserted === null) throw new Error('the cluster was deleted while its snapshot was being stored');
  return inserted;
}
