/**
 * A snapshot on its way into the stream: encoded, made smaller as long as it does not fit, stored exactly once
 * (contracts.md section 1, PL-03 to PL-08).
 */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Shed, Shrunk } from '../rules/shrink.ts';
import { shrink } from '../rules/shrink.ts';
import { HEADER_ROOM_BYTES, MAX_SNAPSHOT_BYTES } from '../wire/limits.ts';
import type { Snapshot } from '../wire/snapshot.ts';
import type { Sender } from '../wire/subjects.ts';
import { dataSubject } from '../wire/subjects.ts';
import { encode } from './encode.ts';
import type { Attempt, NatsLink } from './natsLink.ts';

export type PublishOutcome = {
  /** JSON size of the whole snapshot, before anything was dropped. */
  readonly completeBytes: number;
  /** The last part that was dropped to fit; null when nothing was. */
  readonly shed: Shed | null;
} & (
  | { readonly kind: 'published'; readonly wireBytes: number }
  /** What is left after the last step still passes `limit`; nothing was sent. */
  | { readonly kind: 'too_large'; readonly limit: number }
  /** This agent no longer leads, so nothing was sent, or nothing further. */
  | { readonly kind: 'not_leading' }
  | { readonly kind: 'failed'; readonly reason: string }
);

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

export interface PublishOptions {
  readonly link: NatsLink;
  readonly from: Sender;
  readonly snapshot: Snapshot;
  /** Content encodings that the backend takes. */
  readonly accepts: readonly string[];
  /** Asked right before each attempt: a leader that was deposed meanwhile must not publish (D11). */
  mayPublish(): boolean;
  /** Rejects the encoding and ends the attempts. */
  readonly signal: AbortSignal;
  readonly waits?: PublishWaits;
}

/**
 * Publishes with one message id for all attempts, also for those that carry less than an earlier one. The id is drawn by
 * chance: the stream deduplicates over all agents, so a guessable id would let one of them silence another.
 */
export async function publishSnapshot(o: PublishOptions): Promise<PublishOutcome> {
  const waits = o.waits ?? PUBLISH_WAITS;
  const messageId = `${o.from.agentId}:${randomBytes(8).toString('hex')}`;
  let fitted = await encodeToFit(o, { shed: null, snapshot: o.snapshot });
  const { completeBytes } = fitted;
  const window = AbortSignal.any([o.signal, AbortSignal.timeout(waits.windowMs)]);
  const endsAt = performance.now() + waits.windowMs;
  for (;;) {
    if (fitted.bytes === null) {
      return { kind: 'too_large', limit: wireLimit(o.link), completeBytes, shed: 'inventory_dropped' };
    }
    const { shed, bytes } = fitted;
    const end = await storeOnce(o, bytes, messageId, waits, window, endsAt);
    switch (end.kind) {
      case 'stored':
        return { kind: 'published', wireBytes: bytes.length, completeBytes, shed };
      case 'not_leading':
        return { kind: 'not_leading', completeBytes, shed };
      case 'outgrown':
        fitted = await encodeToFit(o, fitted);
        break;
      default:
        return { kind: 'failed', reason: end.reason, completeBytes, shed };
    }
  }
}

interface Fitted {
  readonly shed: Shrunk['shed'] | null;
  readonly snapshot: Snapshot;
  /** Null when even the smallest form does not fit. */
  readonly bytes: Uint8Array | null;
  /** JSON size of the snapshot that this began with. */
  readonly completeBytes: number;
}

/** The first form, from `start` downwards, whose encoding fits. */
async function encodeToFit(o: PublishOptions, start: Pick<Fitted, 'shed' | 'snapshot'>): Promise<Fitted> {
  let { shed, snapshot } = start;
  let completeBytes: number | null = null;
  for (;;) {
    const encoded = await encode(snapshot, {
      gzip: takesGzip(o),
      maxBytes: wireLimit(o.link),
      maxJsonBytes: MAX_SNAPSHOT_BYTES,
      signal: o.signal,
    });
    completeBytes ??= encoded.jsonBytes;
    if (encoded.bytes !== null) return { shed, snapshot, bytes: encoded.bytes, completeBytes };
    const smaller = shrink(snapshot, shed);
    if (smaller === null) return { shed, snapshot, bytes: null, completeBytes };
    ({ shed, snapshot } = smaller);
  }
}

const takesGzip = (o: PublishOptions): boolean => o.accepts.includes('gzip');

/** The server's limit counts the headers, too. It may be another one after a reconnect. */
const wireLimit = (link: NatsLink): number => link.maxPayload() - HEADER_ROOM_BYTES;

/** Repeats unanswered attempts inside the window; waits for a lost connection instead of filling its buffer. */
async function storeOnce(
  o: PublishOptions,
  bytes: Uint8Array,
  messageId: string,
  waits: PublishWaits,
  window: AbortSignal,
  endsAt: number,
): Promise<Attempt | { readonly kind: 'not_leading' } | { readonly kind: 'outgrown' }> {
  const subject = dataSubject(o.from, 'kubernetes');
  const contentEncoding = takesGzip(o) ? 'gzip' : undefined;
  let last: Attempt = { kind: 'unanswered', reason: 'disconnected' };
  let pauseMs = waits.firstPauseMs;
  while (await o.link.untilConnected(window)) {
    const timeoutMs = Math.min(waits.attemptMs, endsAt - performance.now());
    if (timeoutMs < 1 || window.aborted) break;
    if (!o.mayPublish()) return { kind: 'not_leading' };
    if (bytes.length > wireLimit(o.link)) return { kind: 'outgrown' };
    last = await o.link.store(subject, bytes, { messageId, contentEncoding, timeoutMs });
    if (last.kind !== 'unanswered') break;
    await sleep(pauseMs, undefined, { signal: window }).catch(() => undefined);
    pauseMs *= 2;
  }
  return last;
}
