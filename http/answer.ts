/** What a route answers. */

import type { Readable } from 'node:stream';
import type { Refusal } from './refusal.ts';

export interface JsonAnswer {
  readonly kind: 'json';
  readonly status: number;
  readonly body: unknown;
  /** What makes two answers the same: a caller who has it already gets 304. Absent: answers are not compared. */
  readonly sameness?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TextAnswer {
  readonly kind: 'text';
  readonly status: number;
  readonly text: string;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A body without an end of its own; its owner destroys it, or the caller who leaves. */
export interface StreamAnswer {
  readonly kind: 'stream';
  readonly status: number;
  readonly stream: Readable;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** No body: 204, or a redirect. */
export interface EmptyAnswer {
  readonly kind: 'empty';
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Answer = JsonAnswer | TextAnswer | StreamAnswer | EmptyAnswer | Refusal;

/** 200 with one object: `{"data": …}`, with an ETag. */
export const one = (data: unknown): JsonAnswer => ({
  kind: 'json',
  status: 200,
  body: { data },
  sameness: data,
});

/** 201 with the object made: `{"data": …}`. */
export const created = (data: unknown): JsonAnswer => ({ kind: 'json', status: 201, body: { data } });

/** 200 with a list: `{"data": […], "meta": …}`. */
export const many = (data: readonly unknown[], meta: Readonly<Record<string, unknown>>): JsonAnswer => ({
  kind: 'json',
  status: 200,
  body: { data, meta },
});

export const done = (): EmptyAnswer => ({ kind: 'empty', status: 204 });
