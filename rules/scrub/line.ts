/**
 * The sanitizer of one line. It shows the line with `[REDACTED]` where a secret stood, as far as a pattern can tell; a secret
 * in a shape that no rule knows passes (docs/sanitizer.md).
 *
 * The order of the rules matters: PEM blocks first, for their content looks like anything; then names of secrets, and URLs
 * among them, from left to right; then the shapes of vendors, and chance last, on what is left.
 */

import { Canvas } from './canvas.ts';
import { MARKER } from './marker.ts';
import { hidePairs } from './pairs.ts';
import { afterPemEnd, hidePemBlocks, isPemBody } from './pem.ts';
import { hideTokens } from './tokens.ts';

/** Longer lines are cut before any rule looks at them. A marker counts as one character, so that none cuts twice. */
export const MAX_LINE = 65_536;
const CUT = ' [CUT]';

/** A pass over what a pass left finds nothing more; where it would, this many are tried before the whole line goes. */
const MAX_PASSES = 4;

/** One line, without its line break, with its secrets hidden. The same again when it is sanitized again. */
export const sanitizeLine = (line: string): string => sanitize(line).text;

/** How many characters the scanners look at for this line; a spec holds it to a multiple of the length. */
export const visitsOf = (line: string): number => sanitize(line).visits;

function sanitize(line: string): { text: string; visits: number } {
  let text = cut(line);
  let visits = 0;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const before = text;
    // Two reads of the text for the blocks: one for the words of a label, one for the label.
    visits += 2 * text.length;
    const pairs = new Canvas(hidePemBlocks(text).text);
    hidePairs(pairs);
    const tokens = new Canvas(pairs.render());
    hideTokens(tokens);
    text = tokens.render();
    visits += pairs.visits + tokens.visits;
    if (text === before) return { text, visits };
  }
  return { text: MARKER, visits };
}

function cut(line: string): string {
  if (line.length <= MAX_LINE) return line;
  let limit = MAX_LINE;
  for (let at = line.indexOf(MARKER); at >= 0 && at < limit; at = line.indexOf(MARKER, at + MARKER.length)) {
    limit += MARKER.length - 1;
  }
  return line.length <= limit ? line : line.slice(0, limit - CUT.length).toWellFormed() + CUT;
}

/**
 * A sanitizer for the lines of one log, in their order: it remembers that a private key has begun, and hides its lines too.
 * A line that cannot belong to one ends it.
 */
export function createLineSanitizer(): (line: string) => string {
  let inPem = false;
  return (line) => {
    if (inPem) {
      const rest = afterPemEnd(line);
      if (rest === null && isPemBody(line)) return line.trim() === '' ? line : MARKER;
      inPem = false;
      if (rest !== null) return rest.trim() === '' ? MARKER : MARKER + sanitizeLine(rest);
    }
    inPem = hidePemBlocks(cut(line)).open;
    return sanitizeLine(line);
  };
}
