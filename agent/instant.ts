/** A time as it travels: RFC 3339 in UTC, milliseconds only when they are not zero (contracts.md, X-49). */
export const instant = (time: Date): string => time.toISOString().replace('.000Z', 'Z');
