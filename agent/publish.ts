/** A snapshot on its way into the stream: encoded, compressed, measured, stored exactly once (contracts.md section 1). */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { compressSnapshot, encodeSnapshot } from '../wire/inventory.ts';
import { HEADER_ROOM_BYTES, MAX_SNAPSHOT_BYTES } from '../wire/limits.ts';
import type { Snapshot } from '../wire/snapshot.ts';
import type { Sender } from '../wire/subjects.ts';
import { dataSubject } from '../wire/subjects.ts';
import type { Attempt, NatsLink } from './natsLink.ts';

export type PublishOutcome =
  /** `wireBytes` is what travelled, `jsonBytes` what it unpacks to. */
  | { readonly kind: 'published'; readonly wireBytes: number; readonly jsonBytes: number }
  /** Larger than the server takes, or than the backend unpacks; nothing was sent. */
  | { readonly kind: 'too_large'; readonly bytes: number; readonly limit: number }
  | { readonly kind: 'failed'; readonly reason: string };

export interface PublishWaits {
  /**
   * From the first attempt until the last one has ended. Shorter than the stream's duplicate window of 2 minutes: a
   * repetition inside it is stored once, one behind it would be stored twice.
   */
  readonly windowMs: number;
  readonly attemptMs: number;
  readonly firstPauseMs: number;
}

const PUBLISH_WAITS: PublishWaits = { windowMs: 100_000, attemptMs: 20_000, firstPauseMs: 500 };

/**
 * Publishes with one message id for all attempts. The id is drawn by chance: the stream deduplicates over all agents,
 * so a guessable id would let one of them silence another.
 */
export async function publishSnapshot(o: {
  readonly link: NatsLink;
  readonly from: Sender;
  readonly snapshot: Snapshot;
  /** Content encodings that the backend takes. */
  readonly accepts: readonly string[];
  readonly signal: AbortSignal;
  readonly waits?: PublishWaits;
}): Promise<PublishOutcome> {
  const json = encodeSnapshot(o.snapshot);
  if (json.length > MAX_SNAPSHOT_BYTES) return tooLarge(json.length, MAX_SNAPSHOT_BYTES);
  const gzip = o.accepts.includes('gzip');
  const bytes = gzip ? await compressSnapshot(json) : json;
  const limit = o.link.maxPayload() - HEADER_ROOM_BYTES;
  if (bytes.length > limit) return tooLarge(bytes.length, limit);

  const attempt = await storeOnce(
    o.link,
    dataSubject(o.from, 'kubernetes'),
    bytes,
    {
      messageId: `${o.from.agentId}:${randomBytes(8).toString('hex')}`,
      contentEncoding: gzip ? 'gzip' : undefined,
    },
    o.waits ?? PUBLISH_WAITS,
    o.signal,
  );
  return attempt.kind === 'stored'
    ? { kind: 'published', wireBytes: bytes.length, jsonBytes: json.length }
    : { kind: 'failed', reason: attempt.reason };
}

const tooLarge = (bytes: number, limit: number): PublishOutcome => ({ kind: 'too_large', bytes, limit });

/** Repeats unanswered attempts inside the window; waits for a lost connection instead of filling its buffer. */
async function storeOnce(
  link: NatsLink,
  subject: string,
  bytes: Uint8Array,
  id: { messageId: string; contentEncoding: string | undefined },
  waits: PublishWaits,
  signal: AbortSignal,
): Promise<Attempt> {
  const window = AbortSignal.any([signal, AbortSignal.timeout(waits.windowMs)]);
  const endsAt = performance.now() + waits.windowMs;
  let last: Attempt = { kind: 'unanswered', reason: 'disconnected' };
  let pauseMs = waits.firstPauseMs;
  while (await link.untilConnected(window)) {
    const timeoutMs = Math.min(waits.attemptMs, endsAt - performance.now());
    if (timeoutMs < 1 || window.aborted) break;
    last = await link.store(subject, bytes, { ...id, timeoutMs });
    if (last.kind !== 'unanswered') break;
    await sleep(pauseMs, undefined, { signal: window }).catch(() => undefined);
    pauseMs *= 2;
  }
  return last;
}
