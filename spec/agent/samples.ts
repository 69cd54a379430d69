import { setTimeout as sleep } from 'node:timers/promises';
import type { Enrollment } from '../../wire/enroll.ts';

/** A JWT with these times and no signature, for what only reads them. */
export const unsignedJwt = (claims: Record<string, unknown>): string =>
  ['{}', JSON.stringify(claims), ''].map((part) => Buffer.from(part).toString('base64url')).join('.');

/** A JWT that was issued so many seconds ago and lives so long. */
export const jwtOf = (ageSeconds: number, lifeSeconds: number): string => {
  const iat = Date.now() / 1000 - ageSeconds;
  return unsignedJwt({ iat, exp: iat + lifeSeconds });
};

export const AGENT_ID = '6f1c2a52-6a0e-4a63-9d0b-0b8f0d2f9a11';

export const enrollmentOf = (changes: Partial<Enrollment> = {}): Enrollment => ({
  agent_id: AGENT_ID,
  client: 'acme',
  environment: 'prod',
  nats_url: 'nats://127.0.0.1:1',
  nats_ca: null,
  jwt: jwtOf(0, 3600),
  accepts: ['gzip'],
  heartbeat_seconds: 15,
  ...changes,
});

/** Waits until the claim holds; fails after `withinMs`. */
export async function eventually(claim: () => boolean, withinMs = 5000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!claim()) {
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${claim}`);
    await sleep(10);
  }
}
