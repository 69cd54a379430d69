/** One request to the Kubernetes API: bounded in time and size, authenticated anew, retried where that can help. */

import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { KubeAccess } from './kubeAccess.ts';
import { KubeError } from './kubeError.ts';

const decompress = promisify(gunzip);

/** Bounds of one request; specs shorten them. */
export interface RequestBounds {
  /** Attempts in all, the first included. */
  readonly attempts: number;
  /** Wait before the second attempt; doubles, and half of it is drawn by chance. */
  readonly firstWaitMs: number;
  /** Longest wait between attempts. A server that asks for more (Retry-After) gets no further attempt. */
  readonly longestWaitMs: number;
  /** One attempt, from connecting to the last byte. */
  readonly attemptMs: number;
  /** Largest body, before and after decompression. */
  readonly maxBytes: number;
}

export const REQUEST_BOUNDS: RequestBounds = {
  attempts: 4,
  firstWaitMs: 500,
  longestWaitMs: 30_000,
  attemptMs: 60_000,
  maxBytes: 128 * 1024 * 1024,
};

/** Statuses that a later attempt may not get (429 and 5xx; the API server also sends Retry-After with them). */
const isPassing = (status: number): boolean => status === 429 || status >= 500;

interface Answer {
  readonly status: number;
  readonly retryAfterMs: number | null;
  readonly body: Buffer;
}

/** What is asked and how. */
export interface KubeRequest {
  readonly signal: AbortSignal;
  readonly accept: string;
  readonly userAgent: string;
  readonly bounds: RequestBounds;
  /** A write: one attempt, because an answer that was lost does not say whether it was done. */
  readonly write?: { readonly method: 'POST' | 'PUT'; readonly body: object };
}

/**
 * The parsed JSON body of a 2xx answer. Throws KubeError for everything else: after the attempts for 429, 5xx and
 * broken connections, at once for other statuses. A 401 reads the credentials again and asks once more, because a
 * token may have been rotated a moment ago.
 */
export async function requestJson(access: KubeAccess, path: string, o: KubeRequest): Promise<unknown> {
  const method = o.write?.method;
  const attempts = o.write === undefined ? o.bounds.attempts : 1;
  let reloaded = false;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptOnce(access, path, o);
    if (!(outcome instanceof KubeError)) {
      if (outcome.status >= 200 && outcome.status < 300) return parseBody(path, outcome);
      const failed = new KubeError(path, outcome.status, reasonOf(outcome.body), { method });
      if (outcome.status === 401 && !reloaded) {
        reloaded = true;
        await access.reload().catch((cause) => {
          throw new KubeError(path, 401, reasonOf(outcome.body), { cause });
        });
        continue;
      }
      const waitMs = outcome.retryAfterMs ?? backoffMs(attempt, o.bounds);
      if (!isPassing(outcome.status) || attempt >= attempts || waitMs > o.bounds.longestWaitMs) {
        throw failed;
      }
      await pause(path, waitMs, o.signal);
      continue;
    }
    const lasting = outcome.reason === 'cancelled' || outcome.reason === 'too_large';
    if (lasting || attempt >= attempts) throw outcome;
    await pause(path, backoffMs(attempt, o.bounds), o.signal);
  }
}

const backoffMs = (attempt: number, bounds: RequestBounds): number =>
  Math.min(bounds.longestWaitMs, bounds.firstWaitMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));

async function pause(path: string, waitMs: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(waitMs, undefined, { signal });
  } catch (cause) {
    throw new KubeError(path, 0, 'cancelled', { cause });
  }
}

/** An answer of any status, or the KubeError of status 0 that says why there was none. */
async function attemptOnce(access: KubeAccess, path: string, o: KubeRequest): Promise<Answer | KubeError> {
  const timeout = AbortSignal.timeout(o.bounds.attemptMs);
  const signal = AbortSignal.any([o.signal, timeout]);
  try {
    const response = await open(access, path, signal, o);
    const packed = await readBody(response, o.bounds.maxBytes);
    return {
      status: response.statusCode ?? 0,
      retryAfterMs: retryAfterMs(response.headers['retry-after']),
      body:
        response.headers['content-encoding'] === 'gzip'
          ? await decompress(packed, { maxOutputLength: o.bounds.maxBytes })
          : packed,
    };
  } catch (cause) {
    if (o.signal.aborted) return new KubeError(path, 0, 'cancelled', { cause });
    if (timeout.aborted) return new KubeError(path, 0, 'timeout', { cause });
    const code = (cause as NodeJS.ErrnoException).code ?? null;
    const reason = code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : code;
    return new KubeError(path, 0, reason ?? 'unreachable', { cause });
  }
}

async function open(
  access: KubeAccess,
  path: string,
  signal: AbortSignal,
  o: Pick<KubeRequest, 'accept' | 'userAgent' | 'write'>,
): Promise<http.IncomingMessage> {
  const { agent, headers } = await untilAborted(access.credentials(), signal);
  const url = new URL(access.serverUrl + path);
  const send = url.protocol === 'http:' ? http.request : https.request;
  const body = o.write === undefined ? undefined : JSON.stringify(o.write.body);
  return new Promise((resolve, reject) => {
    const request = send(url, {
      agent,
      signal,
      method: o.write?.method ?? 'GET',
      headers: {
        ...headers,
        Accept: o.accept,
        'Accept-Encoding': 'gzip',
        'User-Agent': o.userAgent,
        ...(body === undefined
          ? {}
          : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
      },
    });
    request.once('response', resolve);
    request.on('error', reject);
    request.end(body);
  });
}

/** An exec plugin of a kubeconfig may hang; the wait for it ends with the signal. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

async function readBody(response: http.IncomingMessage, maxBytes: number): Promise<Buffer> {
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
  return Buffer.concat(chunks, size);
}

function parseBody(path: string, answer: Answer): unknown {
  try {
    return JSON.parse(answer.body.toString());
  } catch {
    // Without a cause: the message of a SyntaxError quotes the body.
    throw new KubeError(path, 0, 'bad_body');
  }
}

/** `reason` of a Status body; null for other bodies (an absent API group answers 404 in plain text). */
function reasonOf(body: Buffer): string | null {
  if (body.length > 64 * 1024) return null;
  try {
    const reason = (JSON.parse(body.toString()) as { reason?: unknown } | null)?.reason;
    return typeof reason === 'string' && /^[A-Za-z]{1,64}$/.test(reason) ? reason : null;
  } catch {
    return null;
  }
}

/** Retry-After in seconds or as a date (RFC 9110 section 10.2.3); null when absent or unreadable. */
function retryAfterMs(header: string | undefined): number | null {
  if (header === undefined) return null;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}
