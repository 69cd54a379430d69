/** Credentials in URLs of any scheme (SZ-15). */

import type { Region } from './bareValues.ts';
import { AT, BACKSLASH, COLON, classOf, OPEN_BRACKET, QUOTE, SLASH, SPACE } from './characters.ts';

/** An empty port may stand before a path. */
const isPort = (port: string, next: number): boolean =>
  /^\d{1,5}$/.test(port) || (port === '' && next === SLASH);
/** A name that people have, as `git@`; a longer or mixed one may be a token. */
const PLAIN_USER = /^[a-z][a-z._-]{0,23}$/;
const DIGEST = /^sha(?:1|256|384|512)\b/;

/** `\"`, `\n` and `\u0026` end a URL; another backslash may stand in a password. */
const isEscape = (text: string, at: number): boolean => '"\'\\nrtu'.includes(text[at] ?? ' ');

/**
 * Hides the password of the authority that starts at `at`, and a user that looks like a token. Returns where the scan goes
 * on: behind `@`, or at `at` when there is no userinfo.
 *
 * A password should not hold `/`, `?` or `#`, yet people write them: they end the authority only where what stands behind
 * its colon can be a port, so that `registry://host:5000/app@sha256:…` keeps its digest.
 */
export function hideUserinfo({ canvas, end }: Region, at: number): number {
  const { text } = canvas;
  if (at < canvas.noAtSignBefore || text.charCodeAt(at) === OPEN_BRACKET) return at;
  let colon = -1;
  let sign = -1;
  let i = at;
  for (; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === COLON && colon < 0) colon = i;
    else if (code === AT) sign = i;
    else if (code === SLASH || code === 0x3f || code === 0x23) {
      if (sign >= 0 || colon < 0 || (i - colon <= 6 && isPort(text.slice(colon + 1, i), code))) break;
    } else if (
      code === QUOTE ||
      (code === BACKSLASH && isEscape(text, i + 1)) ||
      (classOf(code) & SPACE) !== 0
    )
      break;
  }
  canvas.visits += i - at;
  if (sign < 0) canvas.noAtSignBefore = i;
  if (sign < 0 || DIGEST.test(text.slice(sign + 1, sign + 8))) return at;
  const userEnd = colon >= 0 && colon < sign ? colon : sign;
  if (!PLAIN_USER.test(text.slice(at, Math.min(userEnd, at + 32)))) canvas.hide(at, userEnd);
  if (userEnd < sign) canvas.hide(userEnd + 1, sign);
  return sign;
}
