/** The last transitions of an actor in a few bytes each: ten thousand actors keep theirs in ten megabytes. */

/** Transitions kept per actor. */
export const KEPT_TRANSITIONS = 32;

const FIRST_ROOM = 4;
const CODES = 4;

/** Numbers for things that come again and again; `CodeTable` of the inspector gives them. */
export interface CodedTransition {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly arrow: number;
  readonly from: number;
  readonly to: number;
  readonly outcome: number;
}

/** A ring that begins small and stops growing at `KEPT_TRANSITIONS`: most actors of a young process have seen little. */
export class TransitionLog {
  /** Transitions ever written. */
  total = 0;
  #times = new Float64Array(FIRST_ROOM);
  #codes = new Uint16Array(FIRST_ROOM * CODES);

  add({ at, arrow, from, to, outcome }: CodedTransition): void {
    const room = this.#times.length;
    // Not wrapped yet as long as it still grows, so the old part can be copied as it is.
    if (this.total === room && room < KEPT_TRANSITIONS) this.#grow(room * 2);
    const place = this.total % this.#times.length;
    this.#times[place] = at;
    this.#codes.set([arrow, from, to, outcome], place * CODES);
    this.total += 1;
  }

  /** The newest ones, at most `count`, newest first. */
  newest(count: number): CodedTransition[] {
    const room = this.#times.length;
    const length = Math.min(count, this.total, room);
    return Array.from({ length }, (_, age) => {
      const place = (this.total - 1 - age) % room;
      const [arrow = 0, from = 0, to = 0, outcome = 0] = this.#codes.subarray(place * CODES);
      return { at: this.#times[place] ?? 0, arrow, from, to, outcome };
    });
  }

  #grow(room: number): void {
    const [times, codes] = [this.#times, this.#codes];
    this.#times = new Float64Array(room);
    this.#codes = new Uint16Array(room * CODES);
    this.#times.set(times);
    this.#codes.set(codes);
  }
}

/** Gives each key a number once and keeps what was made of it then. */
export class CodeTable<K, V> {
  readonly #codes = new Map<K, number>();
  readonly #values: V[] = [];

  /** Room for 65,535: arrows, states and outcomes of our machines are a few dozen. */
  code(key: K, describe: () => V): number {
    const known = this.#codes.get(key);
    if (known !== undefined) return known;
    const code = this.#values.length;
    if (code > 0xffff) throw new Error('a code table is full: its keys are not from a closed set');
    this.#codes.set(key, code);
    this.#values.push(describe());
    return code;
  }

  value(code: number): V {
    const value = this.#values[code];
    if (value === undefined) throw new Error(`no code ${code}`);
    return value;
  }
}
