/** Values in brackets: the header maps and lists of Go and JSON (SZ-08). */

import { hideRest, type Key, type Region } from './bareValues.ts';
import { CLOSE_BRACKET, COMMA, classOf, OPEN_BRACE, OPEN_BRACKET, SPACE } from './characters.ts';
import { isHarmlessValue } from './harmless.ts';
import { MARKER } from './marker.ts';
import { openingAt } from './quotes.ts';
import { matchAt } from './separators.ts';

const GO_LIST = /\[\](?:string|any|interface \{\}|uint8|byte)(?=\{)/y;

/**
 * The strings in brackets, as header maps have them: `[Basic x]`, `["Basic x"]`, `[]string{"x"}`; null where none opens or
 * it does not close. Braces behind `auth` are looked into by the scan instead. `isBare`: as in `name=[x]`, where
 * only white space or another pair ends the value.
 */
export function hideGroup(region: Region, key: Key, at: number, isBare: boolean): number | null {
  const { canvas, quotes, end } = region;
  const { text } = canvas;
  const go = matchAt(canvas, GO_LIST, at, end);
  const start = go > 0 ? go : at;
  const bracket = text.charCodeAt(start);
  if (bracket !== OPEN_BRACKET && bracket !== OPEN_BRACE) return null;
  if (text.startsWith(MARKER, start)) return null;
  if (bracket === OPEN_BRACE && key.nests && '"\'\\}'.includes(text[start + 1] ?? ' ')) return start + 1;
  if (key.class === 'ambiguous' && isHarmlessValue(text, start + 1, end)) return start + 1;
  let depth = 0;
  let i = start;
  while (i < end) {
    const code = text.charCodeAt(i);
    canvas.visits++;
    if (code === OPEN_BRACKET && text.startsWith(MARKER, i)) i += MARKER.length;
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
      } else {
        const stop = atomEnd(region, i);
        canvas.hide(i, stop);
        i = stop;
      }
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
