import { isDateTime } from '../wire/dateTime.ts';
import type { Param } from './params.ts';

/** A point in time (RFC 3339) whose year still has four digits in UTC; null when it is not given. */
export const timeParam = (description: string): Param<Date | null> => ({
  schema: { type: 'string', format: 'date-time' },
  description,
  problem: 'must be a time such as 2026-11-30T22:00:00Z',
  absent: null,
  read(text) {
    if (!isDateTime(text)) return undefined;
    const time = new Date(text);
    const year = time.getUTCFullYear();
    return year >= 1 && year <= 9999 ? time : undefined;
  },
});
