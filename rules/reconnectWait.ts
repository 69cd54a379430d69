/**
 * How long a NATS client waits between two attempts to connect.
 *
 * The client compares wall clock times: an attempt that was made before the clock was set back lies in its future, and it
 * would wait for that time to come, an hour for a clock that was an hour ahead. A step back therefore lets every server
 * be dialled once without a wait, which puts the times right.
 */
export function createReconnectWait(o: {
  readonly waitMs: number;
  /** Servers that the client goes round. */
  readonly servers: number;
  /** Milliseconds since 1970. */
  wallMs(): number;
  /** Milliseconds of a clock that only goes forward. */
  monotonicMs(): number;
  /** From 0 to 1: up to a fifth of the wait is added, so that a thousand agents do not come back as one. */
  random(): number;
}): () => number {
  let offset = o.wallMs() - o.monotonicMs();
  let free = 0;
  return () => {
    const now = o.wallMs() - o.monotonicMs();
    if (now < offset - o.waitMs) free = o.servers;
    offset = now;
    if (free > 0) {
      free -= 1;
      return Number.NEGATIVE_INFINITY;
    }
    return o.waitMs * (1 + o.random() / 5);
  };
}
