/** Hides the value behind a secret's name, and nothing after it where its end can be told (SZ-02, SZ-03, SZ-08). */

import { hideRest, type Key, type Region, startsPair, tokenEnd } from './bareValues.ts';
import type { Canvas } from './canvas.ts';
import { COMMA, SEMICOLON } from './characters.ts';
import { hideEncoded } from './encodedValues.ts';
import { hideGroup } from './groups.ts';
import { isHarmlessText, isHarmlessValue } from './harmless.ts';
import { openingAt } from './quotes.ts';
import { matchAt, type Separator, skipSpace } from './separators.ts';

const SCHEME = /^(?:bearer|basic|digest|negotiate|ntlm|token|apikey|aws4-hmac-sha256)$/i;
const JSON_PRIMITIVE =
  /(?:true|false|null|-?\d{1,40}(?:\.\d{1,40})?(?:[eE][-+]?\d{1,4})?|\[REDACTED\])(?=\s{0,16}[,}\]])/y;

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
    const group = hideGroup(region, key, start, separator.kind === 'equals' && !separator.quoted);
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
    canvas.hide(at, to);
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
