/** The facts of a snapshot's workloads: compared, stored and recorded, in the transaction of the sync (CH-35). */

import { isProvenCreated, isProvenDeleted } from '../rules/facts/lifecycle.ts';
import type { FactsContext } from '../rules/facts/plan.ts';
import { hpaTargets, planFacts } from '../rules/facts/plan.ts';
import type { ChangeRecord, Subject } from '../rules/facts/record.ts';
import { toRecord, workloadRecord } from '../rules/facts/record.ts';
import { provesAbsence } from '../wire/coverage.ts';
import { recordKey } from '../wire/inventory.ts';
import type { Arrays } from '../wire/kinds/index.ts';
import { workloads as kind } from '../wire/kinds/workload.ts';
import type { SentWorkload, Snapshot } from '../wire/snapshot.ts';
import type { Recording } from './changes.ts';
import { insertChanges } from './changes.ts';
import type { FactsToWrite } from './facts.ts';
import { factsHash, readFacts, writeFacts } from './facts.ts';
import type { Changes } from './inventory/diff.ts';
import type { StoredRows } from './inventory/stored.ts';
import type { Db } from './pool.ts';

/** Counts of one sync. */
export interface FactsOutcome {
  /** Workloads whose facts were stored. */
  readonly stored: number;
  /** Workloads skipped because the snapshot is not newer than their facts (CH-31). */
  readonly notNewer: number;
  /** Change records written. */
  readonly records: number;
}

/** What the tables held before, and what became of it. */
export interface WorkloadRows {
  readonly stored: StoredRows;
  readonly changes: Changes;
  /** Per workload of the snapshot, of `hashFacts`. */
  readonly hashes: readonly (string | null)[];
}

/** Per workload: what its facts are compared by, null where it came without. */
export const hashFacts = (workloads: readonly SentWorkload[]): (string | null)[] =>
  workloads.map(({ spec_facts: facts }) => (facts === undefined ? null : factsHash(facts)));

/** What a sync does to the facts, before anything is written. */
export interface WorkloadPlan {
  /** Of rows that are about to be inserted. */
  readonly ofNewRows: readonly FactsToWrite[];
  readonly ofKnownRows: readonly FactsToWrite[];
  readonly records: readonly ChangeRecord[];
  readonly notNewer: number;
}

/** Reads the stored facts that differ and compares. Called under the cluster's lock, before the rows are written. */
export async function planWorkloads(
  db: Db,
  recording: Recording,
  snapshot: Snapshot,
  rows: WorkloadRows,
): Promise<WorkloadPlan> {
  const differing = findDiffering(snapshot.data.workloads, rows);
  const known = await readFacts(
    db,
    differing.flatMap(({ id, isKnown }) => (isKnown ? [id] : [])),
  );
  const context: FactsContext = {
    at: recording.at,
    scaledByHpa: known.size === 0 ? new Set() : hpaTargets(await presentHpas(db, recording, snapshot)),
  };
  const ofNewRows: FactsToWrite[] = [];
  const ofKnownRows: FactsToWrite[] = [];
  const records: ChangeRecord[] = [];
  let notNewer = 0;
  for (const { id, hash, workload, isNewRow } of differing) {
    const plan = planFacts(workload, known.get(id) ?? null, context);
    if (plan.kind === 'not_newer') notNewer += 1;
    if (plan.kind !== 'baseline' && plan.kind !== 'compared') continue;
    (isNewRow ? ofNewRows : ofKnownRows).push({ id, hash, facts: plan.facts });
    if (plan.kind === 'compared' && plan.changes.length > 0) {
      records.push(workloadRecord(workload, plan.changes));
    }
  }
  records.push(...lifecycleRecords(recording, snapshot, rows));
  return { ofNewRows, ofKnownRows, records, notNewer };
}

/** Stores and records what was planned, once the rows are written; the facts of new rows went with them. */
export async function recordWorkloads(
  db: Db,
  recording: Recording,
  plan: WorkloadPlan,
): Promise<FactsOutcome> {
  const { ofNewRows, ofKnownRows, records, notNewer } = plan;
  await writeFacts(db, ofKnownRows, recording.at, recording.syncedAt);
  await insertChanges(db, recording, records);
  return { stored: ofNewRows.length + ofKnownRows.length, notNewer, records: records.length };
}

/** A workload whose facts are not those that are stored, as far as the hashes tell. */
interface Differing {
  readonly workload: SentWorkload;
  readonly id: string;
  readonly hash: string;
  /** Facts of it are stored. */
  readonly isKnown: boolean;
  readonly isNewRow: boolean;
}

function findDiffering(workloads: readonly SentWorkload[], rows: WorkloadRows): Differing[] {
  const { stored, changes, hashes } = rows;
  const inserted = new Map(changes.inserted.map(({ id, record }) => [recordKey(kind, record), id]));
  return workloads.flatMap((workload, i): Differing[] => {
    const hash = hashes[i] ?? null;
    if (hash === null) return [];
    const key = recordKey(kind, workload);
    const row = stored.byKey.get(key);
    const before = row === undefined ? null : (stored.factHashes[row] ?? null);
    const id = row === undefined ? inserted.get(key) : stored.ids[row];
    return before === hash || id === undefined
      ? []
      : [{ workload, id, hash, isKnown: before !== null, isNewRow: row === undefined }];
  });
}

/**
 * The HPAs that count: those of the snapshot (CH-25). Where HPAs could not be read those stored count as well, as their
 * rows do: otherwise every move of every HPA would be recorded as a scale by hand.
 */
async function presentHpas(
  db: Db,
  { cluster }: Recording,
  { data, coverage }: Snapshot,
): Promise<Pick<Arrays['hpas'][number], 'namespace' | 'target_kind' | 'target_name'>[]> {
  if (provesAbsence(coverage, 'horizontalpodautoscalers')) return data.hpas;
  const { rows } = await db.query<Arrays['hpas'][number]>(
    'select namespace, target_kind, target_name from k8s_hpas where cluster_id = $1',
    [cluster.id],
  );
  return [...data.hpas, ...rows];
}

function lifecycleRecords(
  { lifecycle: before }: Recording,
  { data, coverage }: Snapshot,
  { stored, changes }: WorkloadRows,
): ChangeRecord[] {
  if (before === null) return [];
  const now = {
    coverage,
    excludedNamespaces: new Set(data.cluster.excluded_namespaces),
    namespaces: new Set(data.namespaces.map(({ name }) => name)),
  };
  const created = changes.inserted
    .map(({ record }) => record as unknown as SentWorkload)
    .filter((workload) => isProvenCreated(workload, before));
  const gone = new Set(changes.deleted);
  const [kinds, namespaces, names] = stored.identities;
  const deleted = stored.ids.flatMap((id, row): Subject[] => {
    if (!gone.has(id)) return [];
    const subject = {
      kind: kinds?.[row] ?? '',
      namespace: namespaces?.[row] ?? '',
      name: names?.[row] ?? '',
    };
    return isProvenDeleted(subject, now) ? [subject] : [];
  });
  return [
    ...created.map((workload) => toRecord('workload_created', workload, [])),
    ...deleted.map((workload) => toRecord('workload_deleted', workload, [])),
  ];
}
