/** When the agent syncs: at once, then every interval, never two at a time (AG-02, EN-13). */

export interface Schedule {
  /** Starts no further run, and resolves when the running one has ended. */
  stop(): Promise<void>;
}

/**
 * Calls `run` now and at every whole interval after now. A run that outlasts its interval skips the ticks it covers; the
 * next one keeps to the grid, so slow runs make no drift. The signal given to a run ends it after `deadlineMs`; stopping
 * does not. `run` must not reject.
 */
export function startSchedule(o: {
  readonly intervalMs: number;
  readonly deadlineMs: number;
  run(signal: AbortSignal): Promise<void>;
}): Schedule {
  const startedAt = performance.now();
  let stopped = false;
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> = Promise.resolve();
  let tick = 0;

  const start = (): void => {
    timer = null;
    running = o.run(AbortSignal.timeout(o.deadlineMs)).finally(() => {
      if (stopped) return;
      // A timer may fire a moment early, which must not repeat its own tick.
      tick = Math.max(tick + 1, Math.ceil((performance.now() - startedAt) / o.intervalMs));
      timer = setTimeout(start, Math.max(0, startedAt + tick * o.intervalMs - performance.now()));
    });
  };
  start();

  return {
    async stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      await running;
    },
  };
}
