/** The backend's running half: NATS in, actors, PostgreSQL out; started and stopped in one place. */

import type { Pool } from '../store/pool.ts';
import { MAX_SNAPSHOT_BYTES } from '../wire/limits.ts';
import type { Stores } from './afterSync.ts';
import { createAfterSync } from './afterSync.ts';
import { provideWork, type Sync } from './clusterActor.ts';
import { createDatabaseGate } from './databaseGate.ts';
import { listenForHeartbeats } from './heartbeats.ts';
import { createInbox } from './inbox.ts';
import { clusterKey, createIngress } from './ingress.ts';
import type { Inspector } from './inspector.ts';
import { createInspector } from './inspector.ts';
import type { LiveReads } from './liveReads.ts';
import { createLiveReads, LIVE_TIMEOUT_MS } from './liveReads.ts';
import type { Log } from './log.ts';
import type { MaintenanceOptions } from './maintenance.ts';
import { startMaintenance } from './maintenance.ts';
import { connectNats, type NatsAddress } from './natsLink.ts';
import type { OutboxOptions } from './outbox.ts';
import { startPulling } from './pulling.ts';
import { createRegistry, type Registry } from './registry.ts';
import { createSettle, NAK_DELAYS_MS } from './settle.ts';
import { SYNC_TIMEOUT_MS, syncCluster } from './syncCluster.ts';

/** Waits and limits, in milliseconds and bytes; specs use seconds where production uses minutes. */
export interface SystemOptions {
  /** Messages worked on at once. */
  readonly lanes: number;
  /** After this silence JetStream delivers a message again; above `syncTimeoutMs`. */
  readonly ackWaitMs: number;
  readonly syncTimeoutMs: number;
  readonly nakDelaysMs: readonly number[];
  /** How long a snapshot may hold a lane while it waits for a slow one of its own cluster. */
  readonly turnPatienceMs: number;
  /** How long one pull waits for a message; also the longest that stopping waits for an idle lane. */
  readonly pullExpiresMs: number;
  readonly probeEveryMs: number;
  /** How long stopping waits for work that is under way. */
  readonly drainMs: number;
  readonly heartbeatFlushMs: number;
  readonly connectTimeoutMs: number;
  /** How long a live read may take, waiting for its turn included. */
  readonly liveTimeoutMs: number;
  readonly maintenance: MaintenanceOptions;
  /** Records of workloads that came or went (`PROXIMA_K8S_LIFECYCLE_RECORDS`). */
  readonly lifecycleRecords: boolean;
  readonly outbox: Partial<OutboxOptions>;
  readonly eventsMaxBytes: number;
  readonly maxSnapshotBytes: number;
  readonly now: () => Date;
}

const DEFAULTS: SystemOptions = {
  lanes: 2,
  ackWaitMs: 90_000,
  syncTimeoutMs: SYNC_TIMEOUT_MS,
  nakDelaysMs: NAK_DELAYS_MS,
  turnPatienceMs: 5_000,
  pullExpiresMs: 2_000,
  probeEveryMs: 1_000,
  drainMs: 5_000,
  heartbeatFlushMs: 1_000,
  connectTimeoutMs: 30_000,
  liveTimeoutMs: LIVE_TIMEOUT_MS,
  maintenance: {
    everyMs: 60_000,
    staleAfterMs: 15 * 60_000,
    eventRetentionMs: 24 * 3_600_000,
    changeRetentionMs: 90 * 24 * 3_600_000,
  },
  lifecycleRecords: false,
  outbox: {},
  eventsMaxBytes: 4 * 1024 ** 3,
  maxSnapshotBytes: MAX_SNAPSHOT_BYTES,
  now: () => new Date(),
};

export interface System {
  /** Connected to NATS, the stream answers, and the database is not known to be away. */
  ready(): boolean;
  readonly registry: Pick<Registry, 'list'>;
  readonly live: Pick<LiveReads, 'askLive'>;
  /** What the visualizer sees. */
  readonly inspector: Inspector;
  /**
   * Pulls no more, gives work under way `drainMs` to end, hands everything else back to JetStream at once, and closes the
   * connection. The pool stays open: it is the caller's.
   */
  stop(): Promise<void>;
}

/**
 * Connects, makes or updates stream and consumer, and begins to pull. Throws when NATS cannot be reached within
 * `connectTimeoutMs` or refuses the stream. `sync` is `syncCluster` unless a spec needs to stand in its way.
 */
export async function startSystem(o: {
  readonly pool: Pool;
  readonly nats: NatsAddress;
  readonly log: Log;
  /** Where copies of stored snapshots go; nowhere unless given. */
  readonly stores?: Stores;
  readonly sync?: Sync;
  readonly options?: Partial<SystemOptions>;
}): Promise<System> {
  const options: SystemOptions = { ...DEFAULTS, ...o.options };
  const { pool, log } = o;
  const { now } = options;
  const stream = { maxBytes: options.eventsMaxBytes, ackWaitMs: options.ackWaitMs };
  const link = await connectNats(o.nats, options.connectTimeoutMs, (event) =>
    log.warn(event, 'NATS connection'),
  );
  try {
    await link.ensureStream(stream);
  } catch (error) {
    await link.close();
    throw error;
  }

  const draining = new AbortController();
  const gate = createDatabaseGate({ pool, log, probeEveryMs: options.probeEveryMs });
  const inbox = createInbox({ workingEveryMs: options.ackWaitMs / 3, now });
  const settle = createSettle({ inbox, pool, gate, log, nakDelaysMs: options.nakDelaysMs, now });
  const afterSync = createAfterSync({
    stores: o.stores ?? { logs: null, metrics: null },
    log,
    outbox: options.outbox,
  });
  const live = createLiveReads({
    pool,
    link,
    tell: (key, event) => registry.tell(key, event),
    log,
    timeoutMs: options.liveTimeoutMs,
    now,
  });
  const machine = provideWork({
    pool,
    inbox,
    log,
    sync: o.sync ?? syncCluster,
    afterSync,
    live,
    lifecycleRecords: options.lifecycleRecords,
    syncTimeoutMs: options.syncTimeoutMs,
    now,
  });
  const inspector = createInspector({ now });
  const registry = createRegistry({ machine, settle, log, inspector });
  const receive = createIngress({
    pool,
    inbox,
    settle,
    log,
    maxSnapshotBytes: options.maxSnapshotBytes,
    turnPatienceMs: options.turnPatienceMs,
    now,
    draining: draining.signal,
    notify: (key, ticket) => registry.tell(key, { type: 'snapshot.arrived', ticket }),
  });
  const heartbeats = listenForHeartbeats({ link, pool, log, flushEveryMs: options.heartbeatFlushMs, now });
  const maintenance = startMaintenance({
    pool,
    gate,
    log,
    options: options.maintenance,
    now,
    onStale: (cluster, before) =>
      registry.tell(clusterKey(cluster), {
        type: 'presence.check',
        clusterId: cluster.id,
        staleBefore: before.getTime(),
      }),
  });
  const pulling = startPulling({
    link,
    gate,
    receive,
    log,
    lanes: options.lanes,
    expiresMs: options.pullExpiresMs,
    stream,
  });

  const stop = async (): Promise<void> => {
    draining.abort();
    live.stop();
    inspector.close();
    gate.stop();
    await maintenance.stop();
    await Promise.all([heartbeats.stop(), pulling.pause(), endedWithin(options.drainMs, pulling.ended())]);
    await Promise.all(inbox.tickets().map((ticket) => settle(ticket, { outcome: 'abandoned' })));
    await pulling.ended();
    registry.stop();
    await Promise.all([afterSync.stop(options.drainMs), link.close()]);
  };
  let stopped: Promise<void> | undefined;
  return {
    ready: () => link.isConnected() && pulling.isUp() && !gate.isAway() && !draining.signal.aborted,
    registry,
    live,
    inspector,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Resolves when the work has ended or the time is up. */
async function endedWithin(ms: number, work: Promise<void>): Promise<void> {
  const { promise: up, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, up]);
  clearTimeout(timer);
}
