/** From a delivery to a ticket in its cluster's actor, or to an outcome before that (contracts.md sections 1 and 2). */

import type { Outcome, Ticket } from '../machines/vocabulary.ts';
import { recordAttempt } from '../store/ingestAttempts.ts';
import type { Pool } from '../store/pool.ts';
import { decodeSnapshot } from '../wire/inventory.ts';
import { parseDataSubject } from '../wire/subjects.ts';
import type { Inbox } from './inbox.ts';
import type { Log } from './log.ts';
import type { Delivery } from './natsLink.ts';
import { checkSender } from './senders.ts';
import type { Settle } from './settle.ts';
import { describeSpan, inSpan } from './spans.ts';

/** A message that was begun this often without an outcome kills the process, and is put aside undecoded. */
const MAX_ATTEMPTS = 20;

export interface IngressOptions {
  readonly pool: Pool;
  readonly inbox: Inbox;
  readonly settle: Settle;
  readonly log: Log;
  readonly maxSnapshotBytes: number;
  /** How long a snapshot may wait for another one of its cluster, counted from when that one's work began. */
  readonly turnPatienceMs: number;
  readonly now: () => Date;
  /** Aborted when the process drains: what arrives then goes back at once. */
  readonly draining: AbortSignal;
  /** Hands the ticket of an admitted snapshot to the actor of this cluster. */
  readonly notify: (clusterKey: string, ticket: Ticket) => void;
}

/** One actor per cluster of an environment. */
export const clusterKey = (cluster: { readonly environment_id: string; readonly slug: string }): string =>
  `${cluster.environment_id}/${cluster.slug}`;

/** Processes one delivery and resolves when it is settled. Never throws. */
export type Receive = (delivery: Delivery) => Promise<void>;

export function createIngress(o: IngressOptions): Receive {
  const process = async (delivery: Delivery): Promise<void> => {
    const ticket = o.inbox.hold(delivery);
    let outcome: Outcome | null;
    let turn: NodeJS.Timeout | undefined;
    try {
      outcome = await admit(o, ticket, delivery);
    } catch (error) {
      o.log.error({ err: error, sequence: delivery.sequence }, 'a message could not be admitted');
      outcome = { outcome: 'failed', reason: 'database' };
    }
    if (outcome === null) turn = awaitTurn(ticket);
    else await o.settle(ticket, outcome);
    await o.inbox.settled(ticket);
    clearTimeout(turn);
  };

  /**
   * A snapshot that waits for a slow one of its own cluster goes back for a while: every lane that waits is a lane less
   * for all other clusters, and one cluster whose syncs run into their limit would take them all.
   */
  const awaitTurn = (ticket: Ticket): NodeJS.Timeout | undefined => {
    const waitedMs = o.inbox.waitsBehind(ticket);
    if (waitedMs === null) return undefined;
    return setTimeout(
      () => {
        if (o.inbox.waitsBehind(ticket) !== null)
          void o.settle(ticket, { outcome: 'failed', reason: 'busy' });
      },
      Math.max(0, o.turnPatienceMs - waitedMs),
    );
  };
  return (delivery) =>
    inSpan('k8s.process_message', { sequence: delivery.sequence, deliveries: delivery.deliveries }, () =>
      process(delivery),
    );
}

const rejected = (reason: string, detail?: string): Outcome =>
  detail === undefined ? { outcome: 'rejected', reason } : { outcome: 'rejected', reason, detail };

/**
 * Null when the cluster's actor has it now. Subject and agent are checked before anything is decompressed; whether the
 * snapshot is of the agent's own cluster is for `syncCluster`.
 */
async function admit(o: IngressOptions, ticket: Ticket, delivery: Delivery): Promise<Outcome | null> {
  const from = parseDataSubject(delivery.subject);
  if (o.draining.aborted) return { outcome: 'abandoned' };
  // One data type has a worker; another one would be acked and counted, not kept (U-30).
  if (from?.type !== 'kubernetes') return { outcome: 'ignored' };
  if (delivery.deliveries > 1) {
    const attempts = await recordAttempt(o.pool, delivery.sequence, o.now());
    if (attempts >= MAX_ATTEMPTS) return rejected('poison');
  }
  const sender = await checkSender(o.pool, from);
  if (!sender.ok) return rejected(sender.reason);
  const decoded = await decodeSnapshot(delivery.bytes, delivery.contentEncoding, o.maxSnapshotBytes);
  if (!decoded.ok) return rejected(decoded.reason, `${decoded.path} ${decoded.problem}`.trimStart());
  const { snapshot, folded } = decoded;
  describeSpan({ agent_id: sender.agent.id, bytes: delivery.bytes.length });
  const { agent } = sender;
  const key = clusterKey({ environment_id: agent.environment_id, slug: agent.cluster_slug });
  o.inbox.admit(ticket, { agent, snapshot, folded, publishedAt: delivery.publishedAt }, key);
  o.notify(key, ticket);
  return null;
}
