/** The agent's connection to NATS. The one module of the agent that uses the nats package (its line 2 is the old one). */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Authenticator, ConnectionOptions, JetStreamClient, NatsConnection, Status } from 'nats';
import { connect, Events, headers, jwtAuthenticator, NatsError } from 'nats';
import { createReconnectWait } from '../rules/reconnectWait.ts';
import { agentInbox } from '../wire/subjects.ts';
import type { Log } from './log.ts';

/** What became of one attempt to store a message in the stream. */
export type Attempt =
  | { readonly kind: 'stored'; readonly sequence: number; readonly duplicate: boolean }
  /** Nothing was heard, so it may be stored or not: ask again with the same message id. */
  | { readonly kind: 'unanswered'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

export interface NatsLink {
  isConnected(): boolean;
  /** Resolves when connected; false when `signal` ended the wait. */
  untilConnected(signal: AbortSignal): Promise<boolean>;
  /** Largest message of the server, headers included, in bytes; while disconnected that of the last one. */
  maxPayload(): number;
  /** Publishes into JetStream once and waits for the acknowledgement. Never rejects. */
  store(
    subject: string,
    bytes: Uint8Array,
    o: { messageId: string; contentEncoding: string | undefined; timeoutMs: number },
  ): Promise<Attempt>;
  /** Publishes without an acknowledgement; does nothing while disconnected, so that nothing stale is sent later. */
  send(subject: string, bytes: Uint8Array): void;
  /** Resolves when the client has closed for good, with what made it. It only does so on its own by a fault. */
  readonly closed: Promise<Error | null>;
  /**
   * Answers requests on a subject until the returned function is called; reconnects keep it. A message without a reply
   * subject is dropped, and so is one that `answer` answers with null. `answer` never rejects.
   */
  answer(subject: string, answer: (bytes: Uint8Array) => Promise<Uint8Array | null>): () => void;
  /** Sends what is buffered and closes, within 5 s. */
  drain(): Promise<void>;
}

export interface LinkOptions {
  readonly servers: readonly string[];
  /** PEM of the CA; TLS is then required, and also for a `tls://` server. Read again at each connect. */
  readonly caFile: string | null;
  readonly agentId: string;
  /** Seed of a user nkey, already validated. */
  readonly seed: string;
  /** The newest JWT. */
  jwt(): string;
  /** The server did not accept the JWT: expired, or revoked. */
  refused(): void;
  /** Ends the attempts to connect; an open connection is ended by `drain`. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly reconnectWaitMs?: number;
}

const RECONNECT_WAIT_MS = 2000;
const CONNECT_TIMEOUT_MS = 20_000;
/** A dead peer is noticed after two unanswered pings: within a minute, where the default takes six. */
const PING_INTERVAL_MS = 20_000;
const DRAIN_MS = 5000;

const AUTH_CODES: ReadonlySet<string> = new Set([
  'AUTHORIZATION_VIOLATION',
  'AUTHENTICATION_EXPIRED',
  'BAD_AUTHENTICATION',
]);

/** Connects, trying until it works; null when `signal` ended that. Once connected it reconnects for ever. */
export async function connectNats(o: LinkOptions): Promise<NatsLink | null> {
  const waitMs = o.reconnectWaitMs ?? RECONNECT_WAIT_MS;
  while (!o.signal.aborted) {
    try {
      const connection = await connect(connectOptions(o, waitMs));
      if (!o.signal.aborted) return openLink(connection, o);
      await connection.close();
    } catch (error) {
      const code = codeOf(error);
      o.log.warn({ code }, 'NATS is not connected, trying again');
      if (AUTH_CODES.has(code)) o.refused();
      await sleep(waitMs, undefined, { signal: o.signal }).catch(() => undefined);
    }
  }
  return null;
}

function connectOptions(o: LinkOptions, waitMs: number): ConnectionOptions {
  // Both callbacks read memory alone: an authenticator that throws would close the client for good.
  const authenticator: Authenticator = jwtAuthenticator(() => o.jwt(), new TextEncoder().encode(o.seed));
  const needsTls = o.caFile !== null || o.servers.some((server) => server.startsWith('tls:'));
  return {
    servers: [...o.servers],
    name: `proxima-agent ${o.agentId}`,
    authenticator,
    inboxPrefix: agentInbox(o.agentId),
    // Two refusals in a row would else end the client, while a renewed JWT may be on its way.
    ignoreAuthErrorAbort: true,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: createReconnectWait({
      waitMs,
      servers: o.servers.length,
      wallMs: () => Date.now(),
      monotonicMs: () => performance.now(),
      random: Math.random,
    }),
    pingInterval: PING_INTERVAL_MS,
    timeout: CONNECT_TIMEOUT_MS,
    ...(needsTls ? { tls: o.caFile === null ? {} : { caFile: o.caFile } } : {}),
  };
}

function openLink(connection: NatsConnection, o: LinkOptions): NatsLink {
  let connected = true;
  // The server says it in its first line, before a client counts as connected; the client forgets it when disconnected.
  let maxPayload = connection.info?.max_payload ?? 0;
  const waiting = new Set<() => void>();
  const stream: JetStreamClient = connection.jetstream();

  const note = (status: Status): void => {
    switch (status.type) {
      case Events.Disconnect:
        connected = false;
        o.log.warn({}, 'NATS is disconnected');
        return;
      case Events.Reconnect:
        connected = true;
        for (const wake of waiting) wake();
        o.log.info({}, 'NATS is connected again');
        return;
      case Events.Error: {
        const code = String(status.data);
        if (AUTH_CODES.has(code)) o.refused();
        // A refused plain publish shows up here and nowhere else.
        o.log.error({ code, ...status.permissionContext }, 'NATS reported an error');
        return;
      }
      default:
        return;
    }
  };
  const watch = async (): Promise<void> => {
    for await (const status of connection.status()) note(status);
  };
  // The client leaves this loop waiting when it closes, so nothing may wait for the loop.
  watch().catch((err) => o.log.error({ err }, "NATS's status can no longer be followed"));
  const closed = connection.closed().then((reason) => {
    connected = false;
    return reason instanceof Error ? reason : null;
  });

  return {
    isConnected: () => connected,
    async untilConnected(signal) {
      while (!connected && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            waiting.delete(wake);
            signal.removeEventListener('abort', wake);
            resolve();
          };
          waiting.add(wake);
          signal.addEventListener('abort', wake, { once: true });
        });
      }
      return connected;
    },
    maxPayload() {
      maxPayload = connection.info?.max_payload ?? maxPayload;
      return maxPayload;
    },
    async store(subject, bytes, { messageId, contentEncoding, timeoutMs }) {
      const sent = headers();
      if (contentEncoding !== undefined) sent.set('Content-Encoding', contentEncoding);
      try {
        const ack = await stream.publish(subject, bytes, {
          msgID: messageId,
          headers: sent,
          timeout: timeoutMs,
        });
        return { kind: 'stored', sequence: ack.seq, duplicate: ack.duplicate };
      } catch (error) {
        return attemptOf(error);
      }
    },
    send(subject, bytes) {
      if (connected && !connection.isClosed() && !connection.isDraining()) connection.publish(subject, bytes);
    },
    closed,
    answer(subject, answer) {
      const subscription = connection.subscribe(subject, {
        callback(error, message) {
          if (error !== null) return o.log.error({ err: error }, 'commands cannot be received');
          if (message.reply === undefined || message.reply === '') return;
          answer(message.data)
            .then((reply) => reply !== null && !connection.isClosed() && message.respond(reply))
            .catch((err) => o.log.error({ err }, 'a command could not be answered'));
        },
      });
      return () => {
        if (!connection.isClosed()) subscription.unsubscribe();
      };
    },
    async drain() {
      if (connection.isClosed()) return;
      const waited = new AbortController();
      const drained = connected ? connection.drain() : Promise.resolve();
      await Promise.race([
        drained.catch(() => undefined),
        sleep(DRAIN_MS, undefined, { signal: waited.signal }).catch(() => undefined),
      ]);
      waited.abort();
      await connection.close();
      await closed;
    },
  };
}

/** Codes of a publish that got no answer: no reply in time, nobody listening yet, or a connection lost under way. */
const UNANSWERED: ReadonlySet<string> = new Set([
  'TIMEOUT',
  '503',
  'DISCONNECT',
  'CONNECTION_TIMEOUT',
  'CONNECTION_REFUSED',
  'REQUEST_ERROR',
]);

function attemptOf(error: unknown): Attempt {
  // A JetStream that answers with an error (a full stream, say) has stored nothing; its description names no data.
  if (error instanceof NatsError && error.api_error !== undefined) {
    return {
      kind: 'refused',
      reason: `${error.api_error.err_code ?? ''} ${error.api_error.description}`.trim(),
    };
  }
  const code = codeOf(error);
  return { kind: UNANSWERED.has(code) ? 'unanswered' : 'refused', reason: code };
}

const codeOf = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.name : 'unknown');
