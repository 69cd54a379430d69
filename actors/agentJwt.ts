/** An agent's NATS identity: what its JWT allows, who signs it, and what its nkey signed (D13, contracts.md sections 4 and 7). */

import type { Sender } from '../wire/subjects.ts';
import { agentInbox, commandSubject, DATA_TYPES, dataSubject } from '../wire/subjects.ts';
import type { Permissions } from './natsClaims.ts';
import { userJwt } from './natsClaims.ts';
import { isSignedBy, nkeyFromSeed } from './nkey.ts';

/** Life of an agent's JWT; the agent renews at two thirds of it. */
const AGENT_JWT_SECONDS = 30 * 24 * 3600;

/** An agent has this long to answer a command. */
const ANSWER_NANOSECONDS = 20_000_000_000;

/**
 * What one agent may do: publish its own data subjects, each by name, hear its commands and its own inbox, answer once
 * per command. Never its command subject or a wildcard over it: the server does not check reply subjects, so an agent
 * that can command itself could answer anywhere (contracts.md section 7).
 */
const agentPermissions = (sender: Sender): Permissions => ({
  pub: { allow: DATA_TYPES.map((type) => dataSubject(sender, type)) },
  sub: { allow: [commandSubject(sender.agentId), `${agentInbox(sender.agentId)}.>`] },
  resp: { max: 1, ttl: ANSWER_NANOSECONDS },
});

/** Signs JWTs of agents. */
export interface JwtIssuer {
  issue(sender: Sender, userPublicKey: string): Promise<string>;
}

/**
 * `account` is the account's public key, `signingSeed` the seed of one of its signing keys. Throws when the seed is not
 * an account seed, at start rather than at the first enrollment.
 */
export function createJwtIssuer(o: {
  readonly account: string;
  readonly signingSeed: string;
  readonly lifeSeconds?: number;
  readonly now?: () => Date;
}): JwtIssuer {
  const signer = nkeyFromSeed(o.signingSeed);
  if (signer.role !== 'account') throw new Error('the NATS signing seed is not the seed of an account key');
  const now = o.now ?? (() => new Date());
  return {
    async issue(sender, userPublicKey) {
      const issuedAt = now();
      return userJwt({
        name: sender.agentId,
        publicKey: userPublicKey,
        account: o.account,
        signer,
        permissions: agentPermissions(sender),
        issuedAt,
        expiresAt: new Date(issuedAt.getTime() + (o.lifeSeconds ?? AGENT_JWT_SECONDS) * 1000),
      });
    },
  };
}

/** True when the base64url signature over `bytes` was made by the holder of this public user nkey. Never throws. */
export const verifySignature = (publicNkey: string, bytes: Uint8Array, signature: string): boolean =>
  isSignedBy(publicNkey, bytes, Buffer.from(signature, 'base64url'));
