/** Bounds on what a cluster's users can write into their objects. */

import { MAX_TEXT_CHARS } from '../../wire/limits.ts';

/**
 * The same value with longer texts cut, in place. An image or the reason of an event may be a megabyte, written by
 * anyone who may create a pod; the backend would refuse the whole cluster's snapshot over it.
 * @param share answers an equal text, maybe one that is there already
 */
export function boundTexts<T extends object>(value: T, share = (text: string): string => text): T {
  const fields = value as Record<string, unknown>;
  for (const key in fields) {
    const field = fields[key];
    if (typeof field === 'string') {
      const text = field.length > MAX_TEXT_CHARS ? field.slice(0, MAX_TEXT_CHARS) : share(field);
      fields[key] = text;
    } else if (typeof field === 'object' && field !== null) boundTexts(field, share);
  }
  return value;
}
