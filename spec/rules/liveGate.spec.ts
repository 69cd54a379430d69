import { deepEqual, equal } from 'node:assert/strict';
import type { GatedAgent } from '../../rules/liveGate.ts';
import { liveGate, stampsLines } from '../../rules/liveGate.ts';
import { isDnsLabel, isDnsSubdomain, parseSince, parseTail } from '../../rules/query/live.ts';
import { isAtLeast } from '../../rules/version.ts';

const NOW = new Date('2026-12-01T12:00:00Z');
const ago = (seconds: number): Date => new Date(NOW.getTime() - seconds * 1000);
const agent = (id: string, change: Partial<GatedAgent> = {}): GatedAgent => ({
  id,
  agent_version: 'v0.9.0',
  last_heartbeat_at: ago(5),
  epoch: { lease_uid: 'lease', transitions: 1 },
  ...change,
});
const LOGS = { op: 'logs', since_time: null } as const;
const FOLLOW = { op: 'logs', since_time: '2026-12-01T11:00:00Z' } as const;
const MANIFEST = { op: 'manifest', since_time: null } as const;

describe('the gate of live reads', () => {
  it('compares versions as releases; missing, unreadable and pre-release ones are older (U-34)', () => {
    for (const version of ['v0.8.0', '0.8.0', 'v0.8.1', '0.10.0', '1.0.0', 'v0.8.1-rc.1', '0.8.0+build.5'])
      equal(isAtLeast(version, 'v0.8.0'), true, version);
    for (const version of [null, '', 'v0.7.12', 'latest', 'v0.8', 'v0.8.0-rc.1', 'vv0.9.0', '0.9.0.1'])
      equal(isAtLeast(version, 'v0.8.0'), false, String(version));
  });

  it('finds no agent, and one that was not heard of for 45 s, with the time it was seen last (LV-23, X-46)', () => {
    deepEqual(liveGate([], LOGS, NOW), { kind: 'no_agent' });
    const gone = [agent('a', { last_heartbeat_at: ago(60) }), agent('b', { last_heartbeat_at: ago(45) })];
    deepEqual(liveGate(gone, LOGS, NOW), { kind: 'agent_offline', lastSeenAt: ago(45) });
    deepEqual(liveGate([agent('a', { last_heartbeat_at: null })], LOGS, NOW), {
      kind: 'agent_offline',
      lastSeenAt: null,
    });
  });

  it('asks the agent of the highest epoch, also where an older leader was heard of later (X-14)', () => {
    const old = agent('old', { last_heartbeat_at: ago(1) });
    const leader = agent('leader', {
      last_heartbeat_at: ago(9),
      epoch: { lease_uid: 'lease', transitions: 2 },
    });
    const standby = agent('standby', { last_heartbeat_at: null, epoch: null });
    for (const agents of [
      [old, leader, standby],
      [standby, leader, old],
    ])
      deepEqual(liveGate(agents, LOGS, NOW), { kind: 'ask', agent: leader });
  });

  it('asks for the version that the read needs (LV-18 to LV-20)', () => {
    const old = agent('a', { agent_version: 'v0.7.12' });
    deepEqual(liveGate([old], LOGS, NOW), { kind: 'ask', agent: old });
    equal(stampsLines(old), false);
    const tooOld = { kind: 'agent_too_old', required: 'v0.8.0', actual: 'v0.7.12' };
    deepEqual(liveGate([old], FOLLOW, NOW), tooOld);
    deepEqual(liveGate([old], MANIFEST, NOW), tooOld);
    deepEqual(liveGate([agent('a', { agent_version: null })], LOGS, NOW), {
      kind: 'agent_too_old',
      required: 'v0.7.12',
      actual: null,
    });
  });

  it('knows names, tails and times (LV-14, LV-15, LV-21)', () => {
    for (const name of ['a', 'a-b', '0', 'x'.repeat(63)]) equal(isDnsLabel(name), true, name);
    for (const name of ['', '-a', 'a-', 'A', 'a.b', 'a/b', 'x'.repeat(64), 'a\n'])
      equal(isDnsLabel(name), false);
    for (const name of ['a', 'a.b', 'x'.repeat(253)]) equal(isDnsSubdomain(name), true, name);
    for (const name of ['', 'a..b', '.a', 'a.', 'A', 'a/b', 'x'.repeat(254), '..', 'a\n'])
      equal(isDnsSubdomain(name), false);
    deepEqual(['1', '300', '0', '301', '01', '1e2', ' 1', ''].map(parseTail), [
      1,
      300,
      ...Array(6).fill(null),
    ]);
    equal(parseSince('2026-12-01T12:00:01.999+01:00'), '2026-12-01T11:00:01Z');
    deepEqual(['yesterday', '2026-02-30T00:00:00Z', '9999-12-31T23:59:59-23:59'].map(parseSince), [
      null,
      null,
      null,
    ]);
  });
});
