/** Edits of NetworkPolicies as change records (CH-39, U-18). New and removed policies are not recorded, as workloads. */

import type { PolicySpec } from '../rules/facts/networkPolicy.ts';
import { diffPolicies } from '../rules/facts/networkPolicy.ts';
import { toRecord } from '../rules/facts/record.ts';
import type { Arrays } from '../wire/kinds/index.ts';
import type { Recording } from './changes.ts';
import { insertChanges } from './changes.ts';
import type { RowToWrite } from './inventory/diff.ts';
import type { Db } from './pool.ts';

/**
 * Records what the rows that are about to be overwritten lose. Called before they are, under the cluster's lock; reads
 * those rows alone, so that a sync without an edit pays nothing. Answers how many records were written.
 */
export async function recordPolicies(
  db: Db,
  recording: Recording,
  updated: readonly RowToWrite[],
): Promise<number> {
  if (updated.length === 0) return 0;
  const { rows } = await db.query<PolicySpec & { id: string }>(
    'select id, pod_selector, policy_types, ingress, egress from k8s_network_policies where id = any ($1::uuid[])',
    [updated.map(({ id }) => id)],
  );
  const stored = new Map(rows.map((row) => [row.id, row]));
  const records = updated.flatMap(({ id, record }) => {
    const before = stored.get(id);
    const policy = record as unknown as Arrays['network_policies'][number];
    const changes = before === undefined ? [] : diffPolicies(before, policy);
    if (changes.length === 0) return [];
    const { namespace, name } = policy;
    return [toRecord('network_policy_changed', { kind: 'NetworkPolicy', namespace, name }, changes)];
  });
  await insertChanges(db, recording, records);
  return records.length;
}
