import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Schedule } from '../../agent/schedule.ts';
import { startSchedule } from '../../agent/schedule.ts';
import { eventually } from './samples.ts';

describe('the sync schedule', () => {
  let schedule: Schedule;
  afterEach(() => schedule.stop());

  it('runs at once and then every interval, on a grid that slow runs do not move (AG-02, EN-13)', async () => {
    const startedAt = performance.now();
    const at: number[] = [];
    schedule = startSchedule({
      intervalMs: 300,
      deadlineMs: 1000,
      async run() {
        at.push(performance.now() - startedAt);
        await sleep(at.length === 2 ? 400 : 30);
      },
    });
    await eventually(() => at.length === 4);
    const [first = 0, second = 0, third = 0, fourth = 0] = at;
    assert.ok(first < 200, `${at}`);
    // The second run covers the tick at 600, so the third comes at 900 or, on a slow machine, at a later one.
    for (const time of [second, third, fourth]) assert.ok((time + 5) % 300 < 200, `${at}`);
    assert.ok(third - second > 400, `${at}`);
  });

  it('never runs twice at a time', async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    schedule = startSchedule({
      intervalMs: 10,
      deadlineMs: 1000,
      async run() {
        running += 1;
        runs += 1;
        most = Math.max(most, running);
        await sleep(35);
        running -= 1;
      },
    });
    await eventually(() => runs === 4);
    assert.equal(most, 1);
  });

  it('gives each run a deadline of its own', async () => {
    const ends: boolean[] = [];
    schedule = startSchedule({
      intervalMs: 20,
      deadlineMs: 50,
      async run(signal) {
        await sleep(5000, undefined, { signal }).catch(() => ends.push(signal.aborted));
      },
    });
    await eventually(() => ends.length === 2);
    assert.deepEqual(ends, [true, true]);
  });

  it('lets the running sync finish when it is stopped, and starts no other (X-30)', async () => {
    let finished = 0;
    let aborted = true;
    schedule = startSchedule({
      intervalMs: 10,
      deadlineMs: 5000,
      async run(signal) {
        await sleep(80);
        aborted = signal.aborted;
        finished += 1;
      },
    });
    await schedule.stop();
    assert.deepEqual([finished, aborted], [1, false]);
    await sleep(50);
    assert.equal(finished, 1);
  });
});
