import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import type { CappedEvent, CappedPod } from '../../../rules/kube/caps.ts';
import { capEvents, capPods } from '../../../rules/kube/caps.ts';

const pod = fc.record({
  phase: fc.constantFrom('Running', 'Pending', 'Failed', 'Succeeded', 'Unknown'),
  restart_count: fc.nat(3),
  namespace: fc.constantFrom('a', 'b'),
  name: fc.constantFrom(...'abcdefghijklmnop'),
});
const pods = fc.uniqueArray(pod, { selector: (p) => `${p.namespace}/${p.name}`, maxLength: 30 });
const event = fc.record({
  uid: fc.string({ minLength: 1, maxLength: 4 }),
  last_seen_at: fc.option(
    fc.constantFrom(
      '2026-11-30T10:00:00Z',
      '2026-11-30T10:00:00.5Z',
      '2026-11-30T10:00:01Z',
      '2025-01-01T00:00:00Z',
    ),
  ),
});
const events = fc.uniqueArray(event, { selector: (e) => e.uid, maxLength: 30 });
const limit = fc.integer({ min: 1, max: 12 });
const named = (phase: string, restart_count: number, name: string): CappedPod => ({
  phase,
  restart_count,
  namespace: 'default',
  name,
});

describe('rules/kube/caps', () => {
  it('keeps both Pending pods and the Running pod with most restarts, of two and five under a limit of 3 (AG-26)', () => {
    const running = [0, 3, 9, 1, 2].map((restarts) => named('Running', restarts, `r${restarts}`));
    const kept = capPods([...running, named('Pending', 0, 'p1'), named('Pending', 0, 'p2')], 3);
    deepEqual(
      kept.map(({ name }) => name),
      ['p1', 'p2', 'r9'],
    );
  });

  it('leaves pods that fit as they came (AG-26)', () => {
    const few = [named('Running', 0, 'b'), named('Pending', 5, 'a')];
    equal(capPods(few, 2), few);
  });

  it('never drops a pod that is not Running while a Running one stays (AG-26)', () => {
    fc.assert(
      fc.property(pods, limit, (all, max) => {
        const kept = new Set(capPods(all, max));
        const dropped = all.filter((p) => !kept.has(p));
        equal(kept.size, Math.min(all.length, max));
        if (dropped.some((p) => p.phase !== 'Running')) ok([...kept].every((p) => p.phase !== 'Running'));
      }),
    );
  });

  it('never drops a pod with more restarts than one that stays in the same half', () => {
    fc.assert(
      fc.property(pods, limit, (all, max) => {
        const kept = capPods(all, max);
        for (const gone of all.filter((p) => !kept.includes(p)))
          for (const stays of kept)
            if ((gone.phase === 'Running') === (stays.phase === 'Running'))
              ok(stays.restart_count >= gone.restart_count);
      }),
    );
  });

  it('cuts the same pods whatever order they come in, and whether at once or as pages arrive', () => {
    fc.assert(
      fc.property(pods, limit, fc.nat(30), (all, max, at) => {
        const names = (some: CappedPod[]): string[] => some.map((p) => `${p.namespace}/${p.name}`).sort();
        const once = names(capPods(all, max));
        deepEqual(names(capPods(all.toReversed(), max)), once);
        deepEqual(names(capPods([...capPods(all.slice(0, at), max), ...all.slice(at)], max)), once);
      }),
    );
  });

  it('keeps the newest events, those without a time last, ties by uid (AG-27)', () => {
    const seen = (uid: string, last_seen_at: string | null): CappedEvent => ({ uid, last_seen_at });
    const kept = capEvents(
      [
        seen('none', null),
        seen('z', '2026-11-30T10:00:00Z'),
        seen('half', '2026-11-30T10:00:00.5Z'),
        seen('a', '2026-11-30T10:00:00Z'),
        seen('old', '2025-01-01T00:00:00Z'),
      ],
      4,
    );
    deepEqual(
      kept.map(({ uid }) => uid),
      ['half', 'a', 'z', 'old'],
    );
  });

  it('drops no event that is newer than one that stays, at once or as pages arrive', () => {
    const time = (e: CappedEvent): number => (e.last_seen_at === null ? -1 : Date.parse(e.last_seen_at));
    fc.assert(
      fc.property(events, limit, fc.nat(30), (all, max, at) => {
        const kept = capEvents(all, max);
        equal(kept.length, Math.min(all.length, max));
        const oldest = Math.min(...kept.map(time));
        ok(all.filter((e) => !kept.includes(e)).every((e) => time(e) <= oldest));
        deepEqual(capEvents([...capEvents(all.slice(0, at), max), ...all.slice(at)], max), kept);
      }),
    );
  });
});
