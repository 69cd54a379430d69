import type { Context } from 'koa';
import type { Answer } from './answer.ts';
import { errorBody } from './refusal.ts';

/** Puts an answer on the response. */
export function send(ctx: Context, answer: Answer): void {
  ctx.set({ ...answer.headers });
  ctx.status = answer.status;
  switch (answer.kind) {
    case 'json':
      ctx.body = answer.body;
      return;
    case 'text':
      ctx.type = answer.contentType;
      ctx.body = answer.text;
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
