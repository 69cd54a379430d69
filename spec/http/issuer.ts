/** An OIDC issuer for specs: a discovery document, keys that can be changed, and tokens of any kind. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

export interface Issuer {
  readonly url: string;
  /** Requests so far, by path. */
  readonly asked: string[];
  /** What the discovery document says beside the usual. */
  document: Record<string, unknown>;
  /** While set, every request gets this status. */
  failing: number | null;
  /** Publishes another key in place of the old ones. */
  turnKey(): Promise<void>;
  /** A good token with these claims and header parts over the usual ones; undefined takes a claim out. */
  token(
    claims?: Readonly<Record<string, unknown>>,
    o?: { key?: Key | Uint8Array; header?: Readonly<Record<string, unknown>> },
  ): Promise<string>;
  stop(): Promise<void>;
}

export const AUDIENCE = 'proxima';

export async function startIssuer(): Promise<Issuer> {
  const asked: string[] = [];
  let serial = 0;
  let current: { key: Key; kid: string; jwk: object };
  const turnKey = async (): Promise<void> => {
    serial += 1;
    const pair = await generateKeyPair('ES256', { extractable: true });
    const kid = `key-${serial}`;
    current = {
      key: pair.privateKey,
      kid,
      jwk: { ...(await exportJWK(pair.publicKey)), kid, alg: 'ES256', use: 'sig' },
    };
  };
  await turnKey();

  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (issuer.failing !== null) {
      response.writeHead(issuer.failing).end();
      return;
    }
    const body =
      request.url === '/keys'
        ? { keys: [current.jwk] }
        : { issuer: issuer.url, jwks_uri: `${issuer.url}/keys`, ...issuer.document };
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer: Issuer = {
    url,
    asked,
    document: {},
    failing: null,
    turnKey,
    token(claims = {}, { key, header = {} } = {}) {
      const now = Math.floor(Date.now() / 1000);
      const usual = { iss: url, aud: AUDIENCE, sub: 'ada', iat: now, exp: now + 300 };
      const payload = Object.fromEntries(
        Object.entries({ ...usual, ...claims }).filter(([, value]) => value !== undefined),
      );
      return new SignJWT(payload)
        .setProtectedHeader({ alg: 'ES256', kid: current.kid, ...header })
        .sign(key ?? current.key);
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return issuer;
}
