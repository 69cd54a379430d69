/** Where values without quotes end (SZ-03, SZ-12). */

import type { Canvas } from './canvas.ts';
import {
  AMPERSAND,
  APOSTROPHE,
  BACKSLASH,
  BACKTICK,
  CLOSE_BRACKET,
  COMMA,
  classOf,
  EQUALS,
  OPEN_BRACKET,
  PERCENT,
  QUOTE,
  SEMICOLON,
  SPACE,
  WORD,
} from './characters.ts';
import { openingAt, type Quotes } from './quotes.ts';
import type { KeyClass } from './secretKeys.ts';

/** A part of the line that is a text of its own: the line itself, or what stands in quotes. */
export interface Region {
  readonly canvas: Canvas;
  readonly end: number;
  readonly quotes: Quotes;
}

export interface Key {
  readonly class: Exclude<KeyClass, null>;
  /** Nothing but white space stands before it in its region. */
  readonly initial: boolean;
  /** It is the name of a header or list whose value may have several parts: Authorization, Cookie. */
  readonly header: boolean;
  /** Braces behind it hold pairs of their own, as `"auth":{"username":…,"password":…}`. */
  readonly nests: boolean;
}

/**
 * Where a bare value ends: at white space; where `&`, `,`, `;` or `|` starts another pair; at a quote that closes the text
 * around. A quote inside takes everything up to its partner along.
 */
export function tokenEnd(region: Region, at: number): number {
  const { canvas, quotes, end } = region;
  const { text } = canvas;
  let i = at;
  while (i < end) {
    const code = text.charCodeAt(i);
    const classes = classOf(code);
    if ((classes & WORD) !== 0) {
      i++;
      continue;
    }
    if ((classes & SPACE) !== 0) break;
    if (i > at && (code === AMPERSAND || code === COMMA || code === SEMICOLON || code === 0x7c)) {
      if (startsPair(canvas, i + 1, end)) break;
    } else if (code === BACKSLASH && startsEscapedPair(canvas, i, end)) break;
    else if (code === QUOTE || code === BACKTICK || code === APOSTROPHE || code === BACKSLASH) {
      const opening = openingAt(canvas, i, end);
      const closing = opening === null ? null : quotes.closingOf(opening);
      if (closing !== null) {
        i = Math.max(closing.next, i + 1);
        continue;
      }
      if (opening !== null && i > at && isDelimiter(text, opening.start, end)) break;
    }
    i++;
  }
  canvas.visits += i - at;
  return Math.max(i, Math.min(at + 1, end));
}

/** Whether a name and `=` stand here. */
export function startsPair(canvas: Canvas, at: number, end: number): boolean {
  const { text } = canvas;
  const limit = Math.min(end, at + 64);
  let i = at;
  for (; i < limit; i++) {
    const code = text.charCodeAt(i);
    if ((classOf(code) & WORD) === 0 && code !== OPEN_BRACKET && code !== CLOSE_BRACKET && code !== PERCENT)
      break;
  }
  canvas.visits += i - at + 1;
  return i > at && i < end && text.charCodeAt(i) === EQUALS;
}

/** `\n` or `\u0026`, and a pair behind it. */
function startsEscapedPair(canvas: Canvas, at: number, end: number): boolean {
  const { text } = canvas;
  if (text.startsWith('u0026', at + 1)) return true;
  return 'nrt'.includes(text[at + 1] ?? ' ') && startsPair(canvas, at + 2, end);
}

const isDelimiter = (text: string, at: number, end: number): boolean => {
  if (at >= end) return true;
  const code = text.charCodeAt(at);
  return (
    (classOf(code) & SPACE) !== 0 ||
    code === COMMA ||
    code === CLOSE_BRACKET ||
    code === 0x7d ||
    code === 0x29
  );
};

/** Neither space nor what separates or closes. */
const GOES_ON = /[^\s,;&|:)\]}>"'`\\]/;
/** In `name=[x])` nothing was open before the name, so that nothing closes behind it. */
const GOES_ON_BARE = /[^\s,;&|"'`\\]/;

/** A value goes on behind its closing quote or bracket where nothing separates the two: `"a"b`. */
export function hideRest(region: Region, at: number, isBare = false): number {
  const { canvas, end } = region;
  if (at >= end || !(isBare ? GOES_ON_BARE : GOES_ON).test(canvas.text[at] ?? ' ')) return at;
  const stop = tokenEnd(region, at);
  canvas.hide(at, stop);
  return stop;
}
