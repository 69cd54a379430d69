/** A snapshot as the bytes of its message, made piece by piece: neither the whole text nor a second copy is ever held. */

import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { constants, createGzip } from 'node:zlib';
import type { Snapshot } from '../wire/snapshot.ts';

export interface Encoded {
  /** Size as JSON; counted to the end also when it passes a limit. */
  readonly jsonBytes: number;
  /** What travels; null when it passes one of the limits. */
  readonly bytes: Uint8Array | null;
}

export interface EncodeOptions {
  readonly gzip: boolean;
  /** Most bytes that may travel. */
  readonly maxBytes: number;
  /** Most bytes of JSON, compressed or not: what the backend unpacks (contracts.md section 1). */
  readonly maxJsonBytes: number;
  readonly signal: AbortSignal;
}

/** Records that become one text: some hundred kilobytes, a millisecond of the event loop. */
const BATCH = 100;
const BLOCK_CHARS = 128 * 1024;

/**
 * The bytes of `JSON.stringify(snapshot)`, compressed when asked for. The event loop turns between two blocks, so that
 * probes and heartbeats are answered meanwhile. Rejects when `signal` is aborted.
 */
export async function encode(snapshot: Snapshot, o: EncodeOptions): Promise<Encoded> {
  const sink = o.gzip ? openGzip() : openPlain();
  let jsonBytes = 0;
  let fits = true;
  try {
    for (const text of jsonBlocks(snapshot)) {
      o.signal.throwIfAborted();
      const block = Buffer.from(text);
      jsonBytes += block.length;
      fits &&= jsonBytes <= o.maxJsonBytes && sink.size() <= o.maxBytes;
      if (fits) await sink.write(block);
      await nextTurn();
    }
    if (!fits) return { jsonBytes, bytes: null };
    const bytes = await sink.end();
    return { jsonBytes, bytes: bytes.length <= o.maxBytes ? bytes : null };
  } finally {
    sink.close();
  }
}

interface Sink {
  /** Bytes that came out so far. */
  size(): number;
  write(block: Buffer): Promise<void>;
  end(): Promise<Buffer>;
  close(): void;
}

function openPlain(): Sink {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    size: () => size,
    async write(block) {
      chunks.push(block);
      size += block.length;
    },
    end: async () => Buffer.concat(chunks, size),
    close() {
      chunks.length = 0;
    },
  };
}

/** Level 1 as in wire/inventory.ts: the best of the measured ones for inventory JSON. */
function openGzip(): Sink {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  const chunks: Buffer[] = [];
  let size = 0;
  gzip.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
  });
  return {
    size: () => size,
    async write(block) {
      if (!gzip.write(block)) await once(gzip, 'drain');
    },
    async end() {
      const ended = once(gzip, 'end');
      gzip.end();
      await ended;
      return Buffer.concat(chunks, size);
    },
    close: () => gzip.destroy(),
  };
}

/** The text of `JSON.stringify(snapshot)` in parts of a size that is worth a buffer. */
export function* jsonBlocks(snapshot: Snapshot): Iterable<string> {
  let block = '';
  for (const piece of pieces(snapshot)) {
    block += piece;
    if (block.length < BLOCK_CHARS) continue;
    yield block;
    block = '';
  }
  yield block;
}

/** Texts whose sequence is what JSON.stringify makes of a plain value; long arrays come apart, wherever they lie. */
function* pieces(value: unknown): Iterable<string> {
  if (Array.isArray(value) && value.length > BATCH) {
    for (let at = 0; at < value.length; at += BATCH) {
      yield at === 0 ? '[' : ',';
      yield JSON.stringify(value.slice(at, at + BATCH)).slice(1, -1);
    }
    yield ']';
  } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    let before = '{';
    for (const [key, part] of Object.entries(value)) {
      if (part === undefined) continue;
      yield `${before}${JSON.stringify(key)}:`;
      yield* pieces(part);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  } else {
    yield JSON.stringify(value);
  }
}
