/** What follows a stored snapshot, outside of its transaction (design section 5): copies for the log and metric stores. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { eventLine } from '../rules/eventLine.ts';
import { replicaSamples } from '../rules/replicaSamples.ts';
import { sanitizeText } from '../rules/scrub/text.ts';
import type { VictoriaLogs } from '../store/victoriaLogs.ts';
import type { VictoriaMetrics } from '../store/victoriaMetrics.ts';
import type { SnapshotBody } from '../wire/snapshot.ts';
import type { Log } from './log.ts';
import type { OutboxOptions } from './outbox.ts';
import { createOutbox, OUTBOX } from './outbox.ts';
import type { StoredCluster } from './syncCluster.ts';

/** The stores that are configured; null for one that is not. */
export interface Stores {
  readonly logs: VictoriaLogs | null;
  readonly metrics: VictoriaMetrics | null;
}

export interface AfterSync {
  /**
   * Makes the lines of a snapshot that was stored (a replay too: a crash may have come between commit and copy) and puts
   * them where they wait to be sent. `at` is the time of the snapshot. Resolves when they are made, however the stores are.
   */
  forward(
    cluster: StoredCluster,
    at: Date,
    snapshot: Pick<SnapshotBody, 'events' | 'workloads'>,
  ): Promise<void>;
  /** Gives what waits `drainMs` to be sent, and drops the rest. */
  stop(drainMs: number): Promise<void>;
}

/** Records handled between two turns of the event loop: looking for secrets in 50 messages takes some milliseconds. */
const PER_TURN = 50;

const compress = promisify(gzip);

/**
 * Forwards every event with a last-seen time (IN-31, IN-32) and two replica counts of every workload (IN-28). Lines wait
 * compressed: they hold the same few names many times over.
 */
export function createAfterSync(o: {
  readonly stores: Stores;
  readonly log: Log;
  readonly outbox?: Partial<OutboxOptions>;
}): AfterSync {
  const { logs, metrics } = o.stores;
  const limits = { ...OUTBOX, ...o.outbox };
  const toLogs = createOutbox('victoria_logs', o.log, limits);
  const toMetrics = createOutbox('victoria_metrics', o.log, limits);
  return {
    async forward(cluster, at, { events, workloads }) {
      const { tenant, environment_id } = cluster;
      const place = { cluster_id: cluster.id, cluster_name: cluster.name, environment_id };
      if (logs !== null) {
        const lines = await packed(events, (event) => eventLine(event, place, sanitizeText));
        if (lines !== null) {
          toLogs.put({ bytes: lines.length, send: (signal) => logs.insert(tenant, lines, signal) });
        }
      }
      if (metrics !== null) {
        const samples = await packed(workloads, (workload) => replicaSamples(workload, place, at));
        if (samples !== null) {
          toMetrics.put({ bytes: samples.length, send: (signal) => metrics.insert(tenant, samples, signal) });
        }
      }
    },
    async stop(drainMs) {
      await Promise.all([toLogs.stop(drainMs), toMetrics.stop(drainMs)]);
    },
  };
}

/** The texts of all records that have one, compressed; null when none has. */
async function packed<T>(
  records: readonly T[],
  toText: (record: T) => string | null,
): Promise<Buffer<ArrayBuffer> | null> {
  const texts: string[] = [];
  for (const [index, record] of records.entries()) {
    if (index > 0 && index % PER_TURN === 0) await nextTurn();
    const text = toText(record);
    if (text !== null) texts.push(text);
  }
  return texts.length === 0 ? null : ((await compress(texts.join(''), { level: 1 })) as Buffer<ArrayBuffer>);
}
