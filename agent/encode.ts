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

/** Records that become one text, and bytes that are passed on together: half a millisecond of the event loop. */
const BATCH = 25;
const BLOCK_BYTES = 128 * 1024;

/**
 * The bytes of `JSON.stringify(snapshot)`, compressed when asked for. All blocks go through one buffer, for buffers of
 * their own would wait for the garbage collector by the dozen: compressing 22 MB took 31 MB that way, 49 MB in one piece,
 * and takes 1 MB now. The event loop turns between two blocks, so that probes and heartbeats are answered meanwhile.
 * Rejects when `signal` is aborted.
 */
export async function encode(snapshot: Snapshot, o: EncodeOptions): Promise<Encoded> {
  const sink = o.gzip ? openGzip() : openPlain();
  const block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  let filled = 0;
  let jsonBytes = 0;
  let fits = true;
  const pass = async (bytes: Uint8Array): Promise<void> => {
    o.signal.throwIfAborted();
    jsonBytes += bytes.length;
    fits &&= jsonBytes <= o.maxJsonBytes && sink.size() <= o.maxBytes;
    if (fits) await sink.write(bytes);
    await nextTurn();
  };
  try {
    for (const piece of jsonPieces(snapshot)) {
      const size = Buffer.byteLength(piece);
      if (filled + size > BLOCK_BYTES) {
        await pass(block.subarray(0, filled));
        filled = 0;
      }
      if (size > BLOCK_BYTES) await pass(Buffer.from(piece));
      else filled += block.write(piece, filled);
    }
    await pass(block.subarray(0, filled));
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
  /** When it resolves, the bytes were taken: their buffer may be filled anew. */
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<Buffer>;
  close(): void;
}

function openPlain(): Sink {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    size: () => size,
    async write(bytes) {
      chunks.push(Buffer.from(bytes));
      size += bytes.length;
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
    write: (bytes) =>
      new Promise((resolve, reject) => {
        gzip.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    async end() {
      const ended = once(gzip, 'end');
      gzip.end();
      await ended;
      return Buffer.concat(chunks, size);
    },
    close: () => gzip.destroy(),
  };
}

/** Texts whose sequence is what JSON.stringify makes of a plain value; long arrays come apart, wherever they lie. */
export function* jsonPieces(value: unknown): Iterable<string> {
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
      yield* jsonPieces(part);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  } else {
    yield JSON.stringify(value);
  }
}
