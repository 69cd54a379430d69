/** 32-bit FNV-1a of a text: stable across runs and platforms, good enough to spread seeds and to draw by name. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  // The last multiplication leaves the low bits weak, so they are stirred once more.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/**
 * A seeded stream of draws (sfc32). Two streams of one seed yield the same values for ever, and `fork` gives an
 * independent stream by name, so that one part of the cluster drawing more does not shift all the others.
 */
export class Random {
  readonly #seed: string;
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: string | number) {
    this.#seed = String(seed);
    this.#a = hash32(`${this.#seed}/a`);
    this.#b = hash32(`${this.#seed}/b`);
    this.#c = hash32(`${this.#seed}/c`);
    for (let round = 0; round < 12; round += 1) this.#word();
  }

  /** A stream of its own, named; it draws nothing from this one. */
  fork(name: string): Random {
    return new Random(`${this.#seed}/${name}`);
  }

  #word(): number {
    const word = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + word;
    return word >>> 0;
  }

  /** A number in [0, 1). */
  next(): number {
    return this.#word() / 0x1_0000_0000;
  }

  /** An integer from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One entry; throws on an empty list, which would be a bug of the caller. */
  pick<T>(list: readonly T[]): T {
    const chosen = list[Math.floor(this.next() * list.length)];
    if (chosen === undefined) throw new Error('nothing to pick from');
    return chosen;
  }

  /** `length` characters of an alphabet. */
  chars(alphabet: string, length: number): string {
    let text = '';
    while (text.length < length) text += alphabet.charAt(Math.floor(this.next() * alphabet.length));
    return text;
  }

  /** `length` hexadecimal digits. */
  hex(length: number): string {
    let text = '';
    while (text.length < length) text += this.#word().toString(16).padStart(8, '0');
    return text.slice(0, length);
  }

  /** A UUID in the shape of version 4. */
  uuid(): string {
    const digits = this.hex(32);
    const variant = '89ab'.charAt(this.int(0, 3));
    return [
      digits.slice(0, 8),
      digits.slice(8, 12),
      `4${digits.slice(13, 16)}`,
      `${variant}${digits.slice(17, 20)}`,
      digits.slice(20),
    ].join('-');
  }
}
