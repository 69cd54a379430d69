/** What a list is asked for: search, order, labels, place (requirements AP-20 to AP-28, U-35). Pure. */

import type { Kind, SortKeys } from '../../wire/kinds/define.ts';

/** A value that was read, or what is wrong with the text; `problem` completes "q …". */
export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

const read = <T>(value: T): Read<T> => ({ ok: true, value });
const unreadable = (problem: string): { ok: false; problem: string } => ({ ok: false, problem });

const MAX_SEARCH_CHARS = 100;
const CONTROL = /\p{Cc}/u;
/** What decoding makes of bytes that are no UTF-8; no name holds it. */
const REPLACEMENT = '\ufffd';

/** A search text, trimmed; null when nothing is left to search for (AP-21, AP-22). */
export function readSearch(text: string): Read<string | null> {
  if (text.includes(REPLACEMENT)) return unreadable('is not valid UTF-8');
  if (CONTROL.test(text)) return unreadable('has a control character');
  const trimmed = text.trim();
  if ([...trimmed].length > MAX_SEARCH_CHARS)
    return unreadable(`is longer than ${MAX_SEARCH_CHARS} characters`);
  return read(trimmed === '' ? null : trimmed);
}

export interface Sort {
  /** One of the kind's sort keys. */
  readonly key: string;
  readonly descending: boolean;
}

/** A sort key, with `-` in front for descending (AP-23). */
export function readSort(keys: SortKeys, text: string): Read<Sort> {
  const descending = text.startsWith('-');
  const key = descending ? text.slice(1) : text;
  if (Object.hasOwn(keys, key)) return read({ key, descending });
  return unreadable(`must be one of ${Object.keys(keys).join(', ')}, with - in front for descending`);
}

/** Label keys and values that an object must have. */
export type Labels = Readonly<Record<string, string>>;

const MAX_LABELS = 20;
/** Prefix and name as Kubernetes takes them, 253 + 1 + 63 characters, and a value of at most 63. */
const LABEL = /^([A-Za-z0-9][A-Za-z0-9./_-]{0,316})=([A-Za-z0-9._-]{0,63})$/;

/** `key=value`, several separated by commas; null for none. */
export function readLabels(text: string): Read<Labels | null> {
  if (text === '') return read(null);
  const pairs = text.split(',').map((pair) => LABEL.exec(pair.trim()));
  if (pairs.length > MAX_LABELS) return unreadable(`has more than ${MAX_LABELS} labels`);
  if (pairs.includes(null)) return unreadable('must be key=value, several separated by commas');
  return read(Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? ''])));
}

/** A place in the default order of a list: values of the columns of `kind.order`, then the id. */
export type Place = readonly string[];

/**
 * The place of a row as text for `cursor=`. It names the list, because the place of a pod means nothing among services.
 */
export const writeCursor = (kind: Kind, row: Readonly<Record<string, unknown>>): string =>
  Buffer.from(
    JSON.stringify([kind.path, ...[...kind.order, 'id'].map((column) => String(row[column]))]),
  ).toString('base64url');

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MAX_CURSOR_CHARS = 4096;

/** The place that a cursor of this list stands for. */
export function readCursor(kind: Kind, text: string): Read<Place> {
  const parts = text.length > MAX_CURSOR_CHARS ? null : parseArray(text);
  const place = parts?.slice(1).filter((part) => typeof part === 'string' && !part.includes('\0')) ?? [];
  const known = parts?.[0] === kind.path && parts.length === kind.order.length + 2;
  if (!known || place.length !== kind.order.length + 1 || !UUID.test(String(place.at(-1)))) {
    return unreadable('is not a cursor of this list');
  }
  return read(place as string[]);
}

function parseArray(text: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
