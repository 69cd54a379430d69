/** The only place that tells JetStream how a message ended (D7, design section 5). */

import type { Outcome, Ticket } from '../machines/vocabulary.ts';
import { forgetAttempts } from '../store/ingestAttempts.ts';
import type { Pool } from '../store/pool.ts';
import { keepRejected } from '../store/rejected.ts';
import { parseDataSubject } from '../wire/subjects.ts';
import type { DatabaseGate } from './databaseGate.ts';
import type { Held, Inbox } from './inbox.ts';
import type { Log } from './log.ts';
import { ingestOutcomes, syncDuration } from './metrics.ts';
import type { SyncInput } from './syncCluster.ts';

/** After the last one it stays at that: a failed message comes again for as long as the stream keeps it. */
export const NAK_DELAYS_MS: readonly number[] = [1_000, 5_000, 15_000, 60_000];

/** Reasons of a failure behind which the database may be away; the others say nothing about it. */
const MAY_BE_DATABASE: ReadonlySet<string> = new Set(['database', 'timeout']);

export type Settle = (ticket: Ticket, outcome: Outcome) => Promise<void>;

export interface SettleOptions {
  readonly inbox: Inbox;
  readonly pool: Pool;
  readonly gate: DatabaseGate;
  readonly log: Log;
  readonly nakDelaysMs: readonly number[];
  readonly now: () => Date;
}

/**
 * Settles a ticket: keeps a rejected message aside, forgets its attempts, acks, counts, logs. Idempotent: only the first
 * call of a ticket does anything, so a crashed actor's late answer is harmless. Never throws: what cannot be written
 * about a message makes it `failed`, and it comes again.
 */
export function createSettle(o: SettleOptions): Settle {
  return async (ticket, outcome) => {
    const held = o.inbox.take(ticket);
    if (held === null) return;
    try {
      const final = await record(o, held, outcome);
      answer(held, final, o.nakDelaysMs);
      report(o, held, final);
      if (final.outcome === 'failed' && MAY_BE_DATABASE.has(final.reason)) o.gate.suspect();
    } finally {
      held.done();
    }
  };
}

type Taken = Held & { readonly admitted: SyncInput | null };

async function record(o: SettleOptions, held: Taken, outcome: Outcome): Promise<Outcome> {
  try {
    if (outcome.outcome === 'rejected') await keepAside(o, held, outcome);
    if (held.delivery.deliveries > 1) await forgetAttempts(o.pool, held.delivery.sequence, o.now());
    return outcome;
  } catch (error) {
    // Of a failure the cause was logged already, and most often it is the same.
    if (outcome.outcome !== 'failed') {
      o.log.error({ err: error, sequence: held.delivery.sequence }, 'the outcome could not be recorded');
    }
    return outcome.outcome === 'rejected' ? { outcome: 'failed', reason: 'database' } : outcome;
  }
}

async function keepAside(
  o: SettleOptions,
  { delivery, admitted, receivedAt }: Taken,
  outcome: Extract<Outcome, { outcome: 'rejected' | 'failed' }>,
): Promise<void> {
  const from = parseDataSubject(delivery.subject);
  const cluster = admitted?.snapshot.data.cluster;
  await keepRejected(o.pool, {
    agentId: from?.agentId ?? '',
    type: from?.type ?? '',
    subject: delivery.subject,
    reason: outcome.reason,
    detail: outcome.detail ?? null,
    clusterSlug: cluster?.slug ?? null,
    clusterUid: cluster?.uid ?? null,
    publishedAt: delivery.publishedAt,
    receivedAt,
    contentEncoding: delivery.contentEncoding ?? null,
    bytes: delivery.bytes,
  });
}

function answer({ delivery }: Taken, { outcome }: Outcome, delaysMs: readonly number[]): void {
  switch (outcome) {
    case 'stored':
    case 'superseded':
    case 'ignored':
      delivery.ack();
      break;
    case 'rejected':
      delivery.term();
      break;
    case 'failed':
      delivery.nak(delaysMs[Math.min(delivery.deliveries, delaysMs.length) - 1] ?? 0);
      break;
    case 'abandoned':
      delivery.nak(0);
      break;
  }
}

function report(o: SettleOptions, { delivery, receivedAt }: Taken, outcome: Outcome): void {
  const seconds = (o.now().getTime() - receivedAt.getTime()) / 1000;
  const reason = 'reason' in outcome ? outcome.reason : '';
  ingestOutcomes.inc({ outcome: outcome.outcome, reason });
  syncDuration.observe(seconds);
  const fields = { ...outcome, subject: delivery.subject, sequence: delivery.sequence, seconds };
  if (outcome.outcome === 'rejected' || outcome.outcome === 'failed') {
    o.log.warn({ ...fields, deliveries: delivery.deliveries }, 'message settled');
  } else {
    o.log.info(fields, 'message settled');
  }
}
