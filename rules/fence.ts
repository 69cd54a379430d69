/** Which snapshot is newer (contracts.md section 1, D11). */

import { FUTURE_STAMP_LIMIT_MS } from '../wire/limits.ts';
import type { Epoch } from '../wire/snapshot.ts';

/** What a cluster's row remembers of its last stored snapshot; `snapshotAt` is null before the first. */
export interface Fence {
  readonly snapshotAt: Date | null;
  readonly epoch: Epoch | null;
  /** Latest time that its facts and records carry; later than `snapshotAt` once an epoch has won over a slow clock. */
  readonly recordedAt: Date | null;
}

/** A snapshot's place in the order, its stamp already clamped. */
export interface Arrival {
  readonly stamp: Date;
  readonly epoch: Epoch | null;
}

export type FenceVerdict =
  /** `effectiveAt` is the time for facts and change records: the stamp, moved behind what is stored where need be. */
  | { readonly kind: 'newer'; readonly effectiveAt: Date }
  /** The stored snapshot again: its rows are written anew (a no-op), nothing is recorded. */
  | { readonly kind: 'replay'; readonly effectiveAt: Date }
  | { readonly kind: 'superseded' };

/**
 * Holds an arriving snapshot against the stored one. Under one Lease the higher transition count wins whatever its clock
 * says, so that a leader with a slow clock does not freeze its cluster after a failover; until its clock has caught up,
 * its facts and records follow the last ones by a millisecond each. Under different Leases, or
 * without one, only the stamps can decide: a Lease made anew counts from 0 again.
 */
export function compareWithFence(fence: Fence, arrival: Arrival): FenceVerdict {
  if (fence.snapshotAt === null) return { kind: 'newer', effectiveAt: arrival.stamp };
  const stored = fence.snapshotAt.getTime();
  const arrived = arrival.stamp.getTime();
  const order = epochOrder(fence.epoch, arrival.epoch) || Math.sign(arrived - stored);
  if (order < 0) return { kind: 'superseded' };
  if (order === 0) return { kind: 'replay', effectiveAt: arrival.stamp };
  const recorded = fence.recordedAt?.getTime() ?? Number.NEGATIVE_INFINITY;
  return { kind: 'newer', effectiveAt: new Date(Math.max(arrived, stored + 1, recorded + 1)) };
}

/** 1 when `b` is of a later epoch than `a`, -1 when of an earlier, 0 when epochs cannot tell. */
function epochOrder(a: Epoch | null, b: Epoch | null): number {
  if (a === null || b === null || a.lease_uid !== b.lease_uid) return 0;
  return Math.sign(b.transitions - a.transitions);
}

/**
 * A stamp at most one minute ahead of the reference (CH-32). The reference is the earlier of the backend's clock and the
 * time at which JetStream took the message, so that a redelivery is clamped as the first delivery was.
 */
export function clampStamp(
  stamp: Date,
  clocks: { readonly now: Date; readonly publishedAt: Date },
): { readonly stamp: Date; readonly clamped: boolean } {
  const latest = Math.min(clocks.now.getTime(), clocks.publishedAt.getTime()) + FUTURE_STAMP_LIMIT_MS;
  if (stamp.getTime() <= latest) return { stamp, clamped: false };
  return { stamp: new Date(latest), clamped: true };
}
