/** Request budgets: so many in a minute for each key, in bounded memory. */

export interface BudgetRule {
  /** Names the budget; two routes with the same name share it. */
  readonly name: string;
  readonly perMinute: number;
  /** What a refused caller reads. */
  readonly message: string;
}

const WINDOW_MS = 60_000;

/** Keys kept at once; past it the oldest go, which forgives them. */
const MAX_KEYS = 10_000;

interface Window {
  startedAt: number;
  spent: number;
}

/** Counts of one process (contracts.md: per backend process). */
export class Budgets {
  readonly #windows = new Map<string, Window>();

  /** Spends one; answers null, or after how many seconds to come back. A refused request spends nothing. */
  spend(rule: BudgetRule, key: string, now: Date): number | null {
    const at = now.getTime();
    const id = `${rule.name}\n${key}`;
    let window = this.#windows.get(id);
    if (window === undefined || at - window.startedAt >= WINDOW_MS || at < window.startedAt) {
      window = { startedAt: at, spent: 0 };
      // Deleted first, so that the map's order is the order of the windows' starts.
      this.#windows.delete(id);
      this.#windows.set(id, window);
      this.#forgetOldest();
    }
    if (window.spent >= rule.perMinute)
      return Math.max(1, Math.ceil((window.startedAt + WINDOW_MS - at) / 1000));
    window.spent += 1;
    return null;
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#windows.size;
  }

  #forgetOldest(): void {
    for (const id of this.#windows.keys()) {
      if (this.#windows.size <= MAX_KEYS) return;
      this.#windows.delete(id);
    }
  }
}
