/** A request as routes see it, free of Koa. */

import type { Identity } from '../store/sessions.ts';
import type { Refusal } from './refusal.ts';

/** A body that was read: the parsed value and the text as it came, over which signatures are made. */
export interface RequestBody {
  readonly value: unknown;
  readonly text: string;
}

export interface Incoming {
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly search: URLSearchParams;
  /** A header's value; empty when it is absent. */
  header(name: string): string;
  /** Address of the peer. */
  readonly address: string;
  /** `http` or `https`, as the browser sees us. */
  readonly scheme: 'http' | 'https';
  readonly method: string;
  /** Of the answer's `X-Request-Id`. */
  readonly requestId: string;
  /** The session cookie's value; null without one. */
  readonly sessionId: string | null;
  /** Aborts when the caller leaves before the answer is out. */
  readonly gone: AbortSignal;
  /** Who asks; a refusal when nobody is behind it. */
  identify(): Promise<Identity | Refusal>;
  /** Reads the body within its limit; a refusal when it is too large or cannot be read. */
  readBody(): Promise<RequestBody | Refusal>;
}
