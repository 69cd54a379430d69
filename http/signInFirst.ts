/** A page sends a browser that is not signed in to /login and gets it back; programs get the plain 401. */

import type { Answer } from './answer.ts';
import type { Incoming } from './incoming.ts';
import { isRefusal } from './refusal.ts';

/** True for a browser that shows what it gets. */
export const wantsPage = (request: Pick<Incoming, 'header'>): boolean =>
  request.header('Accept').includes('text/html');

/** The answer, or the way to the sign-in page in its place. The fragment stays with the browser (RFC 9110, 10.2.2). */
export function signInFirst(path: string, request: Incoming, answer: Answer): Answer {
  if (!isRefusal(answer) || answer.status !== 401 || !wantsPage(request)) return answer;
  return { kind: 'empty', status: 303, headers: { Location: `/login?next=${encodeURIComponent(path)}` } };
}

/**
 * True for a path on this server and nothing else: one slash and no second one, no backslash (browsers read it as a
 * slash), no control character (which they drop), at most 512 characters.
 */
export const isLocalPath = (text: string): boolean =>
  text.length <= 512 && /^\/(?![/\\])[\x21-\x7e]*$/.test(text) && !text.includes('\\');
