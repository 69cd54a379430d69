import { deepEqual, equal, ok } from 'node:assert/strict';
import { createReconnectWait } from '../../rules/reconnectWait.ts';

const HOUR_MS = 3_600_000;

describe('the wait before NATS is dialled again', () => {
  let wallMs: number;
  let monotonicMs: number;
  beforeEach(() => {
    wallMs = Date.UTC(2026, 11, 1);
    monotonicMs = 0;
  });
  const pass = (ms: number): void => {
    wallMs += ms;
    monotonicMs += ms;
  };
  const wait = (servers = 1, random = 0) =>
    createReconnectWait({
      waitMs: 500,
      servers,
      wallMs: () => wallMs,
      monotonicMs: () => monotonicMs,
      random: () => random,
    });

  it('is the set one with up to a fifth more by chance', () => {
    equal(wait(1, 0)(), 500);
    equal(wait(1, 1)(), 600);
  });

  it('is none, once for each server, after the clock was set back', () => {
    const next = wait(2);
    pass(10_000);
    equal(next(), 500);
    wallMs -= HOUR_MS;
    pass(10_000);
    deepEqual([next(), next(), next()], [-Infinity, -Infinity, 500]);
  });

  it('stays as it is when the clock was set forward or slews', () => {
    const next = wait();
    wallMs += HOUR_MS;
    equal(next(), 500);
    wallMs -= 100;
    equal(next(), 500);
  });

  it('lets a client dial that tried in the hour that was taken back', () => {
    const next = wait();
    wallMs += HOUR_MS;
    next();
    const lastConnect = wallMs;
    wallMs -= HOUR_MS;
    // The comparison of the client.
    ok(lastConnect + next() <= wallMs);
  });
});
