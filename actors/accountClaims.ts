/** Brings the accounts' claims into the server's resolver (contracts.md section 7). */

import { proximaAccountJwt, systemAccountJwt } from './natsClaims.ts';
import type { NatsKeys } from './natsKeys.ts';
import type { NatsAddress, NatsLink } from './natsLink.ts';
import { connectNats } from './natsLink.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = 5_000;

/** The disk limit is the server's; an account limit above it would be dropped silently. */
const UNLIMITED = -1;

/**
 * Pushes SYS and PROXIMA as the SYS user, and reads each back: an answer of 200 is no proof (stack.md section 10). A push
 * replaces the whole claim. Throws when the server kept something else.
 */
export async function pushAccounts(
  system: NatsAddress,
  keys: NatsKeys,
  revocations: Readonly<Record<string, number>> = {},
): Promise<void> {
  const issuedAt = new Date();
  const link = await connectNats(system, CONNECT_TIMEOUT_MS);
  try {
    await push(link, keys.system.publicKey, systemAccountJwt(keys.operator, keys.system.publicKey, issuedAt));
    const account = {
      account: keys.account.publicKey,
      signingKey: keys.signing.publicKey,
      diskBytes: UNLIMITED,
      revocations,
      issuedAt,
    };
    await push(link, account.account, proximaAccountJwt(keys.operator, account));
  } finally {
    await link.close();
  }
}

async function push(link: NatsLink, account: string, jwt: string): Promise<void> {
  await link.request('$SYS.REQ.CLAIMS.UPDATE', Buffer.from(jwt), ANSWER_TIMEOUT_MS);
  const subject = `$SYS.REQ.ACCOUNT.${account}.CLAIMS.LOOKUP`;
  const kept = await link.request(subject, new Uint8Array(), ANSWER_TIMEOUT_MS);
  if (Buffer.from(kept).toString() !== jwt) throw new Error('nats-server did not keep the account claims');
}
