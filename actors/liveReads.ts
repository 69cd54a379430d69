/** Live reads: from a route through the cluster's actor and its lanes to the agent, and back (LV-02, design section 6). */

import { randomUUID } from 'node:crypto';
import type { LiveOutcome, Ticket } from '../machines/vocabulary.ts';
import { liveGate, stampsLines } from '../rules/liveGate.ts';
import { agentsOfCluster } from '../store/agents.ts';
import type { Pool } from '../store/pool.ts';
import type { KubeQuery, LiveData } from '../wire/kubeQuery.ts';
import { commandSubject } from '../wire/subjects.ts';
import { clusterKey } from './ingress.ts';
import { readReply, unstamped } from './liveReply.ts';
import type { Log } from './log.ts';
import type { NatsLink } from './natsLink.ts';
import type { Registry } from './registry.ts';

/** LV-02: in all, waiting for a lane included. */
export const LIVE_TIMEOUT_MS = 15_000;

/** What an asker gets. `agent_error` carries a message that is sanitized; `left`: nobody waits for it any more. */
export type LiveAnswer =
  | { readonly kind: 'answered'; readonly data: LiveData }
  | { readonly kind: 'no_agent' | 'unavailable' | 'unreachable' | 'timeout' | 'left' }
  | { readonly kind: 'agent_offline'; readonly lastSeenAt: Date | null }
  | { readonly kind: 'agent_too_old'; readonly required: string; readonly actual: string | null }
  | { readonly kind: 'agent_error'; readonly message: string };

/** The cluster as its row names it. */
export interface LiveCluster {
  readonly environment_id: string;
  readonly slug: string;
  readonly uid: string | null;
}

export interface LiveReads {
  /** Asks the cluster's agent; `signal` ends the read of a caller who left. Rejects only when the database fails. */
  askLive(cluster: LiveCluster, query: KubeQuery, signal: AbortSignal): Promise<LiveAnswer>;
  /** The work of a lane. */
  read(ticket: Ticket): Promise<LiveOutcome>;
  /** Answers everybody who waits. */
  stop(): void;
}

interface Waiting {
  readonly cluster: LiveCluster;
  readonly query: KubeQuery;
  /** On the monotonic clock. */
  readonly deadline: number;
  /** Aborts once the asker has an answer, or has left. */
  readonly over: AbortSignal;
  settle(answer: LiveAnswer): void;
  fail(error: unknown): void;
}

/** Reads of every cluster. A read that nobody waits for any more gives its lane back at once. */
export function createLiveReads(o: {
  readonly pool: Pool;
  readonly link: Pick<NatsLink, 'isConnected' | 'ask'>;
  readonly tell: Registry['tell'];
  readonly log: Log;
  readonly timeoutMs: number;
  readonly now: () => Date;
}): LiveReads {
  const waiting = new Map<Ticket, Waiting>();
  let stopped = false;

  const answer = async ({ cluster, query, deadline, over }: Waiting): Promise<LiveAnswer> => {
    const agents = await agentsOfCluster(o.pool, cluster);
    const gate = liveGate(agents, query, o.now());
    if (gate.kind !== 'ask') return gate;
    if (!o.link.isConnected()) return { kind: 'unavailable' };
    const stamped = stampsLines(gate.agent);
    const sent: KubeQuery = stamped ? query : { ...query, timestamps: false };
    const asked = await o.link.ask(
      commandSubject(gate.agent.id),
      Buffer.from(JSON.stringify(sent)),
      Math.max(1, deadline - performance.now()),
      over,
    );
    if (asked.kind !== 'reply') return asked;
    const read = readReply(sent, asked.bytes);
    if (read.kind === 'answered') return stamped ? read : unstamped(read);
    o.log.warn(
      { agent: gate.agent.id, op: query.op, code: read.code },
      'an agent answered a live read with an error',
    );
    return { kind: 'agent_error', message: read.message };
  };

  return {
    askLive(cluster, query, signal) {
      if (stopped || !o.link.isConnected()) return Promise.resolve({ kind: 'unavailable' });
      if (signal.aborted) return Promise.resolve({ kind: 'left' });
      const ticket = randomUUID();
      const over = new AbortController();
      const { promise, resolve, reject } = Promise.withResolvers<LiveAnswer>();
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        waiting.delete(ticket);
        over.abort();
      };
      const settle = (given: LiveAnswer): void => {
        end();
        resolve(given);
      };
      const leave = (): void => settle({ kind: 'left' });
      const timer = setTimeout(() => settle({ kind: 'timeout' }), o.timeoutMs);
      signal.addEventListener('abort', leave, { once: true });
      waiting.set(ticket, {
        cluster,
        query,
        deadline: performance.now() + o.timeoutMs,
        over: over.signal,
        settle,
        fail(error) {
          end();
          reject(error);
        },
      });
      o.tell(clusterKey(cluster), { type: 'live.asked', ticket, askedAt: o.now().getTime() });
      return promise;
    },
    async read(ticket) {
      const asked = waiting.get(ticket);
      if (asked === undefined) return 'not_available';
      try {
        const given = await answer(asked);
        asked.settle(given);
        return given.kind === 'answered' ? 'answered' : 'not_available';
      } catch (error) {
        asked.fail(error);
        return 'failed';
      }
    },
    stop() {
      stopped = true;
      for (const { settle } of [...waiting.values()]) settle({ kind: 'unavailable' });
    },
  };
}
