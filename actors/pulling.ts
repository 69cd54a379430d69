/** The lanes that pull messages, one at a time each (design section 5, contracts.md section 2). */

import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseGate } from './databaseGate.ts';
import type { Receive } from './ingress.ts';
import type { Log } from './log.ts';
import type { Delivery, NatsLink, StreamOptions } from './natsLink.ts';

const RETRY_PAUSE_MS = 1_000;

export interface Pulling {
  /** True once the stream and the consumer were found or made, and the last pull was answered. */
  isUp(): boolean;
  /** Asks for no further message; resolves when no pull is open, so that what goes back now goes to another backend. */
  pause(): Promise<void>;
  /** Resolves when, after a pause, the last message pulled is settled. */
  ended(): Promise<void>;
}

/**
 * Runs `lanes` loops that each pull one message, have it settled, and pull the next. A message is therefore asked for only
 * when somebody is free to work on it: none waits in a buffer while its ack wait runs, and two messages of 8 MB stay far
 * below the 64 MB at which nats-server drops a slow consumer.
 *
 * With two lanes one cluster whose snapshot is slow leaves the other lane to everybody else, and one whose snapshot fails
 * is nak'ed at once and holds none. A second snapshot of the slow cluster waits in its lane for some seconds, and then goes
 * back for a while (`actors/ingress`).
 *
 * Survives restarts of the server: a pull that fails is tried again after a second, after making sure of the stream.
 */
export function startPulling(o: {
  readonly link: NatsLink;
  readonly gate: DatabaseGate;
  readonly receive: Receive;
  readonly log: Log;
  readonly lanes: number;
  readonly expiresMs: number;
  readonly stream: StreamOptions;
}): Pulling {
  const stopping = new AbortController();
  const { signal } = stopping;
  let up = true;
  let open: Promise<unknown>[] = [];

  const pull = async (): Promise<Delivery | null> => {
    try {
      const pulled = o.link.pull(o.expiresMs);
      open.push(pulled);
      const delivery = await pulled.finally(() => {
        open = open.filter((other) => other !== pulled);
      });
      up = true;
      return delivery;
    } catch (error) {
      if (up) o.log.warn({ err: error }, 'no messages can be pulled, trying again every second');
      up = false;
      await sleep(RETRY_PAUSE_MS, undefined, { signal }).catch(() => undefined);
      // A server that lost its store has lost the stream too.
      if (!signal.aborted) await o.link.ensureStream(o.stream).catch(() => undefined);
      return null;
    }
  };

  const lane = async (): Promise<void> => {
    while (!signal.aborted) {
      await o.gate.opened();
      if (signal.aborted) return;
      const delivery = await pull();
      if (delivery !== null) await o.receive(delivery);
    }
  };

  const lanes = Promise.all(Array.from({ length: o.lanes }, lane));
  return {
    isUp: () => up,
    async pause() {
      stopping.abort();
      await Promise.allSettled(open);
    },
    async ended() {
      await lanes;
    },
  };
}
