import { OFFLINE_AFTER_SECONDS } from '../wire/limits.ts';

export const AGENT_STATUSES = ['connected', 'standby', 'offline'] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

const isFresh = (heartbeatAt: Date | null, now: Date): boolean =>
  heartbeatAt !== null && now.getTime() - heartbeatAt.getTime() < OFFLINE_AFTER_SECONDS * 1000;

/**
 * How an agent shows in the fleet: `connected` with a heartbeat within 45 s; `standby` when it has none but an agent of
 * its cluster has, because only the leader sends them; else `offline`.
 *
 * `clusterHeartbeatAt` is the newest heartbeat of any agent of the cluster.
 */
export function agentStatus(
  heartbeats: { heartbeatAt: Date | null; clusterHeartbeatAt: Date | null },
  now: Date,
): AgentStatus {
  if (isFresh(heartbeats.heartbeatAt, now)) return 'connected';
  return isFresh(heartbeats.clusterHeartbeatAt, now) ? 'standby' : 'offline';
}
