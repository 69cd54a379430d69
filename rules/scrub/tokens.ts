/** Secrets that show themselves: the shapes that vendors gave their tokens (SZ-16), and chance itself (SZ-17). */

import type { Canvas } from './canvas.ts';
import { BACKSLASH, BASE64, classOf, LETTER_OR_DIGIT, OPEN_BRACKET, SLASH } from './characters.ts';
import { isRandom } from './entropy.ts';
import { MARKER } from './marker.ts';

/**
 * How they start, and a pattern of bounded length that says that one really starts here; it reaches to the end of its word.
 */
const SHAPES: readonly (readonly [string, RegExp])[] = [
  // JSON Web Tokens, and any JSON object in base64.
  ['eyJ', /eyJ[A-Za-z0-9_-]{8}/y],
  ['xox', /xox[a-z]-[A-Za-z0-9-]{6}/y],
  ['xapp-', /xapp-\d-[A-Za-z0-9]{6}/y],
  ...['AKIA', 'ASIA', 'ABIA', 'ACCA'].map((start) => [start, /[A-Z0-9]{20}(?![A-Za-z0-9])/y] as const),
  ['AIza', /AIza[A-Za-z0-9_-]{30}/y],
  ['AGE-SECRET-KEY-1', /AGE-SECRET-KEY-1[A-Z0-9]{8}/y],
  ...['hvs.', 'hvb.', 'hvr.'].map((start) => [start, /hv[sbr]\.[A-Za-z0-9_-]{8}/y] as const),
  ['hf_', /hf_[A-Za-z0-9]{20}/y],
  // A capital or a digit, and no dash for long: `sk-learn-pipeline-worker` is a name.
  ['sk-', /sk-(?=[A-Za-z0-9_-]{0,19}[A-Z0-9])(?:[A-Za-z0-9]{1,12}-)?[A-Za-z0-9_]{16}/y],
  ['sk-', /sk-(?:ant|proj|svcacct|admin|or|live|test)-[A-Za-z0-9_-]{8}/y],
  ...['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'].map(
    (start) => [start, /[rs]k_[a-z]{4}_[A-Za-z0-9]{8}/y] as const,
  ),
  ...['shpat_', 'shpca_', 'shppa_', 'shpss_'].map(
    (start) => [start, /shp[a-z]{2}_[A-Fa-f0-9]{16}/y] as const,
  ),
  ...['gho_', 'ghp_', 'ghr_', 'ghs_', 'ghu_'].map((start) => [start, /gh[a-z]_[A-Za-z0-9]{16}/y] as const),
  ['github_pat_', /github_pat_[A-Za-z0-9_]{16}/y],
  ['gl', /gl(?:pat|dt|rt|soat|ptt|agent)-[A-Za-z0-9_-]{12}/y],
  ['npm_', /npm_[A-Za-z0-9]{20}/y],
  ['pypi-', /pypi-[A-Za-z0-9_-]{16}/y],
  ['ya29.', /ya29\.[A-Za-z0-9_-]{10}/y],
  ['SG.', /SG\.[A-Za-z0-9_-]{16}/y],
  ['do', /do[opr]_v1_[a-f0-9]{16}/y],
  ['dapi', /dapi[a-f0-9]{32}/y],
  ['whsec_', /whsec_[A-Za-z0-9+/=]{12}/y],
];
/** The longest that a pattern reads. */
const REACH = 40;
const DOT = 0x2e;
/** No token of any vendor is shorter. */
const SHORTEST = 10;

const shapesByCode = Array.from({ length: 128 }, (_, code) => {
  const shapes = SHAPES.filter(([start]) => start.charCodeAt(0) === code);
  return shapes.length === 0 ? undefined : shapes;
});

/** Hides vendor tokens and random text. Names are not needed; so it runs last, on what the other rules left. */
export function hideTokens(canvas: Canvas): void {
  const { text } = canvas;
  const end = text.length;
  let i = 0;
  while (i < end) {
    const code = text.charCodeAt(i);
    if ((classOf(code) & BASE64) !== 0) {
      const from = i;
      do i++;
      while (i < end && (classOf(text.charCodeAt(i)) & BASE64) !== 0);
      if (i - from >= SHORTEST) afterRun(canvas, from, i);
    } else if (code === OPEN_BRACKET && text.startsWith(MARKER, i)) i += MARKER.length;
    else if (code === BACKSLASH) i += 'nrt'.includes(text[i + 1] ?? ' ') ? 2 : 1;
    else i++;
  }
  canvas.visits += end;
}

function afterRun(canvas: Canvas, from: number, to: number): void {
  let start = from;
  while (start < to) {
    const vendor = vendorToken(canvas, start, to);
    if (vendor < 0) break;
    hideRandom(canvas, start, vendor);
    start = wordEnd(canvas, vendor, to);
    canvas.hide(vendor, start);
  }
  hideRandom(canvas, start, to);
}

/** Where a vendor's token starts: at the left end of a word, so that `disk-` and `task-` do not end in one. */
function vendorToken(canvas: Canvas, from: number, to: number): number {
  const { text } = canvas;
  let free = true;
  for (let i = from; i <= to - SHORTEST; i++) {
    const code = text.charCodeAt(i);
    const shapes = free ? shapesByCode[code] : undefined;
    if (shapes !== undefined) {
      for (const [start, shape] of shapes) {
        if (!text.startsWith(start, i)) continue;
        canvas.visits += REACH;
        shape.lastIndex = i;
        if (shape.test(text)) return i;
      }
      canvas.visits += 4;
    }
    free = (classOf(code) & LETTER_OR_DIGIT) === 0;
  }
  canvas.visits += to - from;
  return -1;
}

function wordEnd(canvas: Canvas, from: number, to: number): number {
  const { text } = canvas;
  let i = from;
  while (i < to && text.charCodeAt(i) !== SLASH) i++;
  canvas.visits += i - from;
  return i;
}

/** Judges the pieces between dots and slashes, then whole runs, as base64 may hold a slash. */
function hideRandom(canvas: Canvas, from: number, to: number): void {
  const { text } = canvas;
  if (to - from < 20) return;
  let start = from;
  let slashes = 0;
  let dot = from;
  for (let i = from; i <= to; i++) {
    const code = i < to ? text.charCodeAt(i) : DOT;
    if (code !== DOT && code !== SLASH) continue;
    if (code === SLASH) slashes++;
    if (i - start >= 20 && isRandom(canvas, start, i) && !isDigest(text, from)) canvas.hide(start, i);
    start = i + 1;
    if (code !== SLASH) {
      if (
        slashes > 0 &&
        i - dot >= 20 &&
        text.charCodeAt(dot) !== SLASH &&
        isRandom(canvas, dot, i, slashes) &&
        !isDigest(text, from)
      )
        canvas.hide(dot, i);
      slashes = 0;
      dot = i + 1;
    }
  }
  canvas.visits += to - from;
}

const DIGEST = /sha(?:1|256|384|512)[-:]$/i;

/** Checksums are public: `sha256-…` of a page's script, `SHA256:…` of a host's key. */
const isDigest = (text: string, from: number): boolean =>
  DIGEST.test(text.slice(Math.max(0, from - 7), from)) ||
  /^sha(?:1|256|384|512)-/i.test(text.slice(from, from + 7));
