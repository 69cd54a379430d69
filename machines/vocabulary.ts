/**
 * The words of the cluster machine: what it knows, hears and says, and which work it can start (design section 4).
 * Events are facts or requests with the time inside them; they carry a ticket, never what the ticket stands for, so that
 * context, inspection and visualizer stay small and free of customer data (D5).
 */

import { fromPromise, setup } from 'xstate';

/** Stands for a message or a request that waits in an inbox. */
export type Ticket = string;

/** How a snapshot ended; what JetStream is told follows from it (design section 5). */
export type Outcome =
  | { readonly outcome: 'stored' | 'superseded' | 'abandoned' | 'ignored' }
  /** `reason` is a label of the outcome counter; `detail` says where, and never quotes a value. */
  | { readonly outcome: 'rejected' | 'failed'; readonly reason: string; readonly detail?: string };

/** How a live read ended; its answer waits with the asker. */
export type LiveOutcome = 'answered' | 'not_available' | 'failed';

/** What the cluster's row says about its agent. */
export type AgentStatus = 'connected' | 'disconnected';

/** Live reads of one cluster that may be under way at once (D6). */
export const LIVE_LANES = 4;

export interface LiveNotice {
  readonly ticket: Ticket;
  /** Milliseconds since 1970; waiting counts against the read's deadline. */
  readonly askedAt: number;
}

export interface ClusterContext {
  /** Snapshots that wait for the one under way, oldest first. */
  readonly snapshots: readonly Ticket[];
  /** The snapshot under way. */
  readonly syncing: Ticket | null;
  /** Live reads that wait for a lane, oldest first. */
  readonly reads: readonly LiveNotice[];
  /** Live reads under way, at most `LIVE_LANES`. */
  readonly lanes: readonly Ticket[];
}

/** Asks whether the last snapshot of a cluster (its row's id) is older than a time, in milliseconds since 1970. */
export interface PresenceCheck {
  readonly clusterId: string;
  readonly staleBefore: number;
}

export type ClusterEvent =
  | { readonly type: 'snapshot.arrived'; readonly ticket: Ticket }
  | { readonly type: 'snapshot.stored' }
  | { readonly type: 'live.asked'; readonly ticket: Ticket; readonly askedAt: number }
  | ({ readonly type: 'presence.check' } & PresenceCheck);

export type ClusterEmitted =
  | { readonly type: 'sync.settled'; readonly ticket: Ticket; readonly outcome: Outcome }
  | { readonly type: 'live.settled'; readonly ticket: Ticket; readonly outcome: LiveOutcome };

/** Bare machines run nothing: `actors/clusterActor` provides the work. */
const notProvided = (name: string) => (): never => {
  throw new Error(`${name} is not provided`);
};

/** The one `setup()`: every region is written with these types and this work. */
export const vocabulary = setup({
  types: {
    context: {} as ClusterContext,
    events: {} as ClusterEvent,
    emitted: {} as ClusterEmitted,
  },
  actors: {
    syncCluster: fromPromise<Outcome, { readonly ticket: Ticket }>(notProvided('syncCluster')),
    readLive: fromPromise<LiveOutcome, LiveNotice>(notProvided('readLive')),
    markStale: fromPromise<AgentStatus, PresenceCheck>(notProvided('markStale')),
  },
  guards: {
    hasSnapshot: ({ context }) => context.snapshots.length > 0,
  },
});
