/** Which agents are alive (EN-12, contracts.md section 3). */

import { setTimeout as sleep } from 'node:timers/promises';
import { recordHeartbeat } from '../store/agents.ts';
import type { Pool } from '../store/pool.ts';
import { keepRejected } from '../store/rejected.ts';
import { checkHeartbeat } from '../wire/heartbeat.ts';
import type { Sender } from '../wire/subjects.ts';
import { HEARTBEAT_SUBJECTS, parseDataSubject } from '../wire/subjects.ts';
import type { Log } from './log.ts';
import { ingestOutcomes } from './metrics.ts';
import type { NatsLink } from './natsLink.ts';
import { checkSender } from './senders.ts';

/** A true one has 300 bytes. */
const MAX_BYTES = 4096;

interface Heard {
  readonly from: Sender;
  readonly bytes: Uint8Array;
  readonly at: Date;
}

export interface Heartbeats {
  /** Stops listening; resolves when nothing is being written any more. */
  stop(): Promise<void>;
}

/**
 * Listens, and every `flushEveryMs` writes the newest heartbeat of each subject, so that neither a burst nor a flood costs
 * more than one write per agent and period. A faulty one is counted, and kept aside like a rejected snapshot. While the
 * database is away they are lost; the next ones come within seconds.
 */
export function listenForHeartbeats(o: {
  readonly link: NatsLink;
  readonly pool: Pool;
  readonly log: Log;
  readonly flushEveryMs: number;
  readonly now: () => Date;
}): Heartbeats {
  let heard = new Map<string, Heard>();
  const stopping = new AbortController();
  const unsubscribe = o.link.subscribe(HEARTBEAT_SUBJECTS, (subject, bytes) => {
    const from = parseDataSubject(subject);
    if (from !== null) heard.set(subject, { from, bytes, at: o.now() });
  });

  const flush = async (): Promise<void> => {
    const batch = heard;
    heard = new Map();
    for (const [subject, heartbeat] of batch) {
      try {
        const fault = await record(o.pool, heartbeat);
        if (fault !== null) await refuse(o.pool, subject, heartbeat, fault);
      } catch (error) {
        o.log.warn({ err: error, lost: batch.size }, 'heartbeats could not be recorded');
        return;
      }
    }
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await sleep(o.flushEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      await flush();
    }
  };
  const running = run();
  return {
    async stop() {
      unsubscribe();
      stopping.abort();
      await running;
    },
  };
}

interface Fault {
  readonly reason: string;
  readonly detail: string | null;
  readonly clusterSlug: string | null;
}

/** Null when it was recorded. */
async function record(pool: Pool, { from, bytes, at }: Heard): Promise<Fault | null> {
  const fault = (reason: string, detail: string | null = null, clusterSlug: string | null = null): Fault => ({
    reason,
    detail,
    clusterSlug,
  });
  const sender = await checkSender(pool, from);
  if (!sender.ok) return fault(sender.reason);
  if (bytes.length > MAX_BYTES) return fault('too_large');
  const parsed = parse(bytes);
  if (parsed === undefined) return fault('json');
  const checked = checkHeartbeat(parsed);
  if (!checked.ok) return fault('schema', `${checked.path} ${checked.problem}`.trimStart());
  const { agent_id: agentId, agent_version: agentVersion, cluster_slug: slug, epoch } = checked.value;
  if (agentId !== from.agentId) return fault('foreign_cluster', 'agent_id', slug);
  if (slug !== sender.agent.cluster_slug) return fault('foreign_cluster', 'cluster_slug', slug);
  await recordHeartbeat(pool, { agentId, agentVersion, epoch, at });
  return null;
}

/** `undefined` when it is not JSON. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

async function refuse(pool: Pool, subject: string, { from, bytes, at }: Heard, fault: Fault): Promise<void> {
  ingestOutcomes.inc({ outcome: 'rejected', reason: fault.reason });
  await keepRejected(pool, {
    agentId: from.agentId,
    type: 'heartbeat',
    subject,
    ...fault,
    clusterUid: null,
    publishedAt: at,
    receivedAt: at,
    contentEncoding: null,
    bytes,
  });
}
