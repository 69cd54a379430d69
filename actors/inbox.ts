/** Where messages wait while an actor holds nothing but their tickets (D5). */

import type { Ticket } from '../machines/vocabulary.ts';
import { ticketsHeld } from './metrics.ts';
import type { Delivery } from './natsLink.ts';
import type { Continue } from './spans.ts';
import { keepSpan } from './spans.ts';
import type { SyncInput } from './syncCluster.ts';

export interface Held {
  readonly delivery: Delivery;
  readonly receivedAt: Date;
}

export interface Inbox {
  /** Takes a message in. While its ticket is held, JetStream hears that it is being worked on. */
  hold(delivery: Delivery): Ticket;
  /** Puts the decoded snapshot with its ticket; `cluster` is the key of its actor. */
  admit(ticket: Ticket, admitted: SyncInput, cluster: string): void;
  /** Work on the ticket begins: what was admitted; null when the ticket is settled or was not admitted. */
  begin(ticket: Ticket): SyncInput | null;
  /**
   * For a ticket whose work has not begun: how long another snapshot of its cluster has been worked on, in milliseconds
   * (0 when none is). Null once the work began, or the ticket is settled.
   */
  waitsBehind(ticket: Ticket): number | null;
  /**
   * Runs work as part of the message's span. The actor that works on it may begin when another message's work ends, which
   * would make it a part of that one's.
   */
  within: <T>(ticket: Ticket, work: () => T) => T;
  /** Lets go of a ticket: the first call gets the message and a function to call when it is settled, later ones null. */
  take(ticket: Ticket): (Held & { readonly admitted: SyncInput | null; done(): void }) | null;
  /** Resolves when the ticket is settled; at once when it already is. */
  settled(ticket: Ticket): Promise<void>;
  tickets(): Ticket[];
}

interface Entry extends Held {
  admitted: SyncInput | null;
  cluster: string | null;
  begunAt: Date | null;
  readonly timer: NodeJS.Timeout;
  readonly resume: Continue;
  readonly settled: PromiseWithResolvers<void>;
}

/** `workingEveryMs` has to be well below the consumer's ack wait: a third of it (design section 5). */
export function createInbox(o: { readonly workingEveryMs: number; readonly now: () => Date }): Inbox {
  const entries = new Map<Ticket, Entry>();
  const settling = new Map<Ticket, Promise<void>>();
  let count = 0;
  return {
    hold(delivery) {
      count += 1;
      const ticket = `${count}`;
      entries.set(ticket, {
        delivery,
        receivedAt: o.now(),
        admitted: null,
        cluster: null,
        begunAt: null,
        resume: keepSpan(),
        timer: setInterval(() => delivery.working(), o.workingEveryMs),
        settled: Promise.withResolvers<void>(),
      });
      ticketsHeld.set(entries.size);
      return ticket;
    },
    admit(ticket, admitted, cluster) {
      const entry = entries.get(ticket);
      if (entry !== undefined) Object.assign(entry, { admitted, cluster });
    },
    begin(ticket) {
      const entry = entries.get(ticket);
      if (entry === undefined) return null;
      entry.begunAt = o.now();
      return entry.admitted;
    },
    waitsBehind(ticket) {
      const waiting = entries.get(ticket);
      if (waiting === undefined || waiting.begunAt !== null) return null;
      const now = o.now().getTime();
      const begun = [...entries.values()].flatMap(({ cluster, begunAt }) =>
        cluster === waiting.cluster && begunAt !== null ? [now - begunAt.getTime()] : [],
      );
      return Math.max(0, ...begun);
    },
    within(ticket, work) {
      const entry = entries.get(ticket);
      return entry === undefined ? work() : entry.resume(work);
    },
    take(ticket) {
      const entry = entries.get(ticket);
      if (entry === undefined) return null;
      entries.delete(ticket);
      clearInterval(entry.timer);
      ticketsHeld.set(entries.size);
      settling.set(ticket, entry.settled.promise);
      const { delivery, receivedAt, admitted } = entry;
      const done = (): void => {
        settling.delete(ticket);
        entry.settled.resolve();
      };
      return { delivery, receivedAt, admitted, done };
    },
    settled: (ticket) => entries.get(ticket)?.settled.promise ?? settling.get(ticket) ?? Promise.resolve(),
    tickets: () => [...entries.keys()],
  };
}
