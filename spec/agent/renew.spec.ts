import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifySignature } from '../../actors/agentJwt.ts';
import { createIdentity } from '../../agent/nkey.ts';
import type { Renewal, RenewOutcome } from '../../agent/renew.ts';
import { jwtLife, renew, renewalDue, startRenewal } from '../../agent/renew.ts';
import type { Enrollment } from '../../wire/enroll.ts';
import { renewalText } from '../../wire/enroll.ts';
import { jumpClock } from './faults/fleetUnderFaults.ts';
import { keepLog } from './quietLog.ts';
import { AGENT_ID, enrollmentOf, eventually, jwtOf, unsignedJwt } from './samples.ts';
import type { Script, ScriptedServer } from './scripted.ts';
import { answer, startScripted } from './scripted.ts';

const identity = createIdentity();

describe('renewal of the NATS credentials', () => {
  it('is due at two thirds of their life', () => {
    assert.equal(renewalDue(unsignedJwt({ iat: 1000, exp: 4000 })), 3_000_000);
    assert.equal(renewalDue(unsignedJwt({ iat: 1000 })), Number.POSITIVE_INFINITY);
  });

  it('reads no life from what is not a JWT', () => {
    for (const text of ['', 'x', 'a.b.c', unsignedJwt({ iat: '1', exp: '2' })])
      assert.equal(jwtLife(text), null);
  });

  describe('asked once', () => {
    let server: ScriptedServer;
    afterEach(() => server.stop());

    async function renewAgainst(script: Script): Promise<RenewOutcome> {
      server = await startScripted(script);
      return renew({
        backendUrl: server.url,
        agentId: AGENT_ID,
        identity,
        at: new Date('2026-11-30T22:00:00.123Z'),
        signal: AbortSignal.timeout(10_000),
      });
    }

    it('signs the agent and the time', async () => {
      const outcome = await renewAgainst((_, response) => answer(response, 200, enrollmentOf()));
      assert.equal(outcome.kind, 'renewed');
      const [request] = server.received;
      assert.equal(request?.url.pathname, `/api/v1/agents/${AGENT_ID}/renew`);
      const { timestamp, signature } = JSON.parse(request?.body ?? '');
      assert.equal(timestamp, '2026-11-30T22:00:00.123Z');
      assert.ok(
        verifySignature(identity.publicKey, Buffer.from(renewalText(AGENT_ID, timestamp)), signature),
      );
    });

    const answers: [string, number, unknown, RenewOutcome][] = [
      [
        'a clock that is off',
        401,
        { error: { code: 'clock_skew', details: { server_time: '2026-11-30T20:00:00Z' } } },
        { kind: 'clock_skew', serverTime: '2026-11-30T20:00:00Z' },
      ],
      ['a deleted agent', 410, { error: { code: 'gone' } }, { kind: 'deleted' }],
      [
        'an unknown agent or signature',
        401,
        { error: { code: 'unauthorized' } },
        { kind: 'failed', reason: 'unauthorized' },
      ],
      ['a broken backend', 500, {}, { kind: 'failed', reason: 'status 500' }],
      [
        'the enrollment of another agent',
        200,
        enrollmentOf({ agent_id: '00000000-0000-4000-8000-000000000000' }),
        { kind: 'failed', reason: 'the answer is not the enrollment of this agent' },
      ],
    ];
    for (const [what, status, body, expected] of answers) {
      it(`tells ${what} apart`, async () => {
        assert.deepEqual(await renewAgainst((_, response) => answer(response, status, body)), expected);
      });
    }
  });

  describe('kept up', () => {
    let renewal: Renewal;
    let jwt: string;
    let asked: number;
    /** How often the loop looked at its credentials. */
    let looked: number;
    let askedAt: number;
    let deleted: boolean;
    let kept: ReturnType<typeof keepLog>;
    afterEach(() => renewal.stop());

    function keepUp(first: string, outcomes: RenewOutcome[], take?: () => Promise<void>, fresh = true): void {
      jwt = first;
      asked = 0;
      looked = 0;
      deleted = false;
      kept = keepLog();
      renewal = startRenewal({
        jwt() {
          looked += 1;
          return jwt;
        },
        async ask() {
          asked += 1;
          askedAt = Date.now();
          return outcomes.shift() ?? { kind: 'failed', reason: 'nothing more' };
        },
        async take(enrollment: Enrollment) {
          jwt = enrollment.jwt;
          await take?.();
        },
        deleted() {
          deleted = true;
        },
        fresh,
        log: kept.log,
        leastWaitMs: 20,
      });
    }
    const renewed = (): RenewOutcome => ({ kind: 'renewed', enrollment: enrollmentOf() });

    it('waits while the credentials are fresh', async () => {
      keepUp(jwtOf(0, 3600), [renewed()]);
      await sleep(100);
      assert.equal(asked, 0);
    });

    it('renews when two thirds have passed', async () => {
      const first = jwtOf(0, 1.5);
      keepUp(first, [renewed()]);
      await eventually(() => asked === 1);
      assert.ok(askedAt >= renewalDue(first));
    });

    it('renews after expiry, also when the first attempts fail, and then rests', async () => {
      keepUp(jwtOf(7200, 3600), [
        { kind: 'failed', reason: 'ECONNREFUSED' },
        { kind: 'clock_skew', serverTime: '2026-11-30T20:00:00Z' },
        renewed(),
      ]);
      await eventually(() => asked === 3);
      await sleep(100);
      assert.equal(asked, 3);
      assert.match(kept.messages()[1] ?? '', /clock of this machine is more than 10 minutes off/);
      assert.equal(kept.lines[1]?.fields.server_time, '2026-11-30T20:00:00Z');
    });

    it('asks at once when the server refuses fresh credentials', async () => {
      keepUp(jwtOf(0, 3600), [renewed()]);
      await sleep(30);
      renewal.urge();
      await eventually(() => asked === 1);
    });

    it('says so when the agent was deleted, and asks no more', async () => {
      keepUp(jwtOf(7200, 3600), [{ kind: 'deleted' }]);
      await eventually(() => deleted);
      renewal.urge();
      await sleep(60);
      assert.equal(asked, 1);
    });

    it('asks at once whether an agent that was enrolled before still exists, and rests when it does', async () => {
      keepUp(jwtOf(0, 3600), [renewed()], undefined, false);
      await eventually(() => asked === 1);
      await sleep(60);
      assert.equal(asked, 1);
    });

    it('hears within its first question that it was deleted while it was off, although its credentials are good', async () => {
      keepUp(jwtOf(0, 3600), [{ kind: 'deleted' }], undefined, false);
      await eventually(() => deleted);
    });

    it('makes no alarm of a backend that is away while the credentials are good', async () => {
      keepUp(jwtOf(0, 3600), [{ kind: 'failed', reason: 'ECONNREFUSED' }], undefined, false);
      await eventually(() => kept.lines.length > 0);
      assert.deepEqual(
        kept.lines.map(({ level }) => level),
        ['warn'],
      );
    });

    it('rests, too, when the clock is set back by more than a timer can hold', async () => {
      keepUp(jwtOf(0, 3600), [], undefined, false);
      await eventually(() => asked === 1);
      // The next look comes after a short wait, and finds the question weeks ahead of the clock.
      const restore = jumpClock(-40 * 86_400_000);
      try {
        await sleep(300);
      } finally {
        restore();
      }
      assert.equal(asked, 1);
      assert.ok(looked < 10, `looked ${looked} times in 300 ms`);
    });

    it('goes on with credentials that could not be kept', async () => {
      keepUp(jwtOf(7200, 3600), [renewed()], () => Promise.reject(new Error('disk full')));
      await eventually(() => kept.messages().some((message) => /could not be kept/.test(message)));
      assert.ok(renewalDue(jwt) > Date.now());
    });
  });
});
