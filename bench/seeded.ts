/** A pseudo-random sequence that is the same at every run (xorshift32, Marsaglia 2003). */
export interface Seeded {
  /** An integer from 0 to `below` - 1. */
  below(limit: number): number;
  /** One of the items. */
  pick<T>(items: readonly T[]): T;
  /** That many hexadecimal digits. */
  hex(digits: number): string;
  uuid(): string;
}

export function seeded(seed: number): Seeded {
  let state = seed | 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  const below = (limit: number) => next() % limit;
  const hex = (digits: number): string => {
    let text = '';
    while (text.length < digits) text += next().toString(16).padStart(8, '0');
    return text.slice(0, digits);
  };
  return {
    below,
    hex,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new RangeError('nothing to pick from');
      return item;
    },
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
  };
}
