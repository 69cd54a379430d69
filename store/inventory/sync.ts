/** Steps 3 to 16 of a sync: the thirteen tables of one cluster, made equal to a snapshot. */

import type { Kind } from '../../wire/kinds/define.ts';
import { kinds } from '../../wire/kinds/index.ts';
import type { Snapshot } from '../../wire/snapshot.ts';
import type { Recording } from '../changes.ts';
import { lockClusterById } from '../clusterSync.ts';
import { factCells } from '../facts.ts';
import { findHosts, hostOf } from '../hostLinks.ts';
import { recordPolicies } from '../policyChanges.ts';
import type { PoolClient } from '../pool.ts';
import type { FactsOutcome } from '../workloadChanges.ts';
import { hashFacts, planWorkloads, recordWorkloads } from '../workloadChanges.ts';
import type { InventoryRecord } from './columns.ts';
import { keptColumns } from './columns.ts';
import { contentHash } from './contentHash.ts';
import type { Changes } from './diff.ts';
import { diffKind } from './diff.ts';
import { withEndpointCounts } from './endpointCounts.ts';
import { isProvenGone } from './prunable.ts';
import { rowIds } from './rowId.ts';
import { NO_ROWS, readStored } from './stored.ts';
import { deleteRows, writeChanges } from './write.ts';

/** Rows of one table: in the snapshot, and what became of the stored ones. */
export interface KindCounts {
  readonly seen: number;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
}

export interface InventoryOutcome {
  /** By kind name. */
  readonly kinds: Readonly<Record<string, KindCounts>>;
  readonly linkedNodes: number;
  readonly facts: FactsOutcome;
}

/** Runs a part of the sync; whoever traces wraps it. A step is the name of a kind, or `prune`. */
export type Step = <T>(step: string, work: () => Promise<T>) => Promise<T>;

export interface ClusterToSync {
  readonly id: string;
  readonly environment_id: string;
  /** Nothing was ever stored of it: nothing to compare with, and hashing can wait until the rows are written. */
  readonly isNew: boolean;
}

/** What a sync needs beside the snapshot. */
export interface SyncContext {
  readonly syncedAt: Date;
  /** Null for a replay: its rows are written anew, nothing is recorded. */
  readonly recording: Recording | null;
  readonly step: Step;
}

const NOTHING_RECORDED: FactsOutcome = { stored: 0, notNewer: 0, records: 0 };

/** What a snapshot holds of one kind, as rows of its table. */
type RecordsOf = (kind: Kind) => readonly InventoryRecord[];

/**
 * Writes what differs between the snapshot and the stored rows; an unchanged one writes nothing. The caller holds the
 * cluster's row lock and has decided that this snapshot may be stored.
 */
export async function syncInventory(
  client: PoolClient,
  cluster: ClusterToSync,
  snapshot: Snapshot,
  { syncedAt, recording, step }: SyncContext,
): Promise<InventoryOutcome> {
  const { data, coverage } = snapshot;
  const reading = readStored(client, cluster.id);
  // While the server reads and sends the stored rows.
  const recordsOf = recordsIn(snapshot);
  const hashes = new Map(
    kinds.map((kind: Kind) => [kind.name, cluster.isNew ? undefined : hashesAhead(kind, recordsOf)]),
  );
  const factHashes = recording === null ? [] : hashFacts(data.workloads);
  const stored = await reading;
  const hosts = await findHosts(client, cluster.environment_id, data.nodes);
  const proof = {
    coverage,
    excludedNamespaces: new Set(data.cluster.excluded_namespaces),
    namespaces: new Set(data.namespaces.map((namespace) => namespace.name)),
  };
  const context = { clusterId: cluster.id, syncedAt: syncedAt.toISOString() };
  const newId = rowIds(syncedAt);
  const changes = new Map<string, Changes>();
  const idOf = (kind: string, key: unknown) => changes.get(kind)?.ids.get(key as string) ?? null;
  const links: Readonly<Record<string, (record: InventoryRecord) => string | null>> = {
    nodes: (record) => hostOf(record as (typeof data.nodes)[number], hosts),
    workloads: (record) => idOf('namespaces', record.namespace),
    pods: (record) => idOf('nodes', record.node_name),
  };
  let facts: FactsOutcome = NOTHING_RECORDED;
  for (const kind of kinds) {
    const rows = stored.get(kind.name) ?? NO_ROWS;
    const difference = diffKind(kind, recordsOf(kind), rows, {
      linkOf: links[kind.name] ?? (() => null),
      isGone: (identity) => isProvenGone(kind, identity, proof),
      newId,
      hashes: hashes.get(kind.name),
    });
    changes.set(kind.name, difference);
    await step(kind.name, async () => {
      if (recording !== null && kind.name === 'workloads') {
        const workloads = { stored: rows, changes: difference, hashes: factHashes };
        const plan = await planWorkloads(client, recording, snapshot, workloads);
        await writeChanges(client, kind, difference, context, factCells(plan.ofNewRows, recording.at));
        facts = await recordWorkloads(client, recording, plan);
        return;
      }
      if (recording !== null && kind.name === 'network_policies') {
        const records = await recordPolicies(client, recording, difference.updated);
        facts = { ...facts, records: facts.records + records };
      }
      await writeChanges(client, kind, difference, context);
    });
  }
  await step('prune', () => prune(client, cluster.id, changes));
  return {
    kinds: countChanges(changes),
    facts,
    linkedNodes: data.nodes.filter((node) => hostOf(node, hosts) !== null).length,
  };
}

/** The arrays as rows of their tables: facts have a writer of their own, services get their derived count. */
function recordsIn({ data, coverage }: Snapshot): RecordsOf {
  const records = new Map<string, readonly InventoryRecord[]>([
    ...Object.entries(data as unknown as Readonly<Record<string, readonly InventoryRecord[]>>),
    ['workloads', data.workloads.map(({ spec_facts: _, ...record }) => record)],
    ['services', withEndpointCounts(data.services, data.endpoint_slices, coverage)],
  ]);
  return (kind) => records.get(kind.name) ?? [];
}

/** Undefined for kinds whose hash has to wait for stored counts. */
const hashesAhead = (kind: Kind, recordsOf: RecordsOf): string[] | undefined =>
  keptColumns(kind).length === 0 ? recordsOf(kind).map(contentHash) : undefined;

/** Children before parents (IN-05): the kind table backwards. */
async function prune(
  client: PoolClient,
  clusterId: string,
  changes: ReadonlyMap<string, Changes>,
): Promise<void> {
  const gone = kinds
    .map((kind) => ({ kind, ids: changes.get(kind.name)?.deleted ?? [] }))
    .filter(({ ids }) => ids.length > 0);
  if (gone.length === 0) return;
  await lockClusterById(client, clusterId);
  for (const { kind, ids } of gone.reverse()) await deleteRows(client, kind, ids);
}

function countChanges(changes: ReadonlyMap<string, Changes>): Record<string, KindCounts> {
  const counts = [...changes].map(([name, { seen, inserted, updated, relinked, deleted }]) => [
    name,
    { seen, inserted: inserted.length, updated: updated.length + relinked.length, deleted: deleted.length },
  ]);
  return Object.fromEntries(counts);
}
