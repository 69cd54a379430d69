/** Times of the Kubernetes API as they travel (contracts.md, X-49). */

const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * A Kubernetes Time or MicroTime in UTC with `Z`, cut to milliseconds, without a fraction of zero. Null for none and
 * for what is no time: one unreadable stamp must not make the backend refuse the whole snapshot.
 */
export function wireTime(time: string | null | undefined): string | null {
  if (time === null || time === undefined || !RFC3339.test(time)) return null;
  const ms = Date.parse(time);
  // A leap second or a 25th hour has no place in a Date; a year past 9999 has none in RFC 3339.
  if (Number.isNaN(ms)) return null;
  const iso = new Date(ms).toISOString();
  return RFC3339.test(iso) ? iso.replace('.000Z', 'Z') : null;
}
