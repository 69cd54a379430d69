/** One request to the Kubernetes API: bounded in time and size, authenticated anew, retried where that can help. */

import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeAccess } from './kubeAccess.ts';
import type { Body, Reading } from './kubeBody.ts';
import { readJson, readList, readReason, readText, receive } from './kubeBody.ts';
import { KubeError } from './kubeError.ts';

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
  readonly body: Body;
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

/** The parsed JSON body of the answer. Throws KubeError. */
export const requestJson = async (access: KubeAccess, path: string, o: KubeRequest): Promise<unknown> =>
  readJson(await ask(access, path, o), readingOf(path, o));

/** The same for a body that is text. */
export const requestText = async (access: KubeAccess, path: string, o: KubeRequest): Promise<string> =>
  readText(await ask(access, path, o), readingOf(path, o));

/**
 * A list without its items: they go to `onItem` one by one, when the whole answer is there. Throws KubeError, and what
 * `onItem` throws.
 */
export const requestList = async (
  access: KubeAccess,
  path: string,
  o: KubeRequest,
  onItem: (item: unknown) => void,
): Promise<unknown> => readList(await ask(access, path, o), readingOf(path, o), onItem);

const readingOf = (path: string, o: KubeRequest): Reading => ({
  path,
  signal: o.signal,
  maxBytes: o.bounds.maxBytes,
});

/**
 * The body of a 2xx answer, received to its end. Throws KubeError for everything else: after the attempts for 429, 5xx
 * and broken connections, at once for other statuses. A 401 reads the credentials again and asks once more, because a
 * token may have been rotated a moment ago.
 */
async function ask(access: KubeAccess, path: string, o: KubeRequest): Promise<Body> {
  const method = o.write?.method;
  const attempts = o.write === undefined ? o.bounds.attempts : 1;
  let reloaded = false;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptOnce(access, path, o);
    if (!(outcome instanceof KubeError)) {
      if (outcome.status >= 200 && outcome.status < 300) return outcome.body;
      const reason = await readReason(outcome.body, readingOf(path, o));
      const failed = new KubeError(path, outcome.status, reason, { method });
      if (outcome.status === 401 && !reloaded) {
        reloaded = true;
        await access.reload().catch((cause) => {
          throw new KubeError(path, 401, reason, { cause });
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
    return {
      status: response.statusCode ?? 0,
      retryAfterMs: retryAfterMs(response.headers['retry-after']),
      body: await receive(response, o.bounds.maxBytes),
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

/** Retry-After in seconds or as a date (RFC 9110 section 10.2.3); null when absent or unreadable. */
function retryAfterMs(header: string | undefined): number | null {
  if (header === undefined) return null;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}
