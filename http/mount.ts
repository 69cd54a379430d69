/** Routes onto Koa: the only module that knows the router and the body parser. */

import { bodyParser } from '@koa/bodyparser';
import { Router } from '@koa/router';
import type { Context, Middleware } from 'koa';
import { boundTo } from '../store/requestPool.ts';
import type { Backend } from './backend.ts';
import { identify } from './identity.ts';
import type { Incoming, RequestBody } from './incoming.ts';
import type { Refusal } from './refusal.ts';
import { refuse } from './refusal.ts';
import { send } from './respond.ts';
import type { Route } from './route.ts';
import { cookieName } from './session.ts';

/** Largest request body, after decompression. An enrollment is under 2 KiB. */
const BODY_LIMIT = '256kb';

/** The routes as Koa middleware; a path that is known with other methods answers 405 and names them. */
export function mount(routes: readonly Route[], backend: Backend): Middleware {
  const router = new Router({ sensitive: true, strict: true });
  for (const route of routes) {
    router.register(route.path, [route.method], async (ctx: Context) => {
      ctx.state.route = route;
      // A write goes on without its caller: whoever lost the answer asks what became of it.
      const isRead = route.method === 'GET';
      const gone = callerGone(ctx);
      const bound = isRead ? { ...backend, pool: boundTo(backend.pool, gone) } : backend;
      await send(ctx, await route.run(bound, incoming(ctx, bound, gone)));
    });
  }
  const match = router.routes();
  const allowed = router.allowedMethods();
  return (ctx, next) => match(ctx as never, () => allowed(ctx as never, next));
}

/** Aborts when the connection closes before the answer is out. */
function callerGone(ctx: Context): AbortSignal {
  const gone = new AbortController();
  ctx.res.once('close', () => {
    if (!ctx.res.writableFinished) gone.abort();
  });
  return gone.signal;
}

function incoming(ctx: Context, backend: Backend, gone: AbortSignal): Incoming {
  const scheme = schemeOf(ctx);
  const request: Incoming = {
    params: ctx.params as Record<string, string>,
    search: new URLSearchParams(ctx.querystring),
    header: (name) => ctx.get(name),
    address: ctx.req.socket.remoteAddress ?? '',
    scheme,
    method: ctx.method,
    gone,
    sessionId: ctx.cookies.get(cookieName(scheme)) ?? null,
    identify: () => identify(backend, request),
    requestId: ctx.response.get('X-Request-Id'),
    readBody: () => readBody(ctx),
  };
  return request;
}

/**
 * A TLS proxy in front says `https` in X-Forwarded-Proto. Taking its word is safe: a page cannot set that header across
 * sites, and whoever sets it himself only changes the name of his own cookie.
 */
function schemeOf(ctx: Context): 'http' | 'https' {
  if ('encrypted' in ctx.req.socket) return 'https';
  return ctx.get('X-Forwarded-Proto').split(',')[0]?.trim() === 'https' ? 'https' : 'http';
}

const parseBody = bodyParser({
  enableTypes: ['json', 'form'],
  jsonLimit: BODY_LIMIT,
  formLimit: BODY_LIMIT,
  onError: (error) => {
    throw error;
  },
});

async function readBody(ctx: Context): Promise<RequestBody | Refusal> {
  if (ctx.is('application/json', 'application/x-www-form-urlencoded') === false) {
    return refuse(415, 'unsupported_media_type', 'the body must be application/json');
  }
  try {
    await parseBody(ctx, () => Promise.resolve());
  } catch (error) {
    return bodyRefusal(error);
  }
  return { value: ctx.request.body, text: ctx.request.rawBody ?? '' };
}

/** The parser's faults carry a status; whatever has none is a connection that broke. */
function bodyRefusal(error: unknown): Refusal {
  const status = (error as { status?: unknown }).status;
  if (status === 413) {
    // Nobody reads the rest of the body: a connection kept open would carry it in front of the next request.
    return refuse(413, 'payload_too_large', `the body is larger than ${BODY_LIMIT}`, {
      headers: { Connection: 'close' },
    });
  }
  if (status === 415) return refuse(415, 'unsupported_media_type', 'the body is in an unknown encoding');
  return refuse(400, 'bad_request', 'the body is not JSON');
}
