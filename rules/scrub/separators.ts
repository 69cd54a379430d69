/** What stands between a name and its value: `=`, `:`, `=>`, their encoded forms, with quotes and spaces around. */

import type { Canvas } from './canvas.ts';
import {
  BACKSLASH,
  CLOSE_BRACKET,
  COLON,
  classOf,
  EQUALS,
  GREATER,
  PERCENT,
  SLASH,
  SPACE,
} from './characters.ts';
import { openingAt } from './quotes.ts';

export interface Separator {
  readonly kind: 'colon' | 'equals' | 'arrow' | 'encoded';
  /** The name was closed by a quote before it, as in JSON. */
  readonly quoted: boolean;
  /** White space stands before it. */
  readonly spaced: boolean;
  /** Where the value, or the white space before it, starts. */
  readonly end: number;
}

const ENCODED_CLOSER = /%(?:25)?(?:22|27|5D)/iy;
const ENCODED_SEPARATOR = /(?:%(?:25)?20|\+)?%(?:25)?3[AD]/iy;

/** Matches a sticky pattern of bounded length at a place; the index behind it, or -1. */
export function matchAt(canvas: Canvas, pattern: RegExp, at: number, end: number): number {
  pattern.lastIndex = at;
  if (!pattern.test(canvas.text)) return -1;
  canvas.visits += pattern.lastIndex - at;
  return pattern.lastIndex <= end ? pattern.lastIndex : -1;
}

export function skipSpace(canvas: Canvas, at: number, end: number): number {
  let i = at;
  while (i < end && (classOf(canvas.text.charCodeAt(i)) & SPACE) !== 0) i++;
  canvas.visits += i - at + 1;
  return i;
}

const SPACE_SIGN = 0x20;

/** The separator behind a name that ends at `at`, or null. */
export function separatorAt(canvas: Canvas, at: number, end: number): Separator | null {
  if (at >= end) return null;
  const { text } = canvas;
  const next = text.charCodeAt(at);
  const after = text.charCodeAt(at + 1);
  // Most words are followed by a space and another word.
  if (next === SPACE_SIGN && after !== EQUALS && after !== COLON && after !== SPACE_SIGN) return null;
  let i = at;
  let quoted = false;
  if (next === PERCENT) {
    const closer = matchAt(canvas, ENCODED_CLOSER, i, end);
    if (closer > 0) i = closer;
    const encoded = matchAt(canvas, ENCODED_SEPARATOR, i, end);
    if (encoded > 0) return { kind: 'encoded', quoted: closer > 0, spaced: false, end: encoded };
  } else if (next === CLOSE_BRACKET) {
    i++;
  } else {
    const closer = openingAt(canvas, i, end);
    if (closer !== null) {
      i = closer.start;
      quoted = true;
    } else if (next === BACKSLASH) return null;
  }
  const afterSpace = skipSpace(canvas, i, end);
  return plainSeparator(text, afterSpace, end, quoted, afterSpace > i);
}

function plainSeparator(
  text: string,
  at: number,
  end: number,
  quoted: boolean,
  spaced: boolean,
): Separator | null {
  if (at >= end) return null;
  const code = text.charCodeAt(at);
  const after = at + 1 < end ? text.charCodeAt(at + 1) : 0;
  if (code === EQUALS) {
    if (after === GREATER) return { kind: 'arrow', quoted, spaced, end: at + 2 };
    return { kind: 'equals', quoted, spaced, end: after === EQUALS ? at + 2 : at + 1 };
  }
  if (code !== COLON) return null;
  if (after === EQUALS) return { kind: 'equals', quoted, spaced, end: at + 2 };
  // `scheme://` and `module::name` name nothing.
  if (after === COLON || (after === SLASH && text.charCodeAt(at + 2) === SLASH)) return null;
  return { kind: 'colon', quoted, spaced, end: at + 1 };
}
