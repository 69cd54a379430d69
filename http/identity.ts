import type { Identity } from '../store/sessions.ts';
import { identifyBySession, identifyBySubject, identifyByToken } from '../store/sessions.ts';
import type { Backend } from './backend.ts';
import type { Incoming } from './incoming.ts';
import type { OidcVerifier } from './oidc.ts';
import type { Refusal } from './refusal.ts';
import { refuse, unauthorized } from './refusal.ts';
import { checkCookieUse } from './session.ts';

/** Longer ones are nobody's; the hash of a megabyte would be somebody's processor. */
const MAX_TOKEN_LENGTH = 256;
/** A token of an issuer holds claims; the header limit is twice this. */
const MAX_ISSUED_LENGTH = 8192;
/** Three base64url parts (RFC 7515): none of our own tokens has a dot. */
const ISSUED = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Who asks: the holder of the bearer token, else the one whose session the cookie names, under the rules for cookies.
 * A bearer token that is not valid is refused even beside a good cookie.
 */
export async function identify(backend: Backend, request: Incoming): Promise<Identity | Refusal> {
  const { pool } = backend;
  const now = backend.now();
  const authorization = request.header('Authorization');
  if (authorization !== '') {
    const [, token = ''] = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization) ?? [];
    if (backend.oidc !== null && ISSUED.test(token) && token.length <= MAX_ISSUED_LENGTH) {
      return identifyIssued(backend, backend.oidc, token, now);
    }
    if (token === '' || token.length > MAX_TOKEN_LENGTH) return unauthorized();
    return (await identifyByToken(pool, token, now)) ?? unauthorized();
  }
  const { sessionId } = request;
  if (sessionId === null || sessionId.length > MAX_TOKEN_LENGTH) return unauthorized();
  const refused = checkCookieUse(request, sessionId);
  if (refused !== null) return refused;
  return (await identifyBySession(pool, sessionId, now)) ?? unauthorized();
}

/** A verified subject without a caller is named in the log, so that an administrator can give it one. */
async function identifyIssued(
  { pool, log }: Backend,
  oidc: OidcVerifier,
  token: string,
  now: Date,
): Promise<Identity | Refusal> {
  const verified = await oidc.verify(token, now);
  switch (verified.kind) {
    case 'invalid':
      return unauthorized();
    case 'unavailable':
      log.warn({ err: verified.cause, issuer: oidc.issuer }, 'the OIDC issuer cannot be reached');
      return refuse(503, 'issuer_unavailable', 'the issuer of the token cannot be reached', {
        headers: { 'Retry-After': '10' },
      });
    case 'verified': {
      const { issuer, subject } = verified;
      const caller = await identifyBySubject(pool, issuer, subject, now);
      if (caller === null) log.info({ issuer, subject }, 'a subject without a caller was refused');
      return caller ?? unauthorized();
    }
  }
}
