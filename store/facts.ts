/** `spec_facts` and `spec_facts_at` of `k8s_workloads`: the only module that writes them (design section 7). */

import { hash } from 'node:crypto';
import type { StoredFacts } from '../rules/facts/plan.ts';
import type { WorkloadSpecFacts } from '../wire/specFacts.ts';
import { encodeValue } from './inventory/copyText.ts';
import type { ExtraCells } from './inventory/write.ts';
import type { Db } from './pool.ts';

/** What `factsHash` gave for the stored facts; empty for facts that came without it, null where none are stored. */
export const FACTS_HASH = `case when spec_facts is not null then coalesce(spec_facts_hash, '') end`;

/** 132 bits, as the hash of a row. */
const DIGEST_CHARACTERS = 22;

/**
 * What facts are compared by, so that a sync reads the stored ones only where they differ. An agent that orders its keys
 * otherwise gives another hash; the comparison of the facts themselves then finds nothing.
 */
export const factsHash = (facts: WorkloadSpecFacts): string =>
  `${facts.facts_version}.${hash('sha256', JSON.stringify(facts), 'base64url').slice(0, DIGEST_CHARACTERS)}`;

/** Stored facts by workload id. Call it under the cluster's row lock. */
export async function readFacts(db: Db, ids: readonly string[]): Promise<Map<string, StoredFacts>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.query<{ id: string; facts: WorkloadSpecFacts; at: Date }>({
    name: 'read_facts',
    text: `select id, spec_facts as facts, coalesce(spec_facts_at, 'epoch') as at
           from k8s_workloads where id = any ($1::uuid[]) and spec_facts is not null`,
    values: [ids],
  });
  return new Map(rows.map(({ id, facts, at }) => [id, { facts, at }]));
}

/** Facts to store, of the workload with this id. */
export interface FactsToWrite {
  readonly id: string;
  readonly facts: WorkloadSpecFacts;
  readonly hash: string;
}

/** The facts of new rows as cells of their COPY lines: a new workload is written once, and leaves no dead row behind. */
export function factCells(writes: readonly FactsToWrite[], at: Date): ExtraCells {
  const byId = new Map(writes.map((write) => [write.id, write]));
  const none = ['\\N', '\\N', '\\N'];
  return {
    columns: ['spec_facts', 'spec_facts_hash', 'spec_facts_at'],
    cellsOf(id) {
      const write = byId.get(id);
      return write === undefined ? none : [encodeValue('jsonb', write.facts), write.hash, at.toISOString()];
    },
  };
}

/**
 * Stores facts in rows that are there, with the time of their snapshot (contracts.md section 1, "Facts time"); `syncedAt`
 * is an ISO time.
 */
export async function writeFacts(
  db: Db,
  writes: readonly FactsToWrite[],
  at: Date,
  syncedAt: string,
): Promise<void> {
  if (writes.length === 0) return;
  await db.query({
    name: 'write_facts',
    text: `update k8s_workloads as stored
           set spec_facts = sent.facts, spec_facts_hash = sent.hash, spec_facts_at = $2, synced_at = $3
           from json_to_recordset($1::json) as sent (id uuid, facts jsonb, hash text) where stored.id = sent.id`,
    values: [JSON.stringify(writes), at, syncedAt],
  });
}

/** Forgets the facts of a cluster: what is stored is another cluster's (accept-uid). */
export async function forgetFacts(db: Db, clusterId: string): Promise<void> {
  await db.query(
    `update k8s_workloads set spec_facts = null, spec_facts_hash = null, spec_facts_at = null
     where cluster_id = $1 and spec_facts is not null`,
    [clusterId],
  );
}
