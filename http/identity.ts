import type { Pool } from '../store/pool.ts';
import type { Identity } from '../store/sessions.ts';
import { identifyBySession, identifyByToken } from '../store/sessions.ts';
import type { Incoming } from './incoming.ts';
import type { Refusal } from './refusal.ts';
import { unauthorized } from './refusal.ts';
import { checkCookieUse } from './session.ts';

/** Longer ones are nobody's; the hash of a megabyte would be somebody's processor. */
const MAX_TOKEN_LENGTH = 256;

/**
 * Who asks: the holder of the bearer token, else the one whose session the cookie names, under the rules for cookies.
 * A bearer token that is not valid is refused even beside a good cookie.
 */
export async function identify(pool: Pool, request: Incoming, now: Date): Promise<Identity | Refusal> {
  const authorization = request.header('Authorization');
  if (authorization !== '') {
    const [, token = ''] = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization) ?? [];
    if (token === '' || token.length > MAX_TOKEN_LENGTH) return unauthorized();
    return (await identifyByToken(pool, token, now)) ?? unauthorized();
  }
  const { sessionId } = request;
  if (sessionId === null || sessionId.length > MAX_TOKEN_LENGTH) return unauthorized();
  const refused = checkCookieUse(request, sessionId);
  if (refused !== null) return refused;
  return (await identifyBySession(pool, sessionId, now)) ?? unauthorized();
}
