/** Tells random text from names, words, paths and digests (SZ-17). */

import type { Canvas } from './canvas.ts';
import { classOf, DIGIT, LOWER, UPPER } from './characters.ts';

/** Bits per character: 20 random ones of base64 have about 4.1, so that a limit of 4.5 would let them pass. */
const MIN_BITS = 3.7;
/**
 * Share of the characters that stand in rows of three small letters or more: about 15 % of random text, most of camelCase and
 * paths. Of 20 random characters 2 % pass by this limit, of 40 less than 0.2 % (60,000 tries).
 */
const MAX_WORDS = 0.5;
const WORD_LENGTH = 3;

const counts = new Uint16Array(128);
const sampleMax = 256;
/** n log2 n, for the counts of a sample. */
const weight = Float64Array.from({ length: sampleMax + 1 }, (_, n) => (n === 0 ? 0 : n * Math.log2(n)));

/**
 * Whether the ASCII text from `from` to `to`, 20 characters or more, looks random: small letters, capitals and digits mixed,
 * few words in it. Hex and UUIDs lack one of the cases, so they pass. `slashes` is their number where it may be a path: then
 * more of each class must be there. Of a long text the first 256 characters are judged.
 */
export function isRandom(canvas: Canvas, from: number, to: number, slashes = 0): boolean {
  const { text } = canvas;
  const end = Math.min(to, from + sampleMax);
  let upper = 0;
  let lower = 0;
  let digits = 0;
  let inWords = 0;
  let row = 0;
  counts.fill(0);
  for (let i = from; i < end; i++) {
    const code = text.charCodeAt(i);
    counts[code] = (counts[code] as number) + 1;
    const classes = classOf(code);
    if ((classes & LOWER) !== 0) {
      lower++;
      row++;
      continue;
    }
    if ((classes & UPPER) !== 0) upper++;
    else if ((classes & DIGIT) !== 0) digits++;
    if (row >= WORD_LENGTH) inWords += row;
    row = 0;
  }
  if (row >= WORD_LENGTH) inWords += row;
  // Once for the counts, once for the pieces.
  canvas.visits += 2 * (end - from);
  const length = end - from;
  const least = slashes > 0 ? 4 : 2;
  if (upper < least || lower < least || digits < 1 + (slashes > 0 ? 1 : 0) || inWords / length >= MAX_WORDS)
    return false;
  if (slashes * 10 > to - from || isName(text, from, end)) return false;
  let sum = 0;
  for (let code = 0x2b; code < 0x7b; code++) sum += weight[counts[code] as number] as number;
  return Math.log2(length) - sum / length >= MIN_BITS;
}

/**
 * Whether each piece between dashes and underscores has letters of one case, or a capital and small ones: names, constants and
 * times of day, as `X509_VERIFY_PARAM_set1_host` or `2026-11-30T12_00_00Z-debug`.
 */
function isName(text: string, from: number, end: number): boolean {
  const pieces = text.slice(from, end).split(/[-_]/);
  return pieces.length > 1 && pieces.every((piece) => /^(?:[A-Z0-9]*|[A-Z]?[a-z0-9]*)$/.test(piece));
}
