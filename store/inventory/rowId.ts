import { randomUUID } from 'node:crypto';

/**
 * Ids for the rows of one sync: UUIDv7 (RFC 9562), rising within the sync by the 12 bits of `rand_a` and, when those are
 * used up, by the millisecond. Rising ids go to the right edge of the primary key; random ones would touch a page of it
 * each, and the first touch of a page after a checkpoint writes the whole page to the WAL.
 */
export function rowIds(now: Date): () => string {
  let milliseconds = now.getTime();
  let counter = 0;
  return () => {
    if (counter === 0x1000) {
      counter = 0;
      milliseconds += 1;
    }
    const time = milliseconds.toString(16).padStart(12, '0');
    const order = counter.toString(16).padStart(3, '0');
    counter += 1;
    // The rest of a random UUID is in place already: variant and 62 random bits.
    return `${time.slice(0, 8)}-${time.slice(8)}-7${order}${randomUUID().slice(18)}`;
  };
}
