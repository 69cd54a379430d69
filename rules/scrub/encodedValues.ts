/** Values of URL-encoded pairs (SZ-11). */

import type { Key, Region } from './bareValues.ts';
import { AMPERSAND, APOSTROPHE, BACKSLASH, classOf, PERCENT, QUOTE, SPACE } from './characters.ts';
import { isHarmlessValue } from './harmless.ts';
import { matchAt } from './separators.ts';

const ENCODED_QUOTE = /%(?:25)?2[27]/iy;
const ENCODED_BLANK = /(?:%(?:25)?20|\+|\s)/iy;
const ENCODED_END = /%(?:25)?(?:26|22|27|0A|0D|3B)/iy;

/** A value between `%3D` or `%3A` and the next encoded or plain end (SZ-11). */
export function hideEncoded(region: Region, key: Key, at: number): number {
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
  canvas.hide(start, i);
  return i;
}
