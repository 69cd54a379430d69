/** The HTTP server: limits, headers and errors that hold for every route. */

import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import Koa, { type Context, type Next } from 'koa';
import type { Log } from '../actors/log.ts';
import { isAway, isOverdue } from '../store/errors.ts';
import { CallerLeft } from '../store/requestPool.ts';
import type { Backend } from './backend.ts';
import { mount } from './mount.ts';
import type { Refusal } from './refusal.ts';
import { errorBody, refuse } from './refusal.ts';
import { send } from './respond.ts';
import type { Route } from './route.ts';

/** A slow sender may hold a connection this long; the largest body fits many times. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** An answer that takes longer is given up: no read of ours may take this long. */
const ANSWER_TIMEOUT_MS = 60_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** How long open requests may take to finish when the server stops. */
const DRAIN_MS = 5_000;

export interface HttpServer {
  readonly port: number;
  /** Takes no new connection, lets open requests finish for a few seconds, then closes what is left. */
  stop(): Promise<void>;
}

export interface Listening {
  /** Null: every interface. */
  readonly host: string | null;
  readonly port: number;
  /** When the port is taken, try the ones above it. */
  readonly nextFree: boolean;
}

/** Serves the routes. Throws when the port cannot be had. */
export async function startHttpServer(
  routes: readonly Route[],
  backend: Backend,
  at: Listening,
): Promise<HttpServer> {
  const app = new Koa();
  app.on('error', (error: unknown) => backend.log.warn({ err: error }, 'response could not be sent'));
  app.use(frame(backend.log));
  app.use(mount(routes, backend));
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, app.callback());
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.on('clientError', refuseMalformed);
  const port = await listen(server, at);
  return { port, stop: () => stop(server) };
}

const REQUEST_ID = /^[\w.-]{1,64}$/;

/** Around every request: its id, the headers that all answers carry, the error envelope, one log line. */
const frame = (log: Log) => async (ctx: Context, next: Next) => {
  const startedAt = performance.now();
  const requestId = REQUEST_ID.test(ctx.get('X-Request-Id')) ? ctx.get('X-Request-Id') : randomUUID();
  ctx.set({
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    // Not no-referrer: under that, a browser sends `Origin: null` with our own login form.
    'Referrer-Policy': 'same-origin',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  });
  const timeout = deadline();
  try {
    await Promise.race([next(), timeout.expired]);
    if (ctx.body == null && ctx.status >= 400) await send(ctx, unanswered(ctx.status));
  } catch (error) {
    const about = { request_id: requestId, method: ctx.method, route: routeOf(ctx) };
    if (error instanceof CallerLeft || ctx.res.closed) log.debug(about, 'the caller left before the answer');
    else log.error({ err: error, ...about }, 'request failed');
    await send(ctx, failure(error));
  } finally {
    timeout.clear();
  }
  log.debug(
    {
      request_id: requestId,
      method: ctx.method,
      route: routeOf(ctx),
      status: ctx.status,
      ms: Math.round(performance.now() - startedAt),
    },
    'request',
  );
};

/** What a caller is told of a fault; the log has the rest. */
function failure(error: unknown): Refusal {
  const later = { headers: { 'Retry-After': '5' } };
  if (isOverdue(error)) {
    return refuse(503, 'overloaded', 'the question took too long to answer; narrow it or ask later', later);
  }
  if (isAway(error)) return refuse(503, 'database_unavailable', 'the database is away; ask again', later);
  return refuse(500, 'internal_error', 'the request could not be answered');
}

const routeOf = (ctx: Context): string | null => (ctx.state.route as Route | undefined)?.path ?? null;

function deadline(): { expired: Promise<never>; clear(): void } {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  expired.catch(() => undefined);
  const timer = setTimeout(
    () => reject(new Error(`no answer within ${ANSWER_TIMEOUT_MS} ms`)),
    ANSWER_TIMEOUT_MS,
  );
  return { expired, clear: () => clearTimeout(timer) };
}

/** What the router leaves without a body: an unknown path, or a known one with another method. */
function unanswered(status: number) {
  if (status === 405) return refuse(405, 'method_not_allowed', 'the path does not take this method');
  if (status === 501) return refuse(501, 'not_implemented', 'the method is not known');
  return refuse(404, 'not_found', 'no such path');
}

/** Bytes that are no HTTP request: the envelope by hand, then the connection closes. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status =
    error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const body = JSON.stringify(
    errorBody({ code: 'bad_request', message: 'the request is not valid HTTP', details: null }),
  );
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `X-Request-Id: ${randomUUID()}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const PORTS_TRIED = 50;

async function listen(server: Server, at: Listening): Promise<number> {
  for (let port = at.port; ; port += 1) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, ...(at.host === null ? {} : { host: at.host }) }, () => {
          server.removeListener('error', reject);
          resolve();
        });
      });
      return (server.address() as AddressInfo).port;
    } catch (error) {
      const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!taken || !at.nextFree || port >= at.port + PORTS_TRIED) throw error;
    }
  }
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(timer);
}
