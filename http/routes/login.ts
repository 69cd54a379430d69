/** Signing a browser in and out (contracts.md section 5). */

import { canEverywhere } from '../../rules/access.ts';
import { isoTime } from '../../store/isoTime.ts';
import type { Identity } from '../../store/sessions.ts';
import { closeSession, identifyBySession, identifyByToken, openSession } from '../../store/sessions.ts';
import type { Answer } from '../answer.ts';
import { objectBody } from '../body.ts';
import type { Incoming } from '../incoming.ts';
import { loginPage } from '../loginPage.ts';
import { localPathParam } from '../params.ts';
import { isRefusal, unauthorized } from '../refusal.ts';
import type { Route } from '../route.ts';
import { openRoute } from '../route.ts';
import { dataOf, object, text, time } from '../schemas.ts';
import { checkCookieUse, checkOrigin, csrfToken, endCookie, SESSION_HOURS, startCookie } from '../session.ts';
import { wantsPage } from '../signInFirst.ts';

const SESSION_MS = SESSION_HOURS * 3_600_000;

const query = {
  next: localPathParam('Where a browser goes on to when it is signed in: a path of this server.'),
};

function page(status: number, shown: Parameters<typeof loginPage>[0]): Answer {
  const { html, policy } = loginPage(shown);
  return {
    kind: 'text',
    status,
    text: html,
    contentType: 'text/html; charset=utf-8',
    headers: { 'Content-Security-Policy': policy },
  };
}

export const loginRoutes: readonly Route[] = [
  openRoute({
    method: 'GET',
    path: '/login',
    summary: 'The page to sign in with a token, or out.',
    reason: 'nobody is signed in before they were here; it tells a session only about itself',
    query,
    answer: null,
    async handle({ backend, request, query: { next }, now }) {
      const { sessionId } = request;
      // The page carries the CSRF token: a page of another site must not get it, hence the rules for cookies.
      if (sessionId === null || checkCookieUse(request, sessionId) !== null)
        return page(200, { signedIn: null, next });
      const caller = await identifyBySession(backend.pool, sessionId, now);
      const signedIn = caller === null ? null : { name: caller.name, csrf: csrfToken(sessionId) };
      return page(200, { signedIn, next });
    },
  }),
  openRoute({
    method: 'POST',
    path: '/login',
    refusals: [303, 401, 403],
    summary: 'Trade a token for a session cookie.',
    reason: 'the token in the body is the credential',
    budget: { name: 'login', perMinute: 10, message: 'too many attempts to sign in from this address' },
    query,
    body: objectBody<{ token: string }>({ token: { type: 'string', minLength: 1, maxLength: 256 } }),
    answer: dataOf(object({ name: text, csrf: text, expires_at: time })),
    async handle({ backend, request, query: { next }, body, now }) {
      const foreign = checkOrigin(request);
      if (foreign !== null) return foreign;
      const caller = await identifyByToken(backend.pool, body.token.trim(), now);
      if (caller?.token_id == null) {
        return wantsPage(request)
          ? page(401, { signedIn: null, next, problem: 'This token is not valid.' })
          : unauthorized();
      }
      const expiresAt = new Date(now.getTime() + SESSION_MS);
      const sessionId = await openSession(backend.pool, caller.token_id, now, expiresAt);
      if (request.sessionId !== null) await closeSession(backend.pool, request.sessionId);
      return signedIn(request, caller, { sessionId, expiresAt, next });
    },
  }),
  openRoute({
    method: 'POST',
    path: '/logout',
    refusals: [403],
    summary: 'End the session.',
    reason:
      'the session cookie with its CSRF token is the credential; a session that has ended may be ended again',
    status: 204,
    answer: null,
    async handle({ backend, request }) {
      const headers = { 'Set-Cookie': endCookie(request.scheme) };
      if (request.sessionId === null) return { kind: 'empty', status: 204, headers };
      const refused = checkCookieUse(request, request.sessionId);
      if (isRefusal(refused)) return refused;
      await closeSession(backend.pool, request.sessionId);
      return { kind: 'empty', status: 204, headers };
    },
  }),
];

function signedIn(
  request: Incoming,
  caller: Identity,
  { sessionId, expiresAt, next }: { sessionId: string; expiresAt: Date; next: string | null },
): Answer {
  const headers = { 'Set-Cookie': startCookie(request.scheme, sessionId) };
  if (wantsPage(request))
    return { kind: 'empty', status: 303, headers: { ...headers, Location: next ?? homeOf(caller) } };
  const data = { name: caller.name, csrf: csrfToken(sessionId), expires_at: isoTime(expiresAt) };
  return { kind: 'json', status: 200, body: { data }, headers };
}

/** Where someone goes on to who came without a destination. */
const homeOf = ({ grants }: Identity): string =>
  canEverywhere(grants, 'admin:write') ? '/debug/actors' : '/';
