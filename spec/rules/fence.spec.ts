import { deepEqual, equal } from 'node:assert/strict';
import fc from 'fast-check';
import { clampStamp, compareWithFence } from '../../rules/fence.ts';

const at = (ms: number) => new Date(Date.UTC(2026, 10, 30) + ms);
const lease = (uid: string, transitions: number) => ({ lease_uid: uid, transitions });

describe('the fence (D11)', () => {
  it('takes the first snapshot of a cluster, whatever it says', () => {
    const verdict = compareWithFence(
      { snapshotAt: null, epoch: null, recordedAt: null },
      { stamp: at(0), epoch: lease('a', 9) },
    );
    deepEqual(verdict, { kind: 'newer', effectiveAt: at(0) });
  });

  it('orders by stamp within one epoch: later is newer, equal a replay, earlier superseded (X-18)', () => {
    const fence = { snapshotAt: at(1000), epoch: lease('a', 1), recordedAt: null };
    equal(compareWithFence(fence, { stamp: at(1001), epoch: lease('a', 1) }).kind, 'newer');
    equal(compareWithFence(fence, { stamp: at(1000), epoch: lease('a', 1) }).kind, 'replay');
    equal(compareWithFence(fence, { stamp: at(999), epoch: lease('a', 1) }).kind, 'superseded');
  });

  it('lets a new leader with a slow clock in, at a time behind what is stored', () => {
    const fence = { snapshotAt: at(60_000), epoch: lease('a', 1), recordedAt: null };
    const verdict = compareWithFence(fence, { stamp: at(0), epoch: lease('a', 2) });
    deepEqual(verdict, { kind: 'newer', effectiveAt: at(60_001) });
  });

  it('keeps the times of facts and records rising until the slow clock has caught up', () => {
    const fence = { snapshotAt: at(0), epoch: lease('a', 2), recordedAt: at(60_001) };
    const next = (ms: number) => compareWithFence(fence, { stamp: at(ms), epoch: lease('a', 2) });
    deepEqual(next(1), { kind: 'newer', effectiveAt: at(60_002) });
    deepEqual(next(60_001), { kind: 'newer', effectiveAt: at(60_002) });
    deepEqual(next(90_000), { kind: 'newer', effectiveAt: at(90_000) });
    equal(next(0).kind, 'replay');
  });

  it('refuses a deposed leader, however late its clock', () => {
    const fence = { snapshotAt: at(0), epoch: lease('a', 2), recordedAt: null };
    equal(compareWithFence(fence, { stamp: at(60_000), epoch: lease('a', 1) }).kind, 'superseded');
  });

  it('falls back to the stamps when the Lease was made anew or there is none', () => {
    const fence = { snapshotAt: at(1000), epoch: lease('a', 7), recordedAt: null };
    for (const epoch of [lease('b', 0), null]) {
      equal(compareWithFence(fence, { stamp: at(1001), epoch }).kind, 'newer');
      equal(compareWithFence(fence, { stamp: at(1000), epoch }).kind, 'replay');
      equal(compareWithFence(fence, { stamp: at(999), epoch: epoch }).kind, 'superseded');
    }
  });

  it('never calls two snapshots newer than each other, and calls a snapshot a replay of itself', () => {
    const arrival = fc.record({
      stamp: fc.integer({ min: 0, max: 5 }).map(at),
      epoch: fc.option(fc.record({ lease_uid: fc.constantFrom('a', 'b'), transitions: fc.nat(3) })),
    });
    fc.assert(
      fc.property(arrival, arrival, (a, b) => {
        const forth = compareWithFence({ snapshotAt: a.stamp, epoch: a.epoch, recordedAt: null }, b).kind;
        const back = compareWithFence({ snapshotAt: b.stamp, epoch: b.epoch, recordedAt: null }, a).kind;
        const mirror = { newer: 'superseded', superseded: 'newer', replay: 'replay' } as const;
        equal(back, mirror[forth]);
        equal(compareWithFence({ snapshotAt: a.stamp, epoch: a.epoch, recordedAt: null }, a).kind, 'replay');
      }),
    );
  });
});

describe('the clamp of a future stamp (CH-32)', () => {
  it('leaves a stamp up to a minute ahead alone', () => {
    const clocks = { now: at(0), publishedAt: at(0) };
    deepEqual(clampStamp(at(60_000), clocks), { stamp: at(60_000), clamped: false });
    deepEqual(clampStamp(at(-5), clocks), { stamp: at(-5), clamped: false });
  });

  it('moves one beyond to a minute after the backend clock', () => {
    deepEqual(clampStamp(at(86_400_000), { now: at(0), publishedAt: at(0) }), {
      stamp: at(60_000),
      clamped: true,
    });
  });

  it('clamps a redelivery as it clamped the first delivery', () => {
    const first = clampStamp(at(86_400_000), { now: at(20), publishedAt: at(0) });
    const again = clampStamp(at(86_400_000), { now: at(300_000), publishedAt: at(0) });
    deepEqual(again, first);
  });
});
