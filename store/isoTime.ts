/** A time as answers carry it: RFC 3339, UTC, milliseconds only when they are not zero (contracts.md). */
export const isoTime = (time: Date): string => time.toISOString().replace('.000Z', 'Z');

/** The same for a column that may be null. */
export const isoTimeOrNull = (time: Date | null): string | null => (time === null ? null : isoTime(time));
