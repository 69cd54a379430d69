/** A text, and the parts of it that are to be hidden. */

import { MARKER } from './marker.ts';

/**
 * Collects what a scanner hides, from left to right, and counts the characters that it looked at: each loop over the text
 * adds the distance that it went, so that a spec can hold the scanner to linear time.
 */
export class Canvas {
  readonly text: string;
  visits = 0;
  /** A search for the end of a URL's userinfo has been up to here; no other repeats it. */
  noAtSignBefore = 0;
  readonly #kept: string[] = [];
  /** Everything before has been kept or hidden. */
  #done = 0;
  #hides = false;

  constructor(text: string) {
    this.text = text;
  }

  /** Hides what lies between; parts that touch become one marker. Nothing is done for an empty part. */
  hide(from: number, to: number): void {
    const start = Math.max(from, this.#done);
    if (to <= start) return;
    if (start > this.#done || !this.#hides) this.#kept.push(this.text.slice(this.#done, start));
    this.#done = to;
    this.#hides = true;
  }

  /** The text with a marker for each hidden part; the text itself when nothing was hidden. */
  render(): string {
    if (!this.#hides) return this.text;
    return this.#kept.join(MARKER) + MARKER + this.text.slice(this.#done);
  }
}
