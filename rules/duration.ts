/** Durations as Go's `time.ParseDuration` reads them, which is how every setting is written (contracts.md, CF-07). */

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  // Both spellings of micro: U+00B5 and the Greek letter U+03BC.
  '\u00b5s': 1e-3,
  '\u03bcs': 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

const WHOLE = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+$/;
const PART = /(\d+\.?\d*|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/g;

/**
 * Milliseconds of a duration such as `1h30m`, `300ms`, `1.5h` or `-5m`; null when the text is not one. A bare number
 * has no unit and is refused as in Go, except `0`. There is no unit above the hour.
 */
export function parseDuration(text: string): number | null {
  if (/^[+-]?0$/.test(text)) return 0;
  if (!WHOLE.test(text)) return null;
  let ms = 0;
  for (const [, amount, unit] of text.matchAll(PART))
    ms += Number(amount) * (UNIT_MS[unit as string] as number);
  return text.startsWith('-') ? -ms : ms;
}
