/** One term of a leader: syncs and heartbeats, both under its epoch (HA-02, D11). */

import type { Term } from '../machines/collector.ts';
import type { AgentConfig } from './config.ts';
import { startHeartbeat } from './heartbeat.ts';
import type { Parts } from './parts.ts';
import { startSchedule } from './schedule.ts';
import { AGENT_VERSION } from './version.ts';

/** A sync's own limit, on which stopping has no effect; keep terminationGracePeriodSeconds above it. */
const SYNC_DEADLINE_MS = 150_000;

/**
 * Syncs at once and then at every interval, and says every few seconds that the leader lives. The returned function ends
 * both at once; `parts.lastSync` tells when the sync that was running then has ended.
 */
export function startTerm(
  o: { readonly config: AgentConfig; readonly parts: Parts },
  { epoch }: Term,
): () => void {
  const { config, parts } = o;
  const { session, link, sync } = parts;
  if (session === null || link === null || sync === null)
    throw new Error('a term begins before the connection');
  const { agent_id: agentId, client, environment, heartbeat_seconds } = session.enrollment();
  const leads = (): boolean => epoch === null || (parts.election?.leadsUnder(epoch) ?? false);
  const stopHeartbeat = startHeartbeat({
    link,
    from: { client, environment, agentId },
    agentVersion: AGENT_VERSION,
    clusterSlug: config.clusterSlug,
    epoch,
    everyMs: heartbeat_seconds * 1000,
    mayBeat: leads,
  });
  const schedule = startSchedule({
    intervalMs: config.syncIntervalMs,
    deadlineMs: SYNC_DEADLINE_MS,
    // A term before this one may still be collecting: two at a time would be twice the memory.
    after: parts.lastSync,
    async run(signal) {
      parts.lastReport = await sync.run({ signal, epoch, mayPublish: leads });
    },
  });
  parts.schedule = schedule.state;
  return () => {
    stopHeartbeat();
    parts.lastSync = schedule.stop();
    parts.schedule = null;
  };
}
