/**
 * What the backend does by the clock (seed 004, "Stale Cluster Detection"): silent clusters, old events, old change
 * records. It asks the database, so a cluster that no actor has touched since a restart is found too.
 */

import type { Db, Pool } from '../store/pool.ts';
import { BATCH_ROWS, deleteOldChanges, deleteOldEvents } from '../store/retention.ts';
import type { StaleCluster } from '../store/staleness.ts';
import { markStaleClusters } from '../store/staleness.ts';
import { inTransaction } from '../store/tx.ts';
import type { DatabaseGate } from './databaseGate.ts';
import type { Log } from './log.ts';
import { rowsExpired } from './metrics.ts';

export interface MaintenanceOptions {
  readonly everyMs: number;
  /** A cluster without a snapshot for this long is disconnected (ST-01). */
  readonly staleAfterMs: number;
  readonly eventRetentionMs: number;
  readonly changeRetentionMs: number;
}

/** Any constant will do: of several backends only one does the work of a moment. */
const LOCK = 7_061_942_156;
const STEP_TIMEOUT_MS = 15_000;
/** What is left then is done by the next round: a million old rows must not become one long afternoon. */
const BATCHES_PER_ROUND = 20;

/**
 * Does a round every `everyMs` while the database is there, beginning after the first `everyMs`. Several backends may run
 * it: whoever finds the lock taken skips the step, and a step done twice does nothing. `stop` waits for a step under way.
 */
export function startMaintenance(o: {
  readonly pool: Pool;
  readonly gate: Pick<DatabaseGate, 'isOpen'>;
  readonly log: Log;
  readonly options: MaintenanceOptions;
  readonly now: () => Date;
  /** Hears of every cluster that was marked, and up to which time it should have been heard of. */
  readonly onStale: (cluster: StaleCluster, before: Date) => void;
}): { stop(): Promise<void> } {
  const { options, pool, log } = o;
  let stopping = false;
  let running: Promise<void> | undefined;

  const markSilent = async (): Promise<void> => {
    const before = ago(o.now(), options.staleAfterMs);
    const marked = (await alone(pool, (db) => markStaleClusters(db, before))) ?? [];
    if (marked.length === 0) return;
    log.info({ count: marked.length }, 'marked stale clusters disconnected');
    for (const cluster of marked) o.onStale(cluster, before);
  };

  const expire = async (table: string, retentionMs: number, step: typeof deleteOldEvents): Promise<void> => {
    const before = ago(o.now(), retentionMs);
    let total = 0;
    for (let batch = 0; batch < BATCHES_PER_ROUND && !stopping; batch += 1) {
      const deleted = (await alone(pool, (db) => step(db, before))) ?? 0;
      total += deleted;
      if (deleted < BATCH_ROWS) break;
    }
    if (total === 0) return;
    rowsExpired.inc({ table }, total);
    log.info({ table, count: total }, 'deleted rows past their retention');
  };

  const round = async (): Promise<void> => {
    const steps = [
      markSilent,
      () => expire('k8s_events', options.eventRetentionMs, deleteOldEvents),
      () => expire('change_events', options.changeRetentionMs, deleteOldChanges),
    ];
    for (const step of steps) {
      try {
        if (!stopping) await step();
      } catch (error) {
        // The next round does it again; one step's trouble is not another's.
        log.warn({ err: error }, 'maintenance could not do a step');
      }
    }
  };

  const timer = setInterval(() => {
    if (!o.gate.isOpen() || running !== undefined) return;
    running = round().finally(() => {
      running = undefined;
    });
  }, options.everyMs);
  return {
    async stop() {
      stopping = true;
      clearInterval(timer);
      await running;
    },
  };
}

const ago = (now: Date, ms: number): Date => new Date(now.getTime() - ms);

/** Runs a step in a transaction while no other backend runs one; null when another does. */
const alone = <T>(pool: Pool, step: (db: Db) => Promise<T>): Promise<T | null> =>
  inTransaction(pool, STEP_TIMEOUT_MS, async (db) => {
    const { rows } = await db.query<{ alone: boolean }>('select pg_try_advisory_xact_lock($1) as alone', [
      LOCK,
    ]);
    return rows[0]?.alone === true ? step(db) : null;
  });

/** Why the settings would show clusters as disconnected that are well; null when they do not. */
export const hastyThreshold = (staleAfterMs: number, syncIntervalMs: number): string | null =>
  staleAfterMs < 2 * syncIntervalMs
    ? 'PROXIMA_K8S_STALE_AFTER is below two sync intervals: one lost snapshot shows a cluster as disconnected'
    : null;
