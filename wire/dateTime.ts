/** RFC 3339 times as messages carry them. A snapshot has tens of thousands; this check is one pattern and no allocation. */

const SHAPE =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * True for a date-time of RFC 3339 section 5.6 that the calendar has. No leap seconds: Kubernetes writes none, and
 * PostgreSQL would move one to the next minute.
 */
export function isDateTime(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const day = Number(text.slice(8, 10));
  return day <= 28 || day <= daysOf(Number(text.slice(0, 4)), Number(text.slice(5, 7)));
}

/** Days of a month; the last day is the one before the first of the next. */
const daysOf = (year: number, month: number): number => {
  const first = new Date(Date.UTC(2000, month, 1));
  first.setUTCFullYear(month === 12 ? year + 1 : year);
  return new Date(first.getTime() - 86_400_000).getUTCDate();
};
