/**
 * Characters that JSON can carry and PostgreSQL cannot store: NUL (SQLSTATE 22021 in text, 22P05 in jsonb) and
 * surrogates without their partner (22P02 in jsonb). One such string would refuse a whole snapshot at every delivery.
 */

const REPLACEMENT = '\ufffd';
// In a JSON text these can only stand as escapes: raw control characters are not JSON, and UTF-8 has no surrogates.
const SUSPECT = /\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})/;

/** True when a JSON text may hold a character that needs cleaning. Cheap: one scan, no parse. */
export const mayNeedCleaning = (json: string): boolean => SUSPECT.test(json);

/** The text with every NUL and every lone surrogate replaced by U+FFFD. */
const cleanText = (value: string): string => value.toWellFormed().replaceAll('\u0000', REPLACEMENT);

/** The same value with every string in it cleaned, keys included. Returns a new value; recursion is bounded by `depth`. */
export function cleanValue(value: unknown, depth = 64): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (value === null || typeof value !== 'object') return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.map((item) => cleanValue(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleanText(key), cleanValue(item, depth - 1)]),
  );
}
