/** What a snapshot does to the facts of one workload (CH-24 to CH-30). */

import type { Arrays } from '../../wire/kinds/index.ts';
import type { SentWorkload } from '../../wire/snapshot.ts';
import type { WorkloadSpecFacts } from '../../wire/specFacts.ts';
import type { FieldChange } from './diff.ts';
import { diffFacts } from './diff.ts';

/** The last known facts of a workload and the time of the snapshot that brought them. */
export interface StoredFacts {
  readonly facts: WorkloadSpecFacts;
  readonly at: Date;
}

/** What is to be judged by. */
export interface FactsContext {
  /** Time of the snapshot: clamped, and moved behind what is stored where an epoch won over a slow clock. */
  readonly at: Date;
  /** Of `hpaTargets`. */
  readonly scaledByHpa: ReadonlySet<string>;
}

export type FactsPlan =
  /** The snapshot does not know; the stored facts stay (CH-29, CH-37). */
  | { readonly kind: 'unknown' }
  /** Not later than what is stored: neither compared nor written (CH-30). */
  | { readonly kind: 'not_newer' }
  /** To be stored and not to be recorded: first sight (CH-27), or facts of other rules (CH-28). */
  | { readonly kind: 'baseline'; readonly facts: WorkloadSpecFacts }
  /** To be stored, and to be recorded unless `changes` is empty: what an HPA scaled is no change. */
  | {
      readonly kind: 'compared';
      readonly facts: WorkloadSpecFacts;
      readonly changes: readonly FieldChange[];
    };

export function planFacts(
  workload: Pick<SentWorkload, 'kind' | 'namespace' | 'name' | 'spec_facts'>,
  stored: StoredFacts | null,
  context: FactsContext,
): FactsPlan {
  const facts = workload.spec_facts;
  if (facts === undefined) return { kind: 'unknown' };
  if (stored === null) return { kind: 'baseline', facts };
  if (context.at.getTime() <= stored.at.getTime()) return { kind: 'not_newer' };
  if (facts.facts_version !== stored.facts.facts_version) return { kind: 'baseline', facts };
  const changes = diffFacts(stored.facts, facts);
  const isScaled = context.scaledByHpa.has(targetKey(workload.namespace, workload.kind, workload.name));
  return {
    kind: 'compared',
    facts,
    changes: isScaled ? changes.filter(({ field }) => field !== 'replicas') : changes,
  };
}

type Target = Pick<Arrays['hpas'][number], 'namespace' | 'target_kind' | 'target_name'>;

/** The workloads whose number of replicas belongs to an HPA, as keys for `FactsContext`. */
export const hpaTargets = (hpas: readonly Target[]): ReadonlySet<string> =>
  new Set(hpas.map((hpa) => targetKey(hpa.namespace, hpa.target_kind, hpa.target_name)));

const targetKey = (namespace: string, kind: string, name: string): string =>
  `${namespace}\u0000${kind}\u0000${name}`;
