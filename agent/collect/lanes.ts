/**
 * Runs jobs a few at a time, in their order. The first that fails ends the others through their signal, and is thrown
 * once all have ended: nothing of a failed cycle runs on into the next.
 */
export async function inLanes(
  lanes: number,
  signal: AbortSignal,
  jobs: readonly ((signal: AbortSignal) => Promise<void>)[],
): Promise<void> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const waiting = [...jobs];
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      try {
        await job(either);
      } catch (error) {
        failures.push(error);
        waiting.length = 0;
        stop.abort();
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  if (failures.length > 0) throw failures[0];
}
