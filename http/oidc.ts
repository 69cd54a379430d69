/** Tokens of an OIDC issuer (contracts.md section 5): the one module that uses jose. */

import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose';
import { compileSchema } from '../wire/validate.ts';

/** Who a token speaks of. */
export interface Subject {
  readonly issuer: string;
  readonly subject: string;
}

export type Verified =
  | ({ readonly kind: 'verified' } & Subject)
  /** Not a token of this issuer, for this audience, at this time. */
  | { readonly kind: 'invalid' }
  /** The issuer's keys cannot be had now; asking later may help. */
  | { readonly kind: 'unavailable'; readonly cause: unknown };

export interface OidcVerifier {
  readonly issuer: string;
  /** Never throws for a token, whatever it holds. */
  verify(token: string, now: Date): Promise<Verified>;
}

/** Signatures by keys that the issuer publishes; a shared secret (HS256) or none is no proof of the issuer. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const CLOCK_TOLERANCE_SECONDS = 60;
const FETCH_TIMEOUT_MS = 5_000;
const MAX_DOCUMENT_BYTES = 256 * 1024;
/** After a failure of the issuer: no request of ours may hammer it. */
const RETRY_AFTER_MS = 10_000;

const checkDiscovery = compileSchema<{ issuer: string; jwks_uri: string }>({
  type: 'object',
  properties: { issuer: { type: 'string' }, jwks_uri: { type: 'string', pattern: '^https?://' } },
  required: ['issuer', 'jwks_uri'],
});

type Keys = ReturnType<typeof createRemoteJWKSet>;

/**
 * A verifier for one issuer and audience. The issuer's document and keys are read at the first token, kept, and read
 * again when a token names a key that is not among them, at most every half minute (jose's cooldown). A token has to
 * name its subject and its end (`sub`, `exp`).
 */
export function createOidcVerifier(o: { readonly issuer: string; readonly audience: string }): OidcVerifier {
  let keys: Promise<Keys> | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;

  const discover = (): Promise<Keys> => {
    keys ??= discoverKeys(o.issuer).catch((error) => {
      keys = null;
      failedAt = performance.now();
      throw error;
    });
    return keys;
  };

  return {
    issuer: o.issuer,
    async verify(token, now) {
      if (keys === null && performance.now() - failedAt < RETRY_AFTER_MS) {
        return { kind: 'unavailable', cause: new Error('the issuer failed a moment ago') };
      }
      try {
        const { payload } = await jwtVerify(token, await discover(), {
          issuer: o.issuer,
          audience: o.audience,
          algorithms: ALGORITHMS,
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
          currentDate: now,
          requiredClaims: ['sub', 'exp'],
        });
        return { kind: 'verified', issuer: o.issuer, subject: payload.sub ?? '' };
      } catch (cause) {
        return isAboutToken(cause) ? { kind: 'invalid' } : { kind: 'unavailable', cause };
      }
    },
  };
}

/** Faults of the token itself; everything else is the issuer's or the network's. */
const isAboutToken = (error: unknown): boolean =>
  error instanceof errors.JWTInvalid ||
  error instanceof errors.JWTClaimValidationFailed ||
  error instanceof errors.JWTExpired ||
  error instanceof errors.JWSInvalid ||
  error instanceof errors.JWSSignatureVerificationFailed ||
  error instanceof errors.JOSEAlgNotAllowed ||
  error instanceof errors.JOSENotSupported ||
  error instanceof errors.JWKSNoMatchingKey ||
  error instanceof errors.JWKSMultipleMatchingKeys;

/** OpenID Connect Discovery 1.0 section 4: the document has to name the issuer that was asked. */
async function discoverKeys(issuer: string): Promise<Keys> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await boundedFetch(url, {});
  if (!response.ok) throw new Error(`the issuer's configuration answers ${response.status}`);
  const checked = checkDiscovery(await response.json());
  if (!checked.ok) throw new Error(`the issuer's configuration: ${checked.path} ${checked.problem}`);
  if (checked.value.issuer !== issuer) throw new Error("the issuer's configuration names another issuer");
  return createRemoteJWKSet(new URL(checked.value.jwks_uri), {
    timeoutDuration: FETCH_TIMEOUT_MS,
    [customFetch]: boundedFetch,
  });
}

/** A fetch that follows no redirect and ends in time; a larger answer than a key set is none. */
async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, {
    ...init,
    redirect: 'error',
    signal: init.signal ?? AbortSignal.timeout(FETCH_TIMEOUT_MS),
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_DOCUMENT_BYTES) throw new Error("the issuer's answer is too large");
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), { status: response.status });
}
