/** The backend's connection to NATS, and the only module of the backend that knows the nats package. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions, JetStreamManager, JsMsg, NatsConnection, Status } from 'nats';
import {
  AckPolicy,
  connect,
  credsAuthenticator,
  DiscardPolicy,
  ErrorCode,
  Events,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
} from 'nats';
import { createReconnectWait } from '../rules/reconnectWait.ts';
import { EVENTS_STREAM, KUBERNETES_CONSUMER, SNAPSHOT_SUBJECTS } from '../wire/subjects.ts';

const REQUEST_TIMEOUT_MS = 5_000;
const CONNECT_PAUSE_MS = 500;
const RECONNECT_WAIT_MS = 500;
/** A dead peer is noticed after two unanswered pings. */
const PING_INTERVAL_MS = 10_000;
const PULL_SLACK_MS = 5_000;

/** Where to connect and as whom. `creds` is the text of a creds file, `inboxPrefix` what its permissions name. */
export interface NatsAddress {
  readonly url: string;
  readonly creds: string;
  readonly inboxPrefix: string;
  readonly caFile?: string | undefined;
}

/** A message of the stream, with the four ways to settle it; what it holds is untrusted. */
export interface Delivery {
  readonly subject: string;
  readonly bytes: Uint8Array;
  readonly contentEncoding: string | undefined;
  readonly sequence: number;
  /** 1 at the first delivery. */
  readonly deliveries: number;
  /** When the stream took it (JetStream's clock). */
  readonly publishedAt: Date;
  ack(): void;
  /** Comes again after `delayMs`; at once with 0. */
  nak(delayMs: number): void;
  /** Never comes again. Without a reason: servers before 2.11 ignore a term that has one (stack.md section 2). */
  term(): void;
  /** Starts the ack wait anew. */
  working(): void;
}

/** What changed about the connection, for the log. */
export type LinkEvent = { readonly type: string; readonly detail: string };

/** `unreachable`: nobody listens on the subject; `unavailable`: the connection broke; `left`: the asker ended it. */
export type Asked =
  | { readonly kind: 'reply'; readonly bytes: Uint8Array }
  | { readonly kind: 'unreachable' | 'timeout' | 'unavailable' | 'left' };

export interface NatsLink {
  isConnected(): boolean;
  /** Creates stream and consumer, or brings them to these settings (contracts.md section 2). */
  ensureStream(o: StreamOptions): Promise<void>;
  /** The next message of the consumer; null when none came within `expiresMs` (1000 or more). Throws when the server cannot say. */
  pull(expiresMs: number): Promise<Delivery | null>;
  /** Calls `hear` for each message until the returned function is called. Reconnects keep it. */
  subscribe(subject: string, hear: (subject: string, bytes: Uint8Array) => void): () => void;
  /** The reply's bytes; throws on a timeout or when nobody listens. */
  request(subject: string, bytes: Uint8Array, timeoutMs: number): Promise<Uint8Array>;
  /** The same with every outcome as a value; `over` ends the wait. A reply that comes later is dropped. */
  ask(subject: string, bytes: Uint8Array, timeoutMs: number, over: AbortSignal): Promise<Asked>;
  /** Sends what is still buffered (acks above all), then closes. Never throws. */
  close(): Promise<void>;
}

export interface StreamOptions {
  readonly maxBytes: number;
  readonly ackWaitMs: number;
}

/**
 * Connects within `timeoutMs`, trying again while the server is not there; throws the last failure after that. Once
 * connected, the client reconnects for ever.
 */
export async function connectNats(
  address: NatsAddress,
  timeoutMs: number,
  onEvent: (event: LinkEvent) => void = () => undefined,
): Promise<NatsLink> {
  const options: ConnectionOptions = {
    servers: address.url,
    name: 'proxima-backend',
    authenticator: credsAuthenticator(new TextEncoder().encode(address.creds)),
    inboxPrefix: address.inboxPrefix,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: createReconnectWait({
      waitMs: RECONNECT_WAIT_MS,
      servers: 1,
      wallMs: () => Date.now(),
      monotonicMs: () => performance.now(),
      random: Math.random,
    }),
    pingInterval: PING_INTERVAL_MS,
    timeout: Math.min(REQUEST_TIMEOUT_MS, timeoutMs),
    // Two refused reconnects would close the client for good (stack.md section 10).
    ignoreAuthErrorAbort: true,
    ...(address.caFile === undefined ? {} : { tls: { caFile: address.caFile } }),
  };
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return linkOver(await connect(options), onEvent);
    } catch (error) {
      if (Date.now() + CONNECT_PAUSE_MS >= deadline) {
        throw new Error('NATS cannot be reached', { cause: error });
      }
      await sleep(CONNECT_PAUSE_MS);
    }
  }
}

function linkOver(connection: NatsConnection, onEvent: (event: LinkEvent) => void): NatsLink {
  let connected = true;
  const follow = async (): Promise<void> => {
    for await (const status of connection.status()) {
      if (status.type === Events.Disconnect) connected = false;
      if (status.type === Events.Reconnect) connected = true;
      if (isWorthTelling(status)) onEvent({ type: status.type, detail: String(status.data ?? '') });
    }
    connected = false;
  };
  void follow();
  const js = connection.jetstream({ timeout: REQUEST_TIMEOUT_MS });
  return {
    isConnected: () => connected,
    async ensureStream(o) {
      // Without checkAPI: it asks for $JS.API.INFO, which the backend may not (contracts.md section 7).
      const manager = await connection.jetstreamManager({ checkAPI: false, timeout: REQUEST_TIMEOUT_MS });
      await ensureEvents(manager, o);
      await ensureConsumer(manager, o);
    },
    async pull(expiresMs) {
      const consumer = await js.consumers.get(EVENTS_STREAM, KUBERNETES_CONSUMER);
      // The client's own timer stops while it is disconnected; ours does not.
      const message = await within(expiresMs + PULL_SLACK_MS, consumer.next({ expires: expiresMs }));
      return message === null ? null : deliveryOf(message);
    },
    subscribe(subject, hear) {
      const subscription = connection.subscribe(subject, {
        callback: (error, message) => {
          if (error === null) hear(message.subject, message.data);
          else onEvent({ type: 'subscription', detail: error.code });
        },
      });
      return () => subscription.unsubscribe();
    },
    async request(subject, bytes, timeoutMs) {
      return (await connection.request(subject, bytes, { timeout: timeoutMs })).data;
    },
    async ask(subject, bytes, timeoutMs, over) {
      if (over.aborted) return { kind: 'left' };
      const { promise: left, resolve } = Promise.withResolvers<Asked>();
      const leave = (): void => resolve({ kind: 'left' });
      over.addEventListener('abort', leave, { once: true });
      const asked = connection
        .request(subject, bytes, { timeout: timeoutMs })
        .then((message): Asked => ({ kind: 'reply', bytes: message.data }), unanswered);
      const outcome = await Promise.race([asked, left]);
      over.removeEventListener('abort', leave);
      return outcome;
    },
    async close() {
      await within(REQUEST_TIMEOUT_MS, connection.drain()).catch(() => connection.close());
    },
  };
}

function unanswered(error: unknown): Asked {
  const code = error instanceof NatsError ? error.code : '';
  if (code === ErrorCode.NoResponders) return { kind: 'unreachable' };
  return { kind: code === ErrorCode.Timeout ? 'timeout' : 'unavailable' };
}

const isWorthTelling = (status: Status): boolean =>
  status.type === Events.Disconnect || status.type === Events.Reconnect || status.type === Events.Error;

async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer from NATS within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What the API answers when it is there with other settings; servers before 2.10 update a consumer at once. */
const STREAM_EXISTS = 10058;
const CONSUMER_EXISTS = 10148;

async function ensureEvents(manager: JetStreamManager, o: StreamOptions): Promise<void> {
  const changeable = {
    subjects: [SNAPSHOT_SUBJECTS],
    max_age: nanos(24 * 3600_000),
    // With `new` and a bound per subject, the oldest of that subject goes: a flood hurts only its sender.
    discard: DiscardPolicy.New,
    max_msgs_per_subject: 300,
    max_bytes: o.maxBytes,
    duplicate_window: nanos(120_000),
    deny_purge: true,
    deny_delete: true,
  };
  try {
    await manager.streams.add({
      name: EVENTS_STREAM,
      storage: StorageType.File,
      retention: RetentionPolicy.Workqueue,
      ...changeable,
    });
  } catch (error) {
    if (!isApiError(error, STREAM_EXISTS)) throw error;
    await manager.streams.update(EVENTS_STREAM, changeable);
  }
}

/** JetStream counts nak'ed messages in both limits, so neither may bound anything (contracts.md section 2). */
async function ensureConsumer(manager: JetStreamManager, o: StreamOptions): Promise<void> {
  const changeable = { ack_wait: nanos(o.ackWaitMs), max_deliver: -1, max_ack_pending: -1 };
  try {
    await manager.consumers.add(EVENTS_STREAM, {
      durable_name: KUBERNETES_CONSUMER,
      ack_policy: AckPolicy.Explicit,
      ...changeable,
    });
  } catch (error) {
    if (!isApiError(error, CONSUMER_EXISTS)) throw error;
    await manager.consumers.update(EVENTS_STREAM, KUBERNETES_CONSUMER, changeable);
  }
}

const isApiError = (error: unknown, code: number): boolean =>
  error instanceof NatsError && error.api_error?.err_code === code;

function deliveryOf(message: JsMsg): Delivery {
  const { streamSequence, deliveryCount, timestampNanos } = message.info;
  const encoding = message.headers?.get('Content-Encoding') ?? '';
  return {
    subject: message.subject,
    bytes: message.data,
    contentEncoding: encoding === '' ? undefined : encoding,
    sequence: streamSequence,
    deliveries: deliveryCount,
    publishedAt: new Date(Math.floor(timestampNanos / 1e6)),
    ack: () => message.ack(),
    nak: (delayMs) => (delayMs > 0 ? message.nak(delayMs) : message.nak()),
    term: () => message.term(),
    working: () => message.working(),
  };
}
