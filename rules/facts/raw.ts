/**
 * Reading of raw Kubernetes JSON whose shape nobody vouches for: the API server keeps the template of a Rollout nearly as
 * it was typed. What has another shape than expected reads as absent.
 */

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object's fields; none for anything else. */
export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

/** The objects of a list, by their fields; none for anything else. */
export const objectsOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** A text that is not empty; null for anything else. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** Text as it is or a whole number as text (util/intstr), null for anything else. */
export const intOrTextOf = (value: unknown): string | null =>
  Number.isInteger(value) ? String(value) : textOf(value);
