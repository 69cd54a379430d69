/** Whether a cluster's agent can be asked now, and which of them (LV-18 to LV-20, LV-23, X-14, X-46). */

import type { KubeQuery } from '../wire/kubeQuery.ts';
import { OFFLINE_AFTER_SECONDS } from '../wire/limits.ts';
import type { Epoch } from '../wire/snapshot.ts';
import { isAtLeast } from './version.ts';

/** The agent's record, as far as the gate looks at it. */
export interface GatedAgent {
  readonly id: string;
  readonly agent_version: string | null;
  readonly last_heartbeat_at: Date | null;
  readonly epoch: Epoch | null;
}

export type LiveGate =
  | { readonly kind: 'ask'; readonly agent: GatedAgent }
  | { readonly kind: 'no_agent' }
  | { readonly kind: 'agent_offline'; readonly lastSeenAt: Date | null }
  | { readonly kind: 'agent_too_old'; readonly required: string; readonly actual: string | null };

/** From this version on an agent reads manifests and revisions, and honours `since_time` and `timestamps`. */
const WHOLE = 'v0.8.0';
/** From this one on it reads logs. */
const PLAIN_LOGS = 'v0.7.12';

/** The version that a read needs; an older agent would leave `since_time` out in silence. */
const requiredFor = (query: Pick<KubeQuery, 'op' | 'since_time'>): string =>
  query.op === 'logs' && query.since_time === null ? PLAIN_LOGS : WHOLE;

/** True when this agent puts stamps before the lines of a log. */
export const stampsLines = (agent: Pick<GatedAgent, 'agent_version'>): boolean =>
  isAtLeast(agent.agent_version, WHOLE);

/**
 * Chooses among the agents bound to one cluster: the one that was heard of within 45 s under the highest epoch. Epochs of
 * one Lease are ordered by its transitions; of two Leases the one heard of last counts.
 */
export function liveGate(
  agents: readonly GatedAgent[],
  query: Pick<KubeQuery, 'op' | 'since_time'>,
  now: Date,
): LiveGate {
  if (agents.length === 0) return { kind: 'no_agent' };
  const byRecency = [...agents].sort((a, b) => seenAt(b) - seenAt(a));
  const [newest] = byRecency;
  const fresh = byRecency.filter((agent) => now.getTime() - seenAt(agent) < OFFLINE_AFTER_SECONDS * 1000);
  const [latest] = fresh;
  if (latest === undefined) return { kind: 'agent_offline', lastSeenAt: newest?.last_heartbeat_at ?? null };
  const ofLease = fresh.filter((agent) => agent.epoch?.lease_uid === latest.epoch?.lease_uid);
  const leader = ofLease.reduce((best, agent) => (transitionsOf(agent) > transitionsOf(best) ? agent : best));
  const required = requiredFor(query);
  if (isAtLeast(leader.agent_version, required)) return { kind: 'ask', agent: leader };
  return { kind: 'agent_too_old', required, actual: leader.agent_version };
}

const seenAt = (agent: GatedAgent): number => agent.last_heartbeat_at?.getTime() ?? Number.NEGATIVE_INFINITY;
const transitionsOf = (agent: GatedAgent): number => agent.epoch?.transitions ?? 0;
