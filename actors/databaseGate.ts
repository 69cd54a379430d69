/** Pulling pauses while the database is away: a message that is not pulled needs no nak (contracts.md section 2). */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '../store/pool.ts';
import type { Log } from './log.ts';

export interface DatabaseGate {
  isOpen(): boolean;
  /** A probe failed, and none has succeeded since. A gate that is closed for a look is not away. */
  isAway(): boolean;
  /** Something failed that may be the database: closes, probes, and opens again when it answers. */
  suspect(): void;
  /** Resolves when it is open, or when the gate was stopped. */
  opened(): Promise<void>;
  stop(): void;
}

/** Probes every `probeEveryMs`; the pool's own connect timeout bounds a probe. */
export function createDatabaseGate(o: {
  readonly pool: Pool;
  readonly log: Log;
  readonly probeEveryMs: number;
}): DatabaseGate {
  const stopping = new AbortController();
  let probing: Promise<void> | null = null;
  let away = false;

  const probe = async (): Promise<void> => {
    for (let failures = 0; !stopping.signal.aborted; failures += 1) {
      try {
        await o.pool.query('select 1');
        away = false;
        if (failures > 0) o.log.info({ failures }, 'the database is back, pulling goes on');
        return;
      } catch (error) {
        away = true;
        if (failures === 0) o.log.error({ err: error }, 'the database is away, pulling pauses');
      }
      await sleep(o.probeEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };

  return {
    isOpen: () => probing === null,
    isAway: () => away,
    suspect() {
      if (probing !== null || stopping.signal.aborted) return;
      probing = probe().finally(() => {
        probing = null;
      });
    },
    opened: () => probing ?? Promise.resolve(),
    stop: () => stopping.abort(),
  };
}
