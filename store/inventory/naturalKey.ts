/**
 * The parts of a natural key as one string; names hold no NUL (wire/clean). Parts come apart, not as an array: this runs
 * once per stored row and once per record, and without the array it costs a third.
 */
export function naturalKey(parts: number, a: unknown, b?: unknown, c?: unknown): string {
  if (parts === 1) return a as string;
  return parts === 2 ? `${a}\u0000${b}` : `${a}\u0000${b}\u0000${c}`;
}
