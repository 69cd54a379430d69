/** Finds names of secrets anywhere in a line and hides their values: pairs, headers, flags, URLs (SZ-02 to SZ-13, SZ-15). */

import type { Key, Region } from './bareValues.ts';
import type { Canvas } from './canvas.ts';
import {
  APOSTROPHE,
  ASTERISK,
  BACKSLASH,
  BACKTICK,
  COLON,
  COMMA,
  classOf,
  DASH,
  GREATER,
  HEX,
  LESS,
  OPEN_BRACKET,
  PERCENT,
  QUOTE,
  SLASH,
  SPACE,
  WORD,
} from './characters.ts';
import { isProse } from './harmless.ts';
import { MARKER } from './marker.ts';
import { openingAt, Quotes } from './quotes.ts';
import { hideSchemeCredential, mayBeScheme } from './schemes.ts';
import { classifyKey, type KeyClass, mayNameSecret } from './secretKeys.ts';
import { type Separator, separatorAt, skipSpace } from './separators.ts';
import { hideUserinfo } from './urls.ts';
import { hideArgument, hideValue } from './values.ts';

/** Quoted texts inside quoted texts are read as texts of their own down to here; deeper ones as plain characters (SZ-12). */
const MAX_DEPTH = 3;

/** Hides the values of secret names in the canvas's text. */
export function hidePairs(canvas: Canvas): void {
  scanRegion(canvas, 0, canvas.text.length, 0);
}

interface Scan extends Region {
  readonly start: number;
  readonly depth: number;
  /** The word before, for names of two words (`api key`); -1 where none is. */
  lastFrom: number;
  lastTo: number;
}

function scanRegion(canvas: Canvas, start: number, end: number, depth: number): void {
  const scan: Scan = { canvas, start, end, depth, quotes: new Quotes(canvas, end), lastFrom: -1, lastTo: -1 };
  const { text } = canvas;
  let visits = 0;
  let i = start;
  while (i < end) {
    const code = text.charCodeAt(i);
    if ((classOf(code) & WORD) !== 0) {
      const from = i;
      do i++;
      while (i < end && (classOf(text.charCodeAt(i)) & WORD) !== 0);
      visits += i - from;
      const to = i;
      // Most words name nothing, and nothing behind them needs to be looked at.
      if (mayNameSecret(text, from, to) || mayBeScheme(text, from, to) || text.charCodeAt(to) === COLON) {
        i = afterWord(scan, from, to);
      }
      scan.lastFrom = from;
      scan.lastTo = to;
      continue;
    }
    visits++;
    if (code === QUOTE || code === APOSTROPHE || code === BACKTICK) i = quoted(scan, i);
    else if (code === BACKSLASH) i = escaped(scan, i);
    else if (code === PERCENT) i = skipEncoded(text, i, end);
    else if (code === OPEN_BRACKET && text.startsWith(MARKER, i)) i += MARKER.length;
    else i++;
  }
  canvas.visits += visits;
}

/** Reads a quoted text as one of its own, or as the name of what follows it. */
function quoted(scan: Scan, at: number): number {
  const { canvas, end, depth } = scan;
  const opening = openingAt(canvas, at, end);
  if (opening === null) return at + 1;
  const closing = depth < MAX_DEPTH ? scan.quotes.closingOf(opening) : null;
  if (closing === null) return opening.start;
  scanRegion(canvas, opening.start, closing.end, depth + 1);
  if (closing.next <= closing.end) return Math.max(closing.next, opening.start);
  if (!mayNameSecret(canvas.text, opening.start, closing.end)) return closing.next;
  const separator = separatorAt(canvas, closing.next, end);
  if (separator === null) {
    const isFlag = FLAG.test(canvas.text.slice(opening.start, Math.min(closing.end, opening.start + 128)));
    return isFlag ? Math.max(afterFlag(scan, opening.start, closing.end), closing.next) : closing.next;
  }
  const name = Math.max(opening.start, closing.end - 64);
  const key = keyOf(scan, name, closing.end, at);
  return key === null ? closing.next : hideValue(scan, key, { ...separator, quoted: true });
}

/** `\n` and `\u0026` part words as the characters that they stand for do; `\"` quotes. */
function escaped(scan: Scan, at: number): number {
  const { text } = scan.canvas;
  if (openingAt(scan.canvas, at, scan.end) !== null) return quoted(scan, at);
  const next = text[at + 1] ?? '';
  if (next === 'u' && /^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6))) return at + 6;
  return 'nrt\\'.includes(next) && next !== '' ? at + 2 : at + 1;
}

/** `%26` parts words as the character that it stands for does; so that `%26password` names a password. */
function skipEncoded(text: string, at: number, end: number): number {
  const isHex = (i: number) => i < end && (classOf(text.charCodeAt(i)) & HEX) !== 0;
  if (!isHex(at + 1) || !isHex(at + 2)) return at + 1;
  const isPercent = text.charCodeAt(at + 1) === 0x32 && text.charCodeAt(at + 2) === 0x35;
  return isPercent && isHex(at + 3) && isHex(at + 4) ? at + 5 : at + 3;
}

function keyOf(scan: Scan, from: number, to: number, outer: number): Key | null {
  const { canvas, start } = scan;
  let keyClass: KeyClass = classifyKey(canvas.text, from, to);
  if (
    keyClass === null &&
    scan.lastFrom >= 0 &&
    to - from < 5 &&
    /^keys?$/i.test(canvas.text.slice(from, to))
  ) {
    const { lastFrom: before, lastTo: gap } = scan;
    if (from - gap === 1)
      keyClass = classifyKey(`${canvas.text.slice(before, gap)}_key`, 0, gap - before + 4);
  }
  canvas.visits += Math.min(to - from, 40);
  if (keyClass === null) return null;
  const initial = scan.lastFrom < 0 && onlySpace(canvas, start, outer);
  const header = /(?:authorization|cookie)s?$/i.test(canvas.text.slice(Math.max(from, to - 16), to));
  const nests = /auth$/i.test(canvas.text.slice(Math.max(from, to - 4), to));
  return { class: keyClass, initial, header, nests };
}

const onlySpace = (canvas: Canvas, from: number, to: number): boolean => skipSpace(canvas, from, to) === to;

function afterWord(scan: Scan, from: number, to: number): number {
  const { canvas, end } = scan;
  const { text } = canvas;
  if (text.charCodeAt(to) === COLON && text.startsWith('://', to) && to + 3 <= end)
    return hideUserinfo(scan, to + 3);
  const scheme = mayBeScheme(text, from, to) ? hideSchemeCredential(scan, from, to) : null;
  if (scheme !== null) return scheme;
  if (!mayNameSecret(text, from, to)) return to;
  const isFlag = text.charCodeAt(from) === DASH && to - from > 1;
  const separator = separatorAt(canvas, to, end);
  if (separator === null) return isFlag ? afterFlag(scan, from, to) : afterTag(scan, from, to);
  if (isImageOrType(text, from, separator)) return to;
  const key = keyOf(scan, from, to, from);
  return key === null ? to : hideValue(scan, key, separator);
}

/**
 * `repository/auth:1.2` is an image, `*v1.Secret:` a type of Go: neither names the value behind its colon. A name of a value
 * has white space behind the colon or no slash before.
 */
const isImageOrType = (text: string, from: number, { kind, end }: Separator): boolean => {
  if (kind !== 'colon' || from === 0) return false;
  const before = text.charCodeAt(from - 1);
  if (before === ASTERISK) return /^[a-z]\w{0,31}\.[A-Z]/.test(text.slice(from, from + 34));
  return before === SLASH && end < text.length && (classOf(text.charCodeAt(end)) & (WORD | SPACE)) === WORD;
};

const FLAG = /^--?[\w.-]{1,126}$/;

/** The value of a flag, after white space or as the next item of a list: `--token x`, `["--token", "x"]` (SZ-13). */
function afterFlag(scan: Scan, from: number, to: number): number {
  const { canvas, end } = scan;
  const { text } = canvas;
  let at = skipSpace(canvas, to, end);
  const closer = at === to ? openingAt(canvas, to, end) : null;
  if (closer !== null) {
    at = skipSpace(canvas, closer.start, end);
    const isItem = text.charCodeAt(at) === COMMA;
    if (isItem) at = skipSpace(canvas, at + 1, end);
    // `--token` in quotes and then prose is no list of arguments.
    if (!isItem && openingAt(canvas, at, end) === null) return to;
  }
  if (at === to || at >= end || isFlagAt(text, at)) return to;
  const key = keyOf(scan, from, to, from);
  if (key === null) return to;
  if (closer === null && isProse(/^[a-z]{1,12}(?=[.,;:]?(?:\s|$))/.exec(text.slice(at, at + 14))?.[0] ?? ''))
    return to;
  return hideArgument(scan, key, at);
}

const isFlagAt = (text: string, at: number): boolean => {
  const start = '"\'`'.includes(text[at] ?? '') ? at + 1 : at;
  return text.startsWith('--', start) || /^-\w(?!\w)/.test(text.slice(start, start + 3));
};

/** `<password>x</password>`. */
function afterTag(scan: Scan, from: number, to: number): number {
  const { canvas, end } = scan;
  const { text } = canvas;
  if (to >= end || text.charCodeAt(to) !== GREATER || from === 0 || text.charCodeAt(from - 1) !== LESS)
    return to;
  if (classifyKey(text, from, to) === null) return to;
  let i = to + 1;
  while (i < end && text.charCodeAt(i) !== LESS) i++;
  canvas.visits += i - to;
  canvas.hide(to + 1, i);
  return i;
}
