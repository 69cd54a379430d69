interface Appointment {
  readonly dueMs: number;
  readonly order: number;
  readonly act: () => void;
}

/**
 * What the cluster will do later: a heap of actions by due time. Equal times run in the order they were made, so one
 * seed and one sequence of calls always give one history.
 */
export class Agenda {
  readonly #heap: Appointment[] = [];
  #order = 0;

  /** Plans `act` for a time on the cluster's clock (ms since the epoch). */
  at(dueMs: number, act: () => void): void {
    const heap = this.#heap;
    heap.push({ dueMs, order: this.#order, act });
    this.#order += 1;
    let child = heap.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!this.#swapIfLater(parent, child)) break;
      child = parent;
    }
  }

  /** When the next action is due, or null when nothing is planned. */
  nextDueMs(): number | null {
    return this.#heap[0]?.dueMs ?? null;
  }

  /** Takes the next action off the agenda. */
  take(): (() => void) | null {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) return null;
    if (heap.length > 0) {
      heap[0] = last;
      this.#sink();
    }
    return first.act;
  }

  #sink(): void {
    let parent = 0;
    for (;;) {
      const left = parent * 2 + 1;
      const right = left + 1;
      if (left >= this.#heap.length) return;
      const child = right < this.#heap.length && this.#isLater(left, right) ? right : left;
      if (!this.#swapIfLater(parent, child)) return;
      parent = child;
    }
  }

  #isLater(one: number, other: number): boolean {
    const a = this.#heap[one];
    const b = this.#heap[other];
    if (a === undefined || b === undefined) return false;
    return a.dueMs === b.dueMs ? a.order > b.order : a.dueMs > b.dueMs;
  }

  #swapIfLater(parent: number, child: number): boolean {
    if (!this.#isLater(parent, child)) return false;
    const a = this.#heap[parent];
    const b = this.#heap[child];
    if (a === undefined || b === undefined) return false;
    this.#heap[parent] = b;
    this.#heap[child] = a;
    return true;
  }
}
