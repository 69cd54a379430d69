import { deepEqual, equal } from 'node:assert/strict';
import fc from 'fast-check';
import { hpaTargets, planFacts } from '../../../rules/facts/plan.ts';
import type { WorkloadSpecFacts } from '../../../wire/specFacts.ts';
import { anyFacts, containerFacts, factsOf } from './arbitrary.ts';

const API = { kind: 'Deployment', namespace: 'shop', name: 'api' };
const at = (minute: number) => new Date(Date.UTC(2026, 10, 30, 12, minute));
const facts = factsOf([containerFacts('app')]);
const context = { at: at(5), scaledByHpa: new Set<string>() };
const stored = (minute: number, known: WorkloadSpecFacts = facts) => ({ facts: known, at: at(minute) });
const scaled = { ...facts, replicas: 7 };

describe('rules/facts/plan', () => {
  it('takes a workload at first sight, and facts of other rules, as a baseline (CH-27, CH-28)', () => {
    deepEqual(planFacts({ ...API, spec_facts: facts }, null, context), { kind: 'baseline', facts });
    for (const version of [0, 2]) {
      const other = { ...scaled, facts_version: version };
      equal(planFacts({ ...API, spec_facts: other }, stored(1), context).kind, 'baseline');
      equal(planFacts({ ...API, spec_facts: facts }, stored(1, other), context).kind, 'baseline');
    }
  });

  it('knows nothing of a workload that comes without facts (CH-29)', () => {
    equal(planFacts(API, stored(1), context).kind, 'unknown');
    equal(planFacts(API, null, context).kind, 'unknown');
  });

  it('compares only what is strictly later, whatever its version (CH-30)', () => {
    for (const minute of [5, 6]) {
      equal(planFacts({ ...API, spec_facts: scaled }, stored(minute), context).kind, 'not_newer');
      equal(
        planFacts({ ...API, spec_facts: { ...scaled, facts_version: 9 } }, stored(minute), context).kind,
        'not_newer',
      );
    }
  });

  it('leaves replicas out where an HPA of the same namespace, kind and name owns them, and stores them (CH-24, X-37)', () => {
    const target = { namespace: 'shop', target_kind: 'Deployment', target_name: 'api' };
    const plan = (hpa: typeof target) =>
      planFacts({ ...API, spec_facts: scaled }, stored(1), { ...context, scaledByHpa: hpaTargets([hpa]) });
    deepEqual(plan(target), { kind: 'compared', facts: scaled, changes: [] });
    for (const other of [{ namespace: 'x' }, { target_kind: 'StatefulSet' }, { target_name: 'web' }]) {
      const found = plan({ ...target, ...other });
      equal(found.kind === 'compared' && found.changes.length, 1);
    }
  });

  it('records nothing of facts that come back as they were, however long they were away', () => {
    fc.assert(
      fc.property(anyFacts, (known) => {
        deepEqual(planFacts({ ...API, spec_facts: known }, stored(1, known), context), {
          kind: 'compared',
          facts: known,
          changes: [],
        });
      }),
    );
  });
});
