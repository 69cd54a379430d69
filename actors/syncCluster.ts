/** One snapshot, one transaction (IN-06, X-07): read from top to bottom, this is the order of contracts.md section 1. */

import { clusterStatus } from '../rules/clusterStatus.ts';
import { clampStamp, compareWithFence } from '../rules/fence.ts';
import type { EnrolledAgent } from '../store/agents.ts';
import { bindClusterUid } from '../store/agents.ts';
import type { ClusterPlace, LockedCluster } from '../store/clusterSync.ts';
import { insertCluster, lockCluster, updateCluster, updateCounts } from '../store/clusterSync.ts';
import { refusedValue } from '../store/errors.ts';
import type { InventoryOutcome } from '../store/inventory/sync.ts';
import { syncInventory } from '../store/inventory/sync.ts';
import type { Pool, PoolClient } from '../store/pool.ts';
import { inTransaction } from '../store/tx.ts';
import type { Snapshot } from '../wire/snapshot.ts';

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
}

export type SyncOutcome =
  | ({
      readonly outcome: 'stored';
      readonly clusterId: string;
      /** The snapshot that was stored last, once more. */
      readonly replay: boolean;
      /** Its stamp lay too far ahead and was replaced (CH-32): worth a warning to the log. */
      readonly clamped: boolean;
      readonly folded: number;
    } & InventoryOutcome)
  | { readonly outcome: 'superseded'; readonly clusterId: string; readonly clamped: boolean }
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
    return await inTransaction(pool, options.timeoutMs, (client) => store(client, input, options.now()));
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

async function store(client: PoolClient, input: SyncInput, now: Date): Promise<SyncOutcome> {
  const { agent, snapshot } = input;
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
  if (verdict.kind === 'superseded') return { outcome: 'superseded', clusterId: cluster.id, clamped };

  if (uid !== null && agent.cluster_uid === null) await bindClusterUid(client, agent.id, uid);
  await updateCluster(client, cluster, {
    block: { ...block, uid },
    status: clusterStatus(block.status),
    stamp,
    epoch: snapshot.epoch,
    agentVersion: snapshot.agent_version,
    coverage: snapshot.coverage,
  });
  const isNew = cluster.fence.snapshotAt === null;
  const where = { id: cluster.id, environment_id: agent.environment_id, isNew };
  const inventory = await syncInventory(client, where, snapshot, now);
  await updateCounts(client, cluster.id);
  const replay = verdict.kind === 'replay';
  return {
    outcome: 'stored',
    clusterId: cluster.id,
    replay,
    clamped,
    folded: input.folded,
    ...inventory,
  };
}

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
