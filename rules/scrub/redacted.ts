/** Whole values of an object that are hidden, their keys and neighbours kept (SZ-24). */

const REDACTED = /^<redacted: \d+ chars>$/;

/** What stands in the place of a whole value: its length in UTF-16 units, and nothing else of it. */
export const redactedValue = (value: string): string =>
  isRedacted(value) ? value : `<redacted: ${value.length} chars>`;

/** Whether a value has been replaced before; it is not counted again. */
export const isRedacted = (value: string): boolean => REDACTED.test(value);
