/** The body of an answer of the Kubernetes API: kept as it came over the wire, unpacked a piece at a time. */

import type http from 'node:http';
import { createGunzip } from 'node:zlib';
import { KubeError } from './kubeError.ts';
import { createListReader } from './listReader.ts';

/** One piece of unpacked JSON: enough to be quick, small enough to be garbage of no weight. */
const PIECE_BYTES = 64 * 1024;
/** Longest answer in which a reason is looked for. */
const MAX_STATUS_BYTES = 64 * 1024;

export interface Body {
  /** As they came. A packed page of 500 pods is a tenth of its text. */
  readonly chunks: readonly Buffer[];
  readonly packed: boolean;
}

/** How a body is read. */
export interface Reading {
  /** Path of the request, for the error. */
  readonly path: string;
  readonly signal: AbortSignal;
  /** Largest body once it is unpacked. */
  readonly maxBytes: number;
}

/** All bytes of an answer, still packed. Rejects with code `ERR_BUFFER_TOO_LARGE`, or as the connection broke. */
export async function receive(response: http.IncomingMessage, maxBytes: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      response.destroy();
      throw Object.assign(new Error('answer too large'), { code: 'ERR_BUFFER_TOO_LARGE' });
    }
    chunks.push(chunk);
  }
  return { chunks, packed: response.headers['content-encoding'] === 'gzip' };
}

/** The whole text. Throws KubeError: `bad_body`, `too_large` or `cancelled`. */
export async function readText(body: Body, o: Reading): Promise<string> {
  const pieces: Buffer[] = [];
  await unpack(body, o, (piece) => pieces.push(piece));
  return Buffer.concat(pieces).toString();
}

/** The parsed JSON. Throws KubeError as `readText` does. */
export async function readJson(body: Body, o: Reading): Promise<unknown> {
  const text = await readText(body, o);
  return parsing(o.path, () => JSON.parse(text));
}

/**
 * A list without its items, which go to `onItem` one by one. Throws KubeError as `readText` does, maybe after some items
 * were handed over, and what `onItem` throws.
 */
export async function readList(body: Body, o: Reading, onItem: (item: unknown) => void): Promise<unknown> {
  let thrown: { readonly error: unknown } | null = null;
  const reader = createListReader((item) => {
    try {
      onItem(item);
    } catch (error) {
      thrown = { error };
      throw error;
    }
  });
  try {
    await unpack(body, o, (piece) => parsing(o.path, () => reader.write(piece)));
  } catch (error) {
    throw (thrown as { readonly error: unknown } | null)?.error ?? error;
  }
  return parsing(o.path, () => reader.end());
}

/** `reason` of a Status; null for other bodies (an absent API group answers 404 in plain text). */
export async function readReason(body: Body, o: Reading): Promise<string | null> {
  try {
    const status = await readJson(body, { ...o, maxBytes: MAX_STATUS_BYTES });
    const reason = (status as { reason?: unknown } | null)?.reason;
    return typeof reason === 'string' && /^[A-Za-z]{1,64}$/.test(reason) ? reason : null;
  } catch {
    return null;
  }
}

/** Pieces in turn; the event loop gets its own between two packed ones. */
async function unpack(body: Body, o: Reading, take: (piece: Buffer) => void): Promise<void> {
  const gunzip = body.packed ? createGunzip({ chunkSize: PIECE_BYTES }) : null;
  let size = 0;
  try {
    if (gunzip !== null) gunzip.end(Buffer.concat(body.chunks));
    for await (const piece of (gunzip ?? body.chunks) as AsyncIterable<Buffer>) {
      if (o.signal.aborted) throw new KubeError(o.path, 0, 'cancelled', { cause: o.signal.reason });
      size += piece.length;
      if (size > o.maxBytes) throw new KubeError(o.path, 0, 'too_large');
      take(piece);
    }
  } catch (cause) {
    const isZlib = String((cause as NodeJS.ErrnoException | null)?.code).startsWith('Z_');
    throw isZlib ? new KubeError(o.path, 0, 'bad_body', { cause }) : cause;
  } finally {
    gunzip?.destroy();
  }
}

function parsing<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    // Without a cause: the message of a SyntaxError quotes the body.
    if (error instanceof SyntaxError) throw new KubeError(path, 0, 'bad_body');
    throw error;
  }
}
