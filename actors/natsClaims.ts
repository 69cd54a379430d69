/** The JWTs of NATS operator mode (contracts.md section 7): operator, accounts, users. */

import { createHash } from 'node:crypto';
import { BACKEND_INBOX, EVENTS_STREAM, HEARTBEAT_SUBJECTS, KUBERNETES_CONSUMER } from '../wire/subjects.ts';
import type { Nkey } from './nkey.ts';

/** Claims version that every nats-server since 2.2 reads. */
const CLAIMS_VERSION = 2;

interface Claims {
  readonly name: string;
  /** Public key that the JWT speaks about. */
  readonly sub: string;
  readonly type: 'operator' | 'account' | 'user';
  readonly nats: object;
  readonly issuedAt: Date;
  /** Null: never. */
  readonly expiresAt: Date | null;
}

/** A signed NATS JWT. The algorithm name `ed25519-nkey` means: over header and body, as in any JWT. */
export function signClaims(claims: Claims, signer: Nkey): string {
  const body = {
    iat: seconds(claims.issuedAt),
    ...(claims.expiresAt === null ? {} : { exp: seconds(claims.expiresAt) }),
    iss: signer.publicKey,
    name: claims.name,
    sub: claims.sub,
    nats: { ...claims.nats, type: claims.type, version: CLAIMS_VERSION },
  };
  const jti = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  const signed = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part({ jti, ...body })}`;
  return `${signed}.${signer.sign(Buffer.from(signed)).toString('base64url')}`;
}

const seconds = (time: Date): number => Math.floor(time.getTime() / 1000);
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** What a user may do; a subject that no `allow` names is refused. */
export interface Permissions {
  readonly pub: { readonly allow: readonly string[] };
  readonly sub: { readonly allow: readonly string[] };
  /** Answers to requests it was sent; `ttl` in nanoseconds. */
  readonly resp?: { readonly max: number; readonly ttl: number };
}

const NO_LIMITS = { subs: -1, data: -1, payload: -1 };

/** A user's JWT. `account` is the account's public key; `signer` that account's key or one of its signing keys. */
export function userJwt(o: {
  readonly name: string;
  readonly publicKey: string;
  readonly account: string;
  readonly signer: Nkey;
  readonly permissions: Permissions;
  readonly issuedAt: Date;
  readonly expiresAt: Date | null;
}): string {
  const issuer = o.signer.publicKey === o.account ? {} : { issuer_account: o.account };
  const nats = { ...o.permissions, ...NO_LIMITS, ...issuer };
  return signClaims({ ...o, sub: o.publicKey, type: 'user', nats }, o.signer);
}

/** The operator's JWT for the server's configuration; `system` is the public key of the SYS account. */
export const operatorJwt = (operator: Nkey, system: string, issuedAt: Date): string =>
  signClaims(
    {
      name: 'proxima',
      sub: operator.publicKey,
      type: 'operator',
      nats: { system_account: system },
      issuedAt,
      expiresAt: null,
    },
    operator,
  );

/** Every number has to be there: a missing one is 0, and then connects hang (stack.md section 10). */
const ACCOUNT_LIMITS = { ...NO_LIMITS, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };

export interface AccountOptions {
  readonly account: string;
  /** Public key of the signing key that agents' JWTs are made with. */
  readonly signingKey: string;
  /** Room for JetStream, in bytes. */
  readonly diskBytes: number;
  /** Public user key to the second up to which its JWTs are refused. */
  readonly revocations: Readonly<Record<string, number>>;
  readonly issuedAt: Date;
}

/**
 * The PROXIMA account. Its default permissions deny everything: a user JWT without permissions, signed by mistake, could
 * otherwise read all of it.
 */
export const proximaAccountJwt = (operator: Nkey, o: AccountOptions): string =>
  signClaims(
    {
      name: 'PROXIMA',
      sub: o.account,
      type: 'account',
      nats: {
        limits: { ...ACCOUNT_LIMITS, mem_storage: 0, disk_storage: o.diskBytes, streams: -1, consumer: -1 },
        signing_keys: [o.signingKey],
        default_permissions: { pub: { deny: ['>'] }, sub: { deny: ['>'] } },
        revocations: o.revocations,
      },
      issuedAt: o.issuedAt,
      expiresAt: null,
    },
    operator,
  );

/** The SYS account: no JetStream, one user that pushes claims. */
export const systemAccountJwt = (operator: Nkey, system: string, issuedAt: Date): string =>
  signClaims(
    {
      name: 'SYS',
      sub: system,
      type: 'account',
      nats: { limits: ACCOUNT_LIMITS },
      issuedAt,
      expiresAt: null,
    },
    operator,
  );

export const SYSTEM_INBOX = '_INBOX_system';

/** The claims pusher of the SYS account. */
export const SYSTEM_PERMISSIONS: Permissions = {
  pub: { allow: ['$SYS.REQ.CLAIMS.UPDATE', '$SYS.REQ.ACCOUNT.*.CLAIMS.LOOKUP'] },
  sub: { allow: [`${SYSTEM_INBOX}.>`] },
};

const CREATE_CONSUMER = `$JS.API.CONSUMER.CREATE.${EVENTS_STREAM}.${KUBERNETES_CONSUMER}`;

/** The backend: its own stream and consumer, heartbeats, commands to agents. */
export const BACKEND_PERMISSIONS: Permissions = {
  pub: {
    allow: [
      `$JS.API.STREAM.INFO.${EVENTS_STREAM}`,
      `$JS.API.STREAM.CREATE.${EVENTS_STREAM}`,
      `$JS.API.STREAM.UPDATE.${EVENTS_STREAM}`,
      CREATE_CONSUMER,
      `${CREATE_CONSUMER}.>`,
      `$JS.API.CONSUMER.INFO.${EVENTS_STREAM}.${KUBERNETES_CONSUMER}`,
      `$JS.API.CONSUMER.MSG.NEXT.${EVENTS_STREAM}.${KUBERNETES_CONSUMER}`,
      `$JS.ACK.${EVENTS_STREAM}.${KUBERNETES_CONSUMER}.>`,
      'proxima.system.commands.*',
    ],
  },
  sub: { allow: [`${BACKEND_INBOX}.>`, HEARTBEAT_SUBJECTS] },
};

/** JWT and seed as the text of a creds file. */
export const credsText = (jwt: string, seed: string): string =>
  `-----BEGIN NATS USER JWT-----\n${jwt}\n------END NATS USER JWT------\n\n` +
  `-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`;
