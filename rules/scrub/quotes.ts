/** Quoted parts of a line, escaped ones included: `"x"`, `'x'`, and `\"x\"` inside a quoted text. */

import type { Canvas } from './canvas.ts';
import { APOSTROPHE, BACKSLASH, BACKTICK, classOf, LETTER_OR_DIGIT, QUOTE, WORD } from './characters.ts';

export interface Opening {
  readonly code: number;
  /** Backslashes before the quote: none, 1 where the text is quoted once more, 3 where twice. */
  readonly escapes: number;
  /** Where the content starts. */
  readonly start: number;
}

export interface Closing {
  /** Where the content ends, before the quote's backslashes. */
  readonly end: number;
  /** Behind the quote. */
  readonly next: number;
}

/** More are no quoting of this world; they are read as plain characters. */
const MAX_ESCAPES = 7;

const isQuote = (code: number): boolean => code === QUOTE || code === APOSTROPHE || code === BACKTICK;

/** The quote that opens at `at`, or null. An apostrophe inside a word is none. */
export function openingAt(canvas: Canvas, at: number, end: number): Opening | null {
  const { text } = canvas;
  let i = at;
  while (i < end && i - at <= MAX_ESCAPES && text.charCodeAt(i) === BACKSLASH) i++;
  canvas.visits += i - at + 1;
  const code = i < end ? text.charCodeAt(i) : 0;
  if (!isQuote(code)) return null;
  const escapes = i - at;
  if (
    code === APOSTROPHE &&
    escapes === 0 &&
    at > 0 &&
    (classOf(text.charCodeAt(at - 1)) & LETTER_OR_DIGIT) !== 0
  ) {
    return null;
  }
  return { code, escapes, start: i + 1 };
}

/**
 * Finds where quotes close. One per region of text: it remembers which quotes no longer close before the region's end, so
 * that a row of unclosed ones is not searched again and again.
 */
export class Quotes {
  readonly #canvas: Canvas;
  readonly #end: number;
  #unclosed = 0;

  constructor(canvas: Canvas, end: number) {
    this.#canvas = canvas;
    this.#end = end;
  }

  /** Where the quote closes, or null when the region ends before. */
  closingOf({ code, escapes, start }: Opening): Closing | null {
    const bit = 1 << ((code === QUOTE ? 0 : code === APOSTROPHE ? 8 : 16) + escapes);
    if ((this.#unclosed & bit) !== 0) return null;
    const { text } = this.#canvas;
    // A text that is quoted once more doubles each backslash and adds one: with n before the quotes, a run of n more than a
    // multiple of twice n + 1 closes, and any other escapes a quote of the content.
    const period = 2 * (escapes + 1);
    let run = 0;
    let i = start;
    for (; i < this.#end; i++) {
      const c = text.charCodeAt(i);
      if (c === BACKSLASH) {
        run++;
        continue;
      }
      if (c === code && this.#closes(i, run, escapes, period)) {
        this.#canvas.visits += i - start + 1;
        // Fewer backslashes than the opening had: the text around it ends here.
        return run < escapes ? { end: i - run, next: i - run } : { end: i - escapes, next: i + 1 };
      }
      run = 0;
    }
    this.#canvas.visits += i - start;
    this.#unclosed |= bit;
    return null;
  }

  #closes(at: number, run: number, escapes: number, period: number): boolean {
    if (run >= escapes && run % period !== escapes) return false;
    const { text } = this.#canvas;
    if (text.charCodeAt(at) !== APOSTROPHE || escapes > 0 || at + 1 >= this.#end) return true;
    return (classOf(text.charCodeAt(at + 1)) & WORD) === 0;
  }
}
