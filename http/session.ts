/** Browser sessions: cookie, origin and CSRF rules (contracts.md section 5). */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Incoming } from './incoming.ts';
import type { Refusal } from './refusal.ts';
import { refuse } from './refusal.ts';

export const SESSION_HOURS = 12;

/** Header that a method other than GET carries beside the cookie. */
const CSRF_HEADER = 'X-Proxima-Csrf';

/** Under https the `__Host-` prefix keeps other hosts of the domain from planting a cookie of that name. */
export const cookieName = (scheme: 'http' | 'https'): string =>
  scheme === 'https' ? '__Host-proxima_session' : 'proxima_session';

/** The `Set-Cookie` value that starts a session. */
export const startCookie = (scheme: 'http' | 'https', sessionId: string): string =>
  `${cookieName(scheme)}=${sessionId}; ${attributes(scheme)}; Max-Age=${SESSION_HOURS * 3600}`;

/** The `Set-Cookie` value that ends it. */
export const endCookie = (scheme: 'http' | 'https'): string =>
  `${cookieName(scheme)}=; ${attributes(scheme)}; Max-Age=0`;

const attributes = (scheme: 'http' | 'https'): string =>
  `Path=/; HttpOnly; SameSite=Strict${scheme === 'https' ? '; Secure' : ''}`;

/** The CSRF token of a session: derived from its id, so it needs no row and ends with it. */
export const csrfToken = (sessionId: string): string =>
  createHmac('sha256', sessionId).update('proxima-csrf-v1').digest('base64url');

const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** Refuses unless the request comes from a page of our own: the `Origin` names exactly the host that was asked. */
export function checkOrigin(request: Pick<Incoming, 'header' | 'scheme'>): Refusal | null {
  const own = `${request.scheme}://${request.header('Host')}`;
  return request.header('Origin') === own
    ? null
    : refuse(403, 'cross_origin', 'the request does not come from a page of this server');
}

/**
 * Refuses a request that the cookie must not speak for: one that another site caused, and one that changes something
 * without our own `Origin` and the CSRF header. A page navigation by a link elsewhere is let through; it only reads.
 */
export function checkCookieUse(request: Incoming, sessionId: string): Refusal | null {
  const site = request.header('Sec-Fetch-Site');
  if ((site === 'cross-site' || site === 'same-site') && !isPageNavigation(request)) {
    return refuse(403, 'cross_origin', 'the request was caused by another site');
  }
  if (isSafe(request.method)) return null;
  return checkOrigin(request) ?? checkCsrf(request, sessionId);
}

const isPageNavigation = (request: Incoming): boolean =>
  isSafe(request.method) &&
  request.header('Sec-Fetch-Mode') === 'navigate' &&
  request.header('Sec-Fetch-Dest') === 'document';

function checkCsrf(request: Incoming, sessionId: string): Refusal | null {
  const given = Buffer.from(request.header(CSRF_HEADER));
  const expected = Buffer.from(csrfToken(sessionId));
  const equal = given.length === expected.length && timingSafeEqual(given, expected);
  return equal ? null : refuse(403, 'csrf', `the header ${CSRF_HEADER} is missing or wrong`);
}
