/** The agent's NATS identity: an Ed25519 user nkey of its own. The one module of the agent that uses nkeys.js. */

import { createUser, fromSeed } from 'nkeys.js';

export interface Identity {
  /** `U…`, what enrollment binds. */
  readonly publicKey: string;
  /** `SU…`: the secret, kept in state.json alone. */
  readonly seed: string;
  /** The signature over these bytes, base64url. */
  sign(bytes: Uint8Array): string;
}

export const createIdentity = (): Identity =>
  openIdentity(Buffer.from(createUser().getSeed()).toString('ascii'));

/** The identity of a seed. Throws when the text is not the seed of a user nkey. */
export function openIdentity(seed: string): Identity {
  const pair = fromSeed(Buffer.from(seed));
  const publicKey = pair.getPublicKey();
  if (!publicKey.startsWith('U')) throw new Error('the nkey seed is not a user seed');
  return {
    publicKey,
    seed,
    sign: (bytes) => Buffer.from(pair.sign(bytes)).toString('base64url'),
  };
}
