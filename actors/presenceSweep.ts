/**
 * The sweep behind presence (ST-01): one query over the database, so that a cluster that no actor has touched since a
 * restart is found too. Each find is put to the cluster's actor, which decides and writes.
 */

import type { Pool } from '../store/pool.ts';
import { findStaleClusters } from '../store/staleness.ts';
import type { DatabaseGate } from './databaseGate.ts';
import { clusterKey } from './ingress.ts';
import type { Log } from './log.ts';

/** Sweeps every `everyMs` while the database is there. `stop` waits for a query under way. */
export function startPresenceSweep(o: {
  readonly pool: Pool;
  readonly gate: Pick<DatabaseGate, 'isOpen'>;
  readonly log: Log;
  readonly everyMs: number;
  readonly staleAfterMs: number;
  readonly now: () => Date;
  /** `staleBefore` in milliseconds since the epoch. */
  readonly check: (key: string, clusterId: string, staleBefore: number) => void;
}): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const sweep = async (): Promise<void> => {
    const before = new Date(o.now().getTime() - o.staleAfterMs);
    try {
      for (const cluster of await findStaleClusters(o.pool, before)) {
        o.check(clusterKey(cluster), cluster.id, before.getTime());
      }
    } catch (error) {
      // The next sweep asks again; nothing but the age of a badge depends on it.
      o.log.warn({ err: error }, 'stale clusters could not be looked for');
    }
  };
  const timer = setInterval(() => {
    if (!o.gate.isOpen() || running !== undefined) return;
    running = sweep().finally(() => {
      running = undefined;
    });
  }, o.everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
