/** When the agent syncs: at once, then every interval, never two at a time (AG-02, EN-13). */

export interface ScheduleState {
  /** When the running run began; null when none runs. */
  readonly running_since: string | null;
  /** When the next one begins; null while one runs, whose end decides. */
  readonly next_at: string | null;
}

export interface Schedule {
  state(): ScheduleState;
  /** Starts no further run, and resolves when the running one has ended. */
  stop(): Promise<void>;
}

/**
 * Calls `run` now, or when `after` has resolved, and at every whole interval after that. A run that outlasts its interval
 * skips the ticks it covers; the next one keeps to the grid, so slow runs make no drift. The signal given to a run ends it
 * after `deadlineMs`; stopping does not. `run` must not reject.
 */
export function startSchedule(o: {
  readonly intervalMs: number;
  readonly deadlineMs: number;
  readonly after?: Promise<void>;
  run(signal: AbortSignal): Promise<void>;
}): Schedule {
  let startedAt = performance.now();
  let stopped = false;
  let timer: NodeJS.Timeout | null = null;
  let runningSince: Date | null = null;
  let nextAt: Date | null = null;
  let tick = 0;

  const start = async (): Promise<void> => {
    timer = null;
    nextAt = null;
    runningSince = new Date();
    await o.run(AbortSignal.timeout(o.deadlineMs));
    runningSince = null;
    if (stopped) return;
    // A timer may fire a moment early, which must not repeat its own tick.
    tick = Math.max(tick + 1, Math.ceil((performance.now() - startedAt) / o.intervalMs));
    const waitMs = Math.max(0, startedAt + tick * o.intervalMs - performance.now());
    nextAt = new Date(Date.now() + waitMs);
    timer = setTimeout(() => {
      running = start();
    }, waitMs);
  };
  let running: Promise<void> =
    o.after === undefined
      ? start()
      : o.after.then(() => {
          startedAt = performance.now();
          return stopped ? undefined : start();
        });

  return {
    state: () => ({
      running_since: runningSince?.toISOString() ?? null,
      next_at: nextAt?.toISOString() ?? null,
    }),
    async stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      await running;
    },
  };
}
