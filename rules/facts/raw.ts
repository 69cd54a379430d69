/**
 * Reading of raw Kubernetes JSON whose shape nobody vouches for: the API server keeps the template of a Rollout nearly as
 * it was typed. What has another shape than expected reads as absent.
 */

/** An object's fields; none for anything else. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};

/** The objects of a list, by their fields; none for anything else. */
export const objectsOf = (value: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.map(fieldsOf) : [];

/** A text that is not empty; null for anything else. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** Text as it is or a whole number as text (util/intstr), null for anything else. */
export const intOrTextOf = (value: unknown): string | null =>
  Number.isInteger(value) ? String(value) : textOf(value);
