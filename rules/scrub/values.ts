/** Hides the value behind a secret's name, and nothing after it where its end can be told (SZ-02, SZ-03, SZ-08). */

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
  OPEN_BRACE,
  OPEN_BRACKET,
  PERCENT,
  QUOTE,
  SEMICOLON,
  SPACE,
  WORD,
} from './characters.ts';
import { isHarmlessText, isHarmlessValue } from './harmless.ts';
import { MARKER } from './marker.ts';
import { openingAt, type Quotes } from './quotes.ts';
import type { KeyClass } from './secretKeys.ts';
import { matchAt, type Separator, skipSpace } from './separators.ts';

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
}

const SCHEME = /^(?:bearer|basic|digest|negotiate|ntlm|token|apikey|aws4-hmac-sha256)$/i;
const JSON_PRIMITIVE =
  /(?:true|false|null|-?\d{1,40}(?:\.\d{1,40})?(?:[eE][-+]?\d{1,4})?|\[REDACTED\])(?=\s{0,16}[,}\]])/y;
/** Neither space nor what separates or closes. */
const GOES_ON = /[^\s,;&|:)\]}>"'`\\]/;
/** In `name=[x])` nothing was open before the name, so that nothing closes behind it. */
const GOES_ON_BARE = /[^\s,;&|"'`\\]/;
const GO_LIST = /\[\](?:string|any|interface \{\}|uint8|byte)(?=\{)/y;

/** Hides the value that follows the separator. Returns where the scan goes on. */
export function hideValue(region: Region, key: Key, separator: Separator): number {
  const { canvas, end } = region;
  if (separator.kind === 'encoded') return hideEncoded(region, key, separator.end);
  const start = skipSpace(canvas, separator.end, end);
  if (start >= end) return start;
  const apart = start > separator.end;
  const quoted = hideQuoted(region, key, start);
  if (quoted !== null) return quoted;
  if (separator.kind === 'equals' && apart && !separator.spaced && startsPair(canvas, start, end))
    return start;
  const isGroup = separator.kind !== 'colon' || separator.quoted || !apart;
  if (isGroup) {
    const group = groupAt(region, key, start, separator.kind === 'equals' && !separator.quoted);
    if (group !== null) return group;
  }
  const isProse = separator.kind === 'colon' && !separator.quoted;
  if (key.class === 'ambiguous' && (isProse ? isHarmlessText : isHarmlessValue)(canvas.text, start, end))
    return start;
  if (separator.kind === 'colon') {
    const primitive = separator.quoted ? matchAt(canvas, JSON_PRIMITIVE, start, end) : -1;
    return hideUpTo(canvas, start, primitive > 0 ? primitive : end);
  }
  if (separator.kind === 'equals' && separator.spaced && key.initial) return hideUpTo(canvas, start, end);
  return hideTokens(region, start, key.header);
}

/** Hides one value of an argument list: a quoted text, or what reaches to the next white space. */
export function hideArgument(region: Region, key: Key, start: number): number {
  const quoted = hideQuoted(region, key, start);
  if (quoted !== null) return quoted;
  if (key.class === 'ambiguous' && isHarmlessValue(region.canvas.text, start, region.end)) return start;
  return hideTokens(region, start, key.header);
}

function hideUpTo(canvas: Canvas, from: number, to: number): number {
  canvas.hide(from, to);
  return to;
}

function hideQuoted(region: Region, key: Key, at: number): number | null {
  const { canvas, quotes, end } = region;
  const opening = openingAt(canvas, at, end);
  if (opening === null) return null;
  const closing = quotes.closingOf(opening);
  if (key.class === 'ambiguous' && isHarmlessValue(canvas.text, opening.start, closing?.end ?? end, true))
    return at;
  if (closing === null) return hideUpTo(canvas, opening.start, end);
  canvas.hide(opening.start, closing.end);
  return hideRest(region, closing.next);
}

/** A value goes on behind its closing quote or bracket where nothing separates the two: `"a"b`. */
function hideRest(region: Region, at: number, isBare = false): number {
  const { canvas, end } = region;
  if (at >= end || !(isBare ? GOES_ON_BARE : GOES_ON).test(canvas.text[at] ?? ' ')) return at;
  return hideUpTo(canvas, at, tokenEnd(region, at));
}

/**
 * The strings in brackets, as header maps have them: `[Basic x]`, `["Basic x"]`, `[]string{"x"}`; null where none opens or
 * it does not close. Braces behind a name like `auth` are looked into by the scan instead. `isBare`: as in `name=[x]`, where
 * only white space or another pair ends the value.
 */
function groupAt(region: Region, key: Key, at: number, isBare: boolean): number | null {
  const { canvas, quotes, end } = region;
  const { text } = canvas;
  const go = matchAt(canvas, GO_LIST, at, end);
  const start = go > 0 ? go : at;
  const bracket = text.charCodeAt(start);
  if (bracket !== OPEN_BRACKET && bracket !== OPEN_BRACE) return null;
  if (text.startsWith(MARKER, start)) return null;
  if (bracket === OPEN_BRACE && key.class === 'ambiguous' && go < 0) return start + 1;
  if (key.class === 'ambiguous' && isHarmlessValue(text, start + 1, end)) return start + 1;
  let depth = 0;
  let i = start;
  while (i < end) {
    const code = text.charCodeAt(i);
    canvas.visits++;
    if (code === OPEN_BRACKET && text.startsWith(MARKER, i)) i = hideUpTo(canvas, i, i + MARKER.length);
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      depth++;
      i++;
    } else if (code === CLOSE_BRACKET || code === 0x7d) {
      depth--;
      i++;
      if (depth === 0) return hideRest(region, i, isBare);
    } else if (code === COMMA || code === 0x3a || (classOf(code) & SPACE) !== 0) i++;
    else {
      const opening = openingAt(canvas, i, end);
      const closing = opening === null ? null : quotes.closingOf(opening);
      if (opening !== null && closing !== null) {
        canvas.hide(opening.start, closing.end);
        i = Math.max(closing.next, i + 1);
      } else i = hideUpTo(canvas, i, atomEnd(region, i));
    }
  }
  return end;
}

/** A bare value inside brackets ends at a bracket, a comma or a quote that closes the text around. */
function atomEnd({ canvas, end }: Region, at: number): number {
  const { text } = canvas;
  let i = at + 1;
  for (; i < end; i++) {
    const code = text.charCodeAt(i);
    if (
      code === OPEN_BRACKET ||
      code === OPEN_BRACE ||
      code === CLOSE_BRACKET ||
      code === 0x7d ||
      code === COMMA
    )
      break;
  }
  canvas.visits += i - at;
  return i;
}

/**
 * Hides up to the next white space. A scheme word takes its credential with it (SZ-10); of a header, whatever a comma or
 * semicolon continues, too.
 */
function hideTokens(region: Region, at: number, header: boolean): number {
  const { canvas, end } = region;
  const { text } = canvas;
  let from = at;
  for (;;) {
    const to = tokenEnd(region, from);
    canvas.hide(from === at ? from : at, to);
    const last = text.charCodeAt(to - 1);
    const word = text.slice(from, Math.min(to, from + 20));
    const isList = header && (last === COMMA || last === SEMICOLON);
    const isScheme = SCHEME.test(word);
    const mayBeScheme = header && from === at && /^[A-Za-z][A-Za-z-]{0,18}$/.test(word);
    if (!isList && !isScheme && !mayBeScheme) return to;
    const next = skipSpace(canvas, to, end);
    if (next >= end || next === to || (!isList && !isScheme && startsPair(canvas, next, end))) return to;
    from = next;
  }
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
function startsPair(canvas: Canvas, at: number, end: number): boolean {
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

const ENCODED_QUOTE = /%(?:25)?2[27]/iy;
const ENCODED_BLANK = /(?:%(?:25)?20|\+|\s)/iy;
const ENCODED_END = /%(?:25)?(?:26|22|27|0A|0D|3B)/iy;

/** A value between `%3D` or `%3A` and the next encoded or plain end (SZ-11). */
function hideEncoded(region: Region, key: Key, at: number): number {
  const { canvas, end } = region;
  const { text } = canvas;
  const blank = matchAt(canvas, ENCODED_BLANK, at, end);
  const afterBlank = blank > 0 ? blank : at;
  const quote = matchAt(canvas, ENCODED_QUOTE, afterBlank, end);
  const start = quote > 0 ? quote : afterBlank;
  let i = start;
  for (; i < end; i++) {
    const code = text.charCodeAt(i);
    if (
      (classOf(code) & SPACE) !== 0 ||
      code === AMPERSAND ||
      code === QUOTE ||
      code === APOSTROPHE ||
      code === BACKSLASH
    )
      break;
    if (code === PERCENT && matchAt(canvas, ENCODED_END, i, end) > 0) break;
  }
  canvas.visits += i - start;
  if (key.class === 'ambiguous' && isHarmlessValue(text, start, i)) return start;
  return hideUpTo(canvas, start, i);
}
