/** Puts answers on responses: as JSON or text, compressed where that pays, or not at all where the caller has it. */

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'koa';
import type { Answer } from './answer.ts';
import { errorBody } from './refusal.ts';

const compress = promisify(gzip);
/** Below it the headers weigh more than what is saved. */
const WORTH_COMPRESSING_BYTES = 1024;

/** Puts an answer on the response. */
export async function send(ctx: Context, answer: Answer): Promise<void> {
  ctx.set({ ...answer.headers });
  ctx.status = answer.status;
  switch (answer.kind) {
    case 'json':
      if (answer.sameness !== undefined && isKnown(ctx, answer.sameness)) {
        ctx.status = 304;
        return;
      }
      return sendJson(ctx, answer.body);
    case 'text':
      ctx.type = answer.contentType;
      ctx.body = answer.text;
      return;
    case 'stream':
      ctx.type = answer.contentType;
      ctx.body = answer.stream;
      return;
    case 'empty':
      ctx.body = null;
      ctx.status = answer.status;
      return;
    case 'refusal':
      ctx.body = errorBody(answer);
      return;
  }
}

/** Tags the answer (RFC 9110 section 8.8, weak: the bytes may differ by compression); true when the caller named the tag. */
function isKnown(ctx: Context, sameness: unknown): boolean {
  const tag = `W/"${createHash('sha256').update(JSON.stringify(sameness)).digest('base64url').slice(0, 27)}"`;
  ctx.set({ ETag: tag, 'Cache-Control': 'private, no-cache', Vary: 'Authorization, Cookie' });
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return false;
  return ctx
    .get('If-None-Match')
    .split(',')
    .some((known) => known.trim() === tag);
}

async function sendJson(ctx: Context, body: unknown): Promise<void> {
  const text = JSON.stringify(body);
  ctx.type = 'application/json; charset=utf-8';
  ctx.vary('Accept-Encoding');
  // Only what a GET reads: the answer to a POST may hold a secret beside a text that its sender chose (BREACH).
  const worth = ctx.method === 'GET' && text.length >= WORTH_COMPRESSING_BYTES;
  if (!worth || ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') {
    ctx.body = text;
    return;
  }
  ctx.set('Content-Encoding', 'gzip');
  ctx.body = await compress(text, { level: 1 });
}
