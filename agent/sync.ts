/** One sync: the cluster collected, put into an envelope, published; the outcome logged and counted (OB-02 to OB-12). */

import type { CoverageBlock, CoverageState } from '../wire/coverage.ts';
import { kinds } from '../wire/kinds/index.ts';
import type { Epoch, SnapshotBody } from '../wire/snapshot.ts';
import type { Sender } from '../wire/subjects.ts';
import type { AgentConfig } from './config.ts';
import { instant } from './instant.ts';
import type { KubeApi } from './kubeApi.ts';
import type { Log } from './log.ts';
import type { AgentMetrics } from './metrics.ts';
import type { NatsLink } from './natsLink.ts';
import type { PublishOutcome, PublishWaits } from './publish.ts';
import { publishSnapshot } from './publish.ts';
import type { Snapshots } from './snapshots.ts';
import { createSnapshots } from './snapshots.ts';

/** How a sync ended, with its figures; shown on `/debug/state`. */
export interface SyncReport {
  readonly outcome: PublishOutcome['kind'];
  /** Why it failed, in a word or two; null otherwise. `deadline` when its time was up. */
  readonly reason: string | null;
  /** The snapshot's time: when the collection began. */
  readonly timestamp: string;
  readonly duration_ms: number;
  /** The last part that was dropped for size; null when nothing was. */
  readonly shed: PublishOutcome['shed'];
  /** JSON size of the complete inventory, and what travelled; null when it did not come to that. */
  readonly json_bytes: number | null;
  readonly wire_bytes: number | null;
  /** Objects collected, by resource type. */
  readonly counts: Readonly<Record<string, number>>;
  /** Resources that the snapshot does not hold whole, and how each was read. */
  readonly incomplete: Readonly<Record<string, CoverageState>>;
}

export interface SyncRun {
  /** Ends the sync: its own deadline. */
  readonly signal: AbortSignal;
  /** Which leader this is; null without leader election. */
  readonly epoch: Epoch | null;
  /** Asked again right before each attempt to publish. */
  mayPublish(): boolean;
}

export interface Sync {
  /** Never rejects: a sync that fails publishes nothing, is logged and counted, and the next one tries again. */
  run(o: SyncRun): Promise<SyncReport>;
}

export interface SyncParts {
  readonly config: AgentConfig;
  readonly api: KubeApi;
  readonly link: NatsLink;
  from(): Sender;
  /** Content encodings that the backend takes, as it said last. */
  accepts(): readonly string[];
  readonly metrics: AgentMetrics;
  readonly log: Log;
  readonly waits?: PublishWaits;
}

/** The syncs of one connection. */
export function createSync(o: SyncParts): Sync {
  const snapshots = createSnapshots(o.api, o.config, o.log);
  return {
    async run(run) {
      const startedAt = performance.now();
      const at = new Date();
      const timestamp = instant(at);
      const collected: Collected = { counts: {}, incomplete: {} };
      let end: Ended;
      try {
        end = await collectAndPublish(o, snapshots, run, at, collected);
      } catch (err) {
        const reason = run.signal.aborted ? 'deadline' : 'collection';
        o.log.error({ err, timestamp, ...collected }, `${FAULTS[reason]}; nothing was published`);
        end = { kind: 'failed', reason, completeBytes: null, shed: null };
      }
      const durationMs = performance.now() - startedAt;
      o.metrics.syncEnded({
        outcome: end.kind,
        seconds: durationMs / 1000,
        at: new Date(),
      });
      const report: SyncReport = {
        outcome: end.kind,
        reason: end.kind === 'failed' ? end.reason : null,
        timestamp,
        duration_ms: Math.round(durationMs),
        shed: end.shed,
        json_bytes: end.completeBytes,
        wire_bytes: end.kind === 'published' ? end.wireBytes : null,
        ...collected,
      };
      logEnd(o.log, end, report);
      return report;
    },
  };
}

/** What is known of the collection, also when publishing fails later. */
interface Collected {
  counts: Readonly<Record<string, number>>;
  incomplete: Readonly<Record<string, CoverageState>>;
}

type Ended =
  | PublishOutcome
  | {
      readonly kind: 'failed';
      readonly reason: keyof typeof FAULTS;
      readonly completeBytes: null;
      readonly shed: null;
    };

async function collectAndPublish(
  o: SyncParts,
  snapshots: Snapshots,
  run: SyncRun,
  at: Date,
  collected: Collected,
): Promise<PublishOutcome> {
  const { metrics } = o;
  const from = o.from();
  const snapshot = await snapshots.take({ ...run, agentId: from.agentId, at });
  const { data, coverage } = snapshot;
  collected.counts = countsOf(data);
  collected.incomplete = incompleteOf(coverage);
  metrics.collected(collected.counts, coverage);
  const outcome = await publishSnapshot({
    link: o.link,
    from,
    snapshot,
    accepts: o.accepts(),
    mayPublish: run.mayPublish,
    signal: run.signal,
    ...(o.waits === undefined ? {} : { waits: o.waits }),
  });
  metrics.encoded({
    completeBytes: outcome.completeBytes,
    wireBytes: outcome.kind === 'published' ? outcome.wireBytes : null,
    maxPayload: o.link.maxPayload(),
  });
  if (outcome.shed !== null) metrics.tooLarge(outcome.shed);
  return outcome;
}

const countsOf = (data: SnapshotBody): Readonly<Record<string, number>> => ({
  ...Object.fromEntries(
    kinds.map(({ name }) => [name, (data[name as keyof SnapshotBody] as readonly unknown[]).length]),
  ),
  applications: data.argocd?.applications.length ?? 0,
});

const incompleteOf = (coverage: CoverageBlock): Readonly<Record<string, CoverageState>> =>
  Object.fromEntries(
    Object.entries(coverage)
      .filter(([, { state }]) => state !== 'complete' && state !== 'absent')
      .map(([resource, { state }]) => [resource, state]),
  );

const FAULTS = {
  deadline: 'the sync took longer than it may',
  collection: 'the inventory could not be collected',
} as const;

const REMEDY = 'lower PROXIMA_K8S_POD_LIMIT or raise max_payload of the NATS server';

function logEnd(log: Log, end: Ended, report: SyncReport): void {
  switch (end.kind) {
    case 'published':
      if (end.shed === null) log.info(report, 'the inventory was collected and published');
      else
        log.warn(
          report,
          `the inventory was published with parts dropped, to fit into one message; ${REMEDY}`,
        );
      return;
    case 'too_large':
      log.error(
        { ...report, limit: end.limit },
        `ErrPayloadTooLarge: the inventory does not fit into one message; ${REMEDY}`,
      );
      return;
    case 'not_leading':
      log.info(report, 'the inventory was collected but not published: this agent no longer leads');
      return;
    case 'failed':
      // One that failed earlier was logged with its error.
      if (end.completeBytes !== null) log.error(report, 'the inventory could not be published');
  }
}
