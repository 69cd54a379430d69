import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import type { RecordedChange } from '../../rules/triage.ts';
import { MINIMUM_SCORE, REACH_MS, rankChanges } from '../../rules/triage.ts';

const AT = new Date('2026-11-30T22:00:00Z');
const MINUTE_MS = 60_000;

const change = (minutesBefore: number, type: string, source = 'k8s-config'): RecordedChange => ({
  id: `${type} ${minutesBefore}`,
  at: new Date(AT.getTime() - minutesBefore * MINUTE_MS),
  source,
  type,
  title: 'title',
});
const ranked = (...changes: RecordedChange[]): string[] => rankChanges(changes, AT).map(({ id }) => id);
const weight = (type: string, source?: string): number | undefined =>
  rankChanges([change(0, type, source)], AT)[0]?.weight;

describe('triage', () => {
  it('weighs edits of workloads and policies alike, scales less, deploys most (TR-01, TR-02)', () => {
    equal(weight('workload_changed'), 0.9);
    equal(weight('network_policy_changed'), 0.9);
    equal(weight('workload_scaled'), 0.5);
    equal(weight('release', 'github'), 1);
  });

  it('names a manual scale until 28 minutes before, up and down alike (TR-03, TR-04)', () => {
    deepEqual(ranked(change(27, 'workload_scaled'), change(29, 'workload_scaled')), ['workload_scaled 27']);
    const [last] = rankChanges([change(28, 'workload_scaled')], AT);
    equal(last?.score, MINIMUM_SCORE);
  });

  it('puts the likeliest first', () => {
    deepEqual(
      ranked(change(20, 'workload_scaled'), change(30, 'workload_changed'), change(30, 'x', 'gitlab')),
      ['x 30', 'workload_changed 30', 'workload_scaled 20'],
    );
  });

  it('names nothing that happened after', () => {
    deepEqual(ranked(change(-1, 'workload_changed')), []);
  });

  it('lets a score fall with age alone, and reach the minimum never later than the reach', () => {
    const anyChange = fc.record({
      minutes: fc.integer({ min: 0, max: 90 }),
      type: fc.constantFrom('workload_scaled', 'workload_changed'),
      source: fc.constantFrom('k8s-config', 'github'),
    });
    fc.assert(
      fc.property(fc.array(anyChange, { maxLength: 30 }), (drawn) => {
        const items = rankChanges(
          drawn.map(({ minutes, type, source }) => change(minutes, type, source)),
          AT,
        );
        for (const [index, item] of items.entries()) {
          ok(item.score >= MINIMUM_SCORE && item.score <= item.weight);
          ok(AT.getTime() - item.at.getTime() <= REACH_MS);
          const next = items[index + 1];
          ok(next === undefined || next.score <= item.score);
          if (next?.weight === item.weight) ok(next.at <= item.at);
        }
      }),
    );
  });
});
