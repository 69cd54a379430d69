/** How long a cycle waits for what it reads, so that a kind that hangs costs the others some time and nothing else (D9). */

import type { KubeApi, ListOptions } from '../kubeApi.ts';
import { KubeError } from '../kubeApi.ts';

/** What a cycle asks of the API server. */
export type Reads = Pick<KubeApi, 'get' | 'list'>;

export interface ReadingBounds {
  /** All of a cycle's reading. A sync has 150 s; what is left of them is for encoding and publishing. */
  readonly cycleMs: number;
  /** From one object of a list to the next: more than one attempt, so that a dead connection is followed by a new one. */
  readonly silenceMs: number;
  /** The same for metrics-server, which hangs more often than others and knows the least. */
  readonly metricsSilenceMs: number;
}

export const READING_BOUNDS: ReadingBounds = {
  cycleMs: 120_000,
  silenceMs: 75_000,
  metricsSilenceMs: 15_000,
};

const METRICS_API = '/apis/metrics.k8s.io/';

/**
 * The same reads within the bounds of the cycle that begins now: one that exceeds them throws KubeError with reason
 * `timeout`, while the caller's own signal ends them as ever.
 */
export function boundedReads(api: Reads, bounds: ReadingBounds): Reads {
  const late = AbortSignal.timeout(bounds.cycleMs);

  async function within<T>(
    path: string,
    signal: AbortSignal,
    read: (signal: AbortSignal, alive: () => void) => Promise<T>,
  ): Promise<T> {
    const silent = new AbortController();
    const silenceMs = path.startsWith(METRICS_API) ? bounds.metricsSilenceMs : bounds.silenceMs;
    const timer = setTimeout(() => silent.abort(), silenceMs);
    try {
      return await read(AbortSignal.any([signal, late, silent.signal]), () => timer.refresh());
    } catch (error) {
      const isLate = (late.aborted || silent.signal.aborted) && !signal.aborted;
      throw isLate ? new KubeError(path, 0, 'timeout', { cause: error }) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    get: <T>(path: string, { signal }: { signal: AbortSignal }) =>
      within(path, signal, (bounded) => api.get<T>(path, { signal: bounded })),
    list: <T>(path: string, o: ListOptions<T>) =>
      within(path, o.signal, (bounded, alive) =>
        api.list<T>(path, {
          ...o,
          signal: bounded,
          onItem(item) {
            alive();
            o.onItem(item);
          },
        }),
      ),
  };
}
