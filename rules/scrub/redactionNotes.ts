/** What was done to an object, by place and count, for the reader who misses something. */

/** More places are summed up in one note. */
const MAX_NOTES = 40;

export class RedactionNotes {
  readonly #counts = new Map<string, number>();

  /** `what` happened once more at `place`, a path with `[]` for the items of lists. No value is ever given here. */
  add(place: string, what: string): void {
    const key = `${place}: ${what}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** One line per place and action, in the order in which they were met. */
  lines(): string[] {
    const lines = [...this.#counts].map(([key, count]) => (count === 1 ? key : `${key} (${count} times)`));
    const more = lines.length - MAX_NOTES;
    return more > 0 ? [...lines.slice(0, MAX_NOTES), `${more} more places were redacted`] : lines;
  }
}
