/** Bounds on what a cluster's users can write into their objects. */

import { MAX_TEXT_CHARS } from '../../wire/limits.ts';

/**
 * The same value with longer texts cut, in place. An image or the reason of an event may be a megabyte, written by
 * anyone who may create a pod; the backend would refuse the whole cluster's snapshot over it.
 */
export function boundTexts<T extends object>(value: T): T {
  const fields = value as Record<string, unknown>;
  for (const key in fields) {
    const field = fields[key];
    if (typeof field === 'string') {
      if (field.length > MAX_TEXT_CHARS) fields[key] = field.slice(0, MAX_TEXT_CHARS);
    } else if (typeof field === 'object' && field !== null) boundTexts(field);
  }
  return value;
}
