/** A scheme word and its credential are one unit, wherever they stand (SZ-10). */

import { type Region, tokenEnd } from './bareValues.ts';
import { isProse } from './harmless.ts';
import { openingAt } from './quotes.ts';
import { matchAt, skipSpace } from './separators.ts';

const SCHEME = /(?:bearer|basic|negotiate)/iy;
const BLANK = /%(?:25)?20|\+/iy;
/** What follows the word where people write about the scheme, or a challenge that names its parameters. */
const ABOUT =
  /^(?:tokens?|auth|authentication|authorization|credentials?|scheme|schemes|header|prefix|(?:realm|error|scope|charset|service|error_description)=.*)$/i;
/** Words that may follow `basic` in prose: base64 of a user and a password has more than small letters. */
const PLAIN_WORD = /^(?:[A-Z]?[a-z]*|[A-Z]{1,5})$/;

/** By its length and first letter; most words are told apart so. */
export const mayBeScheme = (text: string, from: number, to: number): boolean => {
  const length = to - from;
  if (length !== 5 && length !== 6 && length !== 9) return false;
  const first = text.charCodeAt(from) | 0x20;
  return first === 0x62 || first === 0x6e;
};

/** Hides the credential behind a scheme word that ends at `to`. Where the scan goes on, or null if there is none. */
export function hideSchemeCredential(region: Region, from: number, to: number): number | null {
  const { canvas, end } = region;
  const length = to - from;
  if (matchAt(canvas, SCHEME, from, to) !== to) return null;
  const blank = matchAt(canvas, BLANK, to, end);
  const at = blank > 0 ? blank : skipSpace(canvas, to, end);
  if (at === to || at >= end) return null;
  const opening = openingAt(canvas, at, end);
  const closing = opening === null ? null : region.quotes.closingOf(opening);
  if (opening !== null && closing !== null) {
    if (ABOUT.test(canvas.text.slice(opening.start, Math.min(closing.end, opening.start + 32)))) return null;
    canvas.hide(opening.start, closing.end);
    return closing.next;
  }
  const stop = tokenEnd(region, at);
  const word = canvas.text.slice(at, Math.min(stop, at + 64));
  const plain = word.replace(/[^\w=]+$/, '');
  if (ABOUT.test(plain) || isProse(plain)) return null;
  if (length === 5 && PLAIN_WORD.test(plain)) return null;
  canvas.hide(at, stop);
  return stop;
}
