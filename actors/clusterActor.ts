/** The work of a cluster's actor: what the statechart only names is provided here (design section 4). */

import { fromPromise } from 'xstate';
import type { ClusterMachine } from '../machines/cluster.ts';
import { clusterMachine } from '../machines/cluster.ts';
import type {
  AgentStatus,
  LiveNotice,
  LiveOutcome,
  Outcome,
  PresenceCheck,
  Ticket,
} from '../machines/vocabulary.ts';
import type { Pool } from '../store/pool.ts';
import { markStale } from '../store/staleness.ts';
import { TransactionTimeout } from '../store/tx.ts';
import type { AfterSync } from './afterSync.ts';
import type { Inbox } from './inbox.ts';
import type { LiveReads } from './liveReads.ts';
import type { Log } from './log.ts';
import {
  clustersSynced,
  duplicatesFolded,
  nodeHostLinkage,
  nodesSynced,
  specFactsNotNewer,
  workloadsSynced,
} from './metrics.ts';
import type { SyncInput, SyncOptions, SyncOutcome } from './syncCluster.ts';

/** As `syncCluster` of its own module; a spec may put something before or in place of it. */
export type Sync = (pool: Pool, input: SyncInput, options: SyncOptions) => Promise<SyncOutcome>;

export interface ClusterWork {
  readonly pool: Pool;
  readonly inbox: Inbox;
  readonly log: Log;
  readonly sync: Sync;
  readonly afterSync: Pick<AfterSync, 'forward'>;
  readonly live: Pick<LiveReads, 'read'>;
  readonly syncTimeoutMs: number;
  readonly lifecycleRecords: boolean;
  readonly now: () => Date;
}

type Stored = Extract<SyncOutcome, { outcome: 'stored' }>;

/** The transaction has its own limit; this one only keeps a lost promise from holding a lane for ever. */
const GRACE_MS = 15_000;

/** The cluster machine with its work. */
export const provideWork = (work: ClusterWork): ClusterMachine =>
  clusterMachine.provide({
    actors: {
      syncCluster: fromPromise<Outcome, { readonly ticket: Ticket }>(({ input }) =>
        work.inbox.within(input.ticket, () => storeSnapshot(work, input.ticket)),
      ),
      readLive: fromPromise<LiveOutcome, LiveNotice>(({ input }) => work.live.read(input.ticket)),
      markStale: fromPromise<AgentStatus, PresenceCheck>(async ({ input }) => {
        const marked = await markStale(work.pool, input.clusterId, new Date(input.staleBefore));
        return marked?.status ?? 'disconnected';
      }),
    },
  });

async function storeSnapshot(work: ClusterWork, ticket: Ticket): Promise<Outcome> {
  const held = work.inbox.begin(ticket);
  // Settled in the meantime: the process is draining.
  if (held === null) return { outcome: 'abandoned' };
  try {
    const outcome = await within(
      work.syncTimeoutMs + GRACE_MS,
      work.sync(work.pool, held, {
        now: work.now,
        timeoutMs: work.syncTimeoutMs,
        lifecycleRecords: work.lifecycleRecords,
      }),
    );
    if (outcome.outcome !== 'rejected' && outcome.clamped) {
      work.log.warn({ cluster: outcome.clusterId }, 'kubernetes snapshot stamped in the future, clamped');
    }
    if (outcome.outcome === 'superseded') specFactsNotNewer.inc(outcome.factsNotNewer);
    if (outcome.outcome === 'stored') {
      count(held, outcome);
      await forward(work, held, outcome);
    }
    return outcome.outcome === 'rejected' ? outcome : { outcome: outcome.outcome };
  } catch (error) {
    work.log.error({ err: error, agent: held.agent.id }, 'a snapshot could not be stored');
    return { outcome: 'failed', reason: error instanceof TransactionTimeout ? 'timeout' : 'database' };
  }
}

/** The snapshot is stored whatever becomes of its copies. */
async function forward(
  { afterSync, log }: ClusterWork,
  { snapshot }: SyncInput,
  stored: Stored,
): Promise<void> {
  try {
    await afterSync.forward(stored.cluster, stored.at, snapshot.data);
  } catch (error) {
    log.error({ err: error, cluster: stored.clusterId }, 'a stored snapshot could not be forwarded');
  }
}

function count({ snapshot, folded }: SyncInput, { linkedNodes, facts }: Stored): void {
  clustersSynced.inc();
  nodesSynced.inc(snapshot.data.nodes.length);
  workloadsSynced.inc(snapshot.data.workloads.length);
  specFactsNotNewer.inc(facts.notNewer);
  duplicatesFolded.inc(folded);
  nodeHostLinkage.inc({ result: 'linked' }, linkedNodes);
  nodeHostLinkage.inc({ result: 'unlinked' }, snapshot.data.nodes.length - linkedNodes);
}

async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new TransactionTimeout(timeoutMs)), timeoutMs);
  // Work that a drain left behind must not keep the process.
  timer.unref();
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
