/** Renewal of the agent's NATS JWT at two thirds of its life, and after its expiry (contracts.md section 4). */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Enrollment } from '../wire/enroll.ts';
import { AGENTS_PATH, renewalText } from '../wire/enroll.ts';
import { postJson } from './backendApi.ts';
import { checkEnrollment } from './enroll.ts';
import { instant } from './instant.ts';
import type { Log } from './log.ts';
import type { Identity } from './nkey.ts';

/** Validity of a JWT, in milliseconds since 1970. */
export interface JwtLife {
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Reads `iat` and `exp` of a JWT without checking its signature, which is the server's work; null when it has none. */
export function jwtLife(jwt: string): JwtLife | null {
  try {
    const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as {
      iat?: unknown;
      exp?: unknown;
    };
    const { iat, exp } = claims;
    return typeof iat === 'number' && typeof exp === 'number'
      ? { issuedAt: iat * 1000, expiresAt: exp * 1000 }
      : null;
  } catch {
    return null;
  }
}

/** When to ask for the next JWT; never, for one that does not expire. */
export function renewalDue(jwt: string): number {
  const life = jwtLife(jwt);
  return life === null
    ? Number.POSITIVE_INFINITY
    : life.issuedAt + ((life.expiresAt - life.issuedAt) * 2) / 3;
}

export type RenewOutcome =
  | { readonly kind: 'renewed'; readonly enrollment: Enrollment }
  /** This machine's clock is more than 10 minutes off; `serverTime` is the backend's, as text. */
  | { readonly kind: 'clock_skew'; readonly serverTime: string | null }
  /** The agent's record was deleted on purpose. */
  | { readonly kind: 'deleted' }
  | { readonly kind: 'failed'; readonly reason: string };

/** Asks for a new JWT once. */
export async function renew(o: {
  readonly backendUrl: string;
  readonly agentId: string;
  readonly identity: Identity;
  readonly at: Date;
  readonly signal: AbortSignal;
}): Promise<RenewOutcome> {
  const timestamp = instant(o.at);
  const signature = o.identity.sign(Buffer.from(renewalText(o.agentId, timestamp)));
  const reply = await postJson(
    `${o.backendUrl}${AGENTS_PATH}/${o.agentId}/renew`,
    JSON.stringify({ timestamp, signature }),
    { headers: {}, signal: o.signal },
  );
  if (reply.kind === 'unavailable') return { kind: 'failed', reason: reply.reason };
  if (reply.kind === 'refused') {
    if (reply.status === 410) return { kind: 'deleted' };
    const { code, details } = reply.error;
    if (code !== 'clock_skew') return { kind: 'failed', reason: code ?? `status ${reply.status}` };
    const time = details.server_time;
    return { kind: 'clock_skew', serverTime: typeof time === 'string' ? time.slice(0, 40) : null };
  }
  const checked = checkEnrollment(reply.body);
  if (!checked.ok || checked.value.agent_id !== o.agentId) {
    return { kind: 'failed', reason: 'the answer is not the enrollment of this agent' };
  }
  return { kind: 'renewed', enrollment: checked.value };
}

/** The backend signs at most one JWT per agent and minute. */
const LEAST_WAIT_MS = 61_000;
const LONGEST_WAIT_MS = 10 * 60_000;
/**
 * Asked this often although the JWT lasts longer: the answer is the only word that the agent was deleted, until when its
 * JWT is good for NATS and its messages are refused one by one.
 */
const ASK_EVERY_MS = 60 * 60_000;

export interface Renewal {
  /** The server refused the JWT: asks for another now, unless it asked within the last minute. */
  urge(): void;
  /** Ends the loop; a request that is running is given up. */
  stop(): Promise<void>;
}

/**
 * Keeps the JWT fresh, and asks every hour whether the agent still exists. A failed attempt is repeated after 1 minute, then up to every 10; the agent keeps the JWT that it
 * has until then.
 */
export function startRenewal(o: {
  /** The newest JWT. */
  jwt(): string;
  ask(signal: AbortSignal): Promise<RenewOutcome>;
  /** Takes the new enrollment into memory and keeps it. */
  take(enrollment: Enrollment): Promise<void>;
  deleted(): void;
  /** True when the JWT came from the backend a moment ago, false when it lay on disk. */
  readonly fresh: boolean;
  readonly log: Log;
  readonly leastWaitMs?: number;
}): Renewal {
  const leastWaitMs = o.leastWaitMs ?? LEAST_WAIT_MS;
  const stopping = new AbortController();
  let urged = false;
  let wake: AbortController | null = null;

  const pause = async (ms: number, wakeable: boolean): Promise<void> => {
    wake = wakeable ? new AbortController() : null;
    const signal = wake === null ? stopping.signal : AbortSignal.any([stopping.signal, wake.signal]);
    await sleep(ms, undefined, { signal }).catch(() => undefined);
    wake = null;
  };

  const loop = async (): Promise<void> => {
    let failures = 0;
    // Monotonic, so that a wait is an hour at most: a wall clock that is set back far makes one that no timer can hold.
    let askedAt = o.fresh ? performance.now() : Number.NEGATIVE_INFINITY;
    while (!stopping.signal.aborted) {
      const waitMs = Math.min(renewalDue(o.jwt()) - Date.now(), askedAt + ASK_EVERY_MS - performance.now());
      if (waitMs > 0 && !urged) {
        await pause(waitMs, true);
        continue;
      }
      urged = false;
      askedAt = performance.now();
      const outcome = await o.ask(stopping.signal);
      if (stopping.signal.aborted) return;
      if (outcome.kind === 'deleted') return o.deleted();
      if (outcome.kind === 'renewed') {
        failures = 0;
        o.log.info({ expires_at: expiryOf(outcome.enrollment.jwt) }, 'the NATS credentials were renewed');
        await o.take(outcome.enrollment).catch((err) => {
          o.log.error({ err }, 'the renewed NATS credentials could not be kept; they last until a restart');
        });
      } else {
        failures += 1;
        report(outcome, renewalDue(o.jwt()) <= Date.now(), o.log);
      }
      await pause(
        Math.min(leastWaitMs * Math.max(1, failures), Math.max(leastWaitMs, LONGEST_WAIT_MS)),
        false,
      );
    }
  };
  const ended = loop();

  return {
    urge() {
      urged = true;
      wake?.abort();
    },
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

function report(
  outcome: Extract<RenewOutcome, { kind: 'clock_skew' | 'failed' }>,
  due: boolean,
  log: Log,
): void {
  if (outcome.kind === 'failed') {
    const { reason } = outcome;
    if (due) log.error({ reason }, 'the NATS credentials could not be renewed, asking again later');
    else log.warn({ reason }, 'the backend could not be asked about this agent, asking again later');
    return;
  }
  log.error(
    { server_time: outcome.serverTime, local_time: new Date().toISOString() },
    'the clock of this machine is more than 10 minutes off, so the backend renews no credentials; set the clock',
  );
}

const expiryOf = (jwt: string): string | null => {
  const life = jwtLife(jwt);
  return life === null ? null : new Date(life.expiresAt).toISOString();
};
