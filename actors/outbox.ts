/** What waits for a store outside of PostgreSQL: bounded, tried again for a while, then given up. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Posted } from '../store/post.ts';
import type { Log } from './log.ts';
import type { Store } from './metrics.ts';
import { forwarded, forwardQueued, forwardRetries } from './metrics.ts';

/** One write. `send` is called again for another attempt. */
export interface Parcel {
  readonly bytes: number;
  readonly send: (signal: AbortSignal) => Promise<Posted>;
}

export interface OutboxOptions {
  /** Of one attempt. */
  readonly deadlineMs: number;
  /** Pauses before the further attempts; as many attempts as there are pauses, and one. */
  readonly retryPausesMs: readonly number[];
  /** Most bytes that wait or are on their way; the oldest waiting parcel goes when a new one has no room. */
  readonly maxBytes: number;
  /** Writes under way at once. */
  readonly lanes: number;
}

export const OUTBOX: OutboxOptions = {
  deadlineMs: 10_000,
  retryPausesMs: [1_000, 5_000],
  maxBytes: 32 * 1024 ** 2,
  lanes: 2,
};

/** What a parcel takes besides its bytes; without it a hundred thousand small ones would seem to be nothing. */
const OVERHEAD_BYTES = 1024;

const SAID = { away: 'is away', refused: 'refuses what it is sent' } as const;

export interface Outbox {
  /** Takes a parcel and answers at once, whatever the store does. */
  put(parcel: Parcel): void;
  /** Takes no more; gives what waits `drainMs` to be sent, then drops it. */
  stop(drainMs: number): Promise<void>;
}

/**
 * Sends parcels in the order they came, `lanes` at once. A store that is away costs at most `maxBytes` of memory, one log
 * line when it goes and one when it is back; every parcel is counted once, by how it ended.
 */
export function createOutbox(store: Store, log: Log, o: OutboxOptions): Outbox {
  const waiting: Parcel[] = [];
  const giveUp = new AbortController();
  const lanes = new Set<Promise<void>>();
  let busyLanes = 0;
  let bytes = 0;
  let closed = false;
  let state: Posted['kind'] = 'taken';

  const leave = (parcel: Parcel, result: 'sent' | 'refused' | 'failed' | 'dropped'): void => {
    bytes -= parcel.bytes + OVERHEAD_BYTES;
    forwardQueued.set({ store }, bytes);
    forwarded.inc({ store, result });
  };

  const note = (posted: Posted): void => {
    if (posted.kind === state) return;
    state = posted.kind;
    const { kind: _, ...about } = posted;
    if (state === 'taken') log.info({ store }, 'a store is back');
    else log.warn({ store, ...about }, `a store ${SAID[state]}; lines for it will be lost`);
  };

  const send = async (parcel: Parcel): Promise<void> => {
    for (const pauseMs of [...o.retryPausesMs, null]) {
      const signal = AbortSignal.any([giveUp.signal, AbortSignal.timeout(o.deadlineMs)]);
      const posted = await parcel.send(signal);
      if (giveUp.signal.aborted && posted.kind === 'away') return leave(parcel, 'dropped');
      note(posted);
      if (posted.kind !== 'away') return leave(parcel, posted.kind === 'taken' ? 'sent' : 'refused');
      if (pauseMs === null) return leave(parcel, 'failed');
      await sleep(pauseMs, undefined, { signal: giveUp.signal }).catch(() => undefined);
      if (giveUp.signal.aborted) return leave(parcel, 'dropped');
      forwardRetries.inc({ store });
    }
  };

  const lane = async (): Promise<void> => {
    busyLanes += 1;
    for (let parcel = waiting.shift(); parcel !== undefined; parcel = waiting.shift()) {
      try {
        await send(parcel);
      } catch (error) {
        log.error({ err: error, store }, 'lines could not be sent');
        leave(parcel, 'failed');
      }
    }
    // At once, not when the promise is heard of: a parcel put in between would find all lanes busy and none to take it.
    busyLanes -= 1;
  };

  const drop = (parcel: Parcel | undefined): void => {
    if (parcel !== undefined) leave(parcel, 'dropped');
  };

  return {
    put(parcel) {
      bytes += parcel.bytes + OVERHEAD_BYTES;
      if (closed) return drop(parcel);
      waiting.push(parcel);
      while (bytes > o.maxBytes && waiting.length > 0) drop(waiting.shift());
      forwardQueued.set({ store }, bytes);
      if (busyLanes >= o.lanes || waiting.length === 0) return;
      const running = lane().finally(() => lanes.delete(running));
      lanes.add(running);
    },
    async stop(drainMs) {
      closed = true;
      const timer = setTimeout(() => giveUp.abort(), drainMs);
      giveUp.signal.addEventListener('abort', () => {
        for (let parcel = waiting.shift(); parcel !== undefined; parcel = waiting.shift()) drop(parcel);
      });
      await Promise.all(lanes);
      clearTimeout(timer);
    },
  };
}
