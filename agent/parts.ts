/** What a running agent consists of, as far as its probes and `/debug/state` ask for it. */

import type { AgentConfig } from './config.ts';
import type { Election, ElectionState } from './leader.ts';
import type { NatsLink } from './natsLink.ts';
import type { Readiness } from './probes.ts';
import type { ScheduleState } from './schedule.ts';
import type { Session } from './session.ts';
import type { Sync, SyncReport } from './sync.ts';
import { AGENT_VERSION } from './version.ts';

export interface Parts {
  session: Session | null;
  link: NatsLink | null;
  election: Election | null;
  sync: Sync | null;
  /** Ends when no sync is running; a new term waits for the last sync of the one before. */
  lastSync: Promise<void>;
  lastReport: SyncReport | null;
  /** Of the schedule of the term under way. */
  schedule: (() => ScheduleState) | null;
  /** The life has entered a state of its machine. */
  entered(state: unknown): void;
  readiness(): Readiness;
  /** For people at 3 a.m.: names and figures, no secret. */
  debugState(config: AgentConfig): DebugState;
}

export interface DebugState {
  readonly state: unknown;
  readonly since: string;
  readonly version: string;
  readonly name: string;
  readonly cluster_slug: string;
  readonly agent_id: string | null;
  readonly enrolled: boolean;
  readonly connected: boolean;
  /** Null where no election is held. */
  readonly election: ElectionState | null;
  readonly sync: (ScheduleState & { readonly last: SyncReport | null }) | null;
}

export function createParts(now: () => Date = () => new Date()): Parts {
  let state: unknown = 'enrolling';
  let text = JSON.stringify(state);
  let since = now().toISOString();
  const parts: Parts = {
    session: null,
    link: null,
    election: null,
    sync: null,
    lastSync: Promise.resolve(),
    lastReport: null,
    schedule: null,
    entered(entered) {
      const written = JSON.stringify(entered);
      if (written === text) return;
      text = written;
      state = entered;
      since = now().toISOString();
    },
    readiness: () => ({
      enrolled: parts.session !== null,
      connected: parts.link?.isConnected() ?? false,
    }),
    debugState: (config) => ({
      state,
      since,
      version: AGENT_VERSION,
      name: config.agentName,
      cluster_slug: config.clusterSlug,
      agent_id: parts.session?.enrollment().agent_id ?? null,
      ...parts.readiness(),
      election: parts.election?.state() ?? null,
      sync:
        parts.schedule === null && parts.lastReport === null
          ? null
          : { ...(parts.schedule?.() ?? { running_since: null, next_at: null }), last: parts.lastReport },
    }),
  };
  return parts;
}
