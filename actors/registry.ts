/** The running actors, one per cluster that was heard of. */

import type { ActorRefFrom } from 'xstate';
import { createActor } from 'xstate';
import type { ClusterMachine } from '../machines/cluster.ts';
import type { ClusterEvent, Ticket } from '../machines/vocabulary.ts';
import type { Inspector } from './inspector.ts';
import type { Log } from './log.ts';
import { actorsRecreated } from './metrics.ts';
import type { Settle } from './settle.ts';

export interface Registry {
  /** Sends an event to the actor of this cluster, which is made when it is missing. */
  tell(clusterKey: string, event: ClusterEvent): void;
  /** Every actor with the state of its regions. */
  list(): { readonly key: string; readonly state: unknown; readonly waiting: number }[];
  /** Ends every actor. What is under way goes on unheard. */
  stop(): void;
}

interface Resident {
  readonly actor: ActorRefFrom<ClusterMachine>;
  /** Tickets that it was told of and has not settled. */
  readonly tickets: Set<Ticket>;
}

/**
 * Actors of `machine`, whose work is provided. An actor that throws is dead, and unobserved it would end the process:
 * every one is observed; a dead one's tickets are settled as `failed` (the messages come again), and the next event makes
 * a new one. Its work is not aborted by the crash; `settle` takes a ticket once, and the cluster's row lock orders the
 * rest.
 */
export function createRegistry(o: {
  readonly machine: ClusterMachine;
  readonly settle: Settle;
  readonly log: Log;
  /** Sees what the actors do. */
  readonly inspector?: Pick<Inspector, 'watch' | 'crashed'>;
}): Registry {
  const residents = new Map<string, Resident>();

  const bury = (key: string, resident: Resident, error: unknown): void => {
    if (residents.get(key) === resident) residents.delete(key);
    actorsRecreated.inc();
    o.inspector?.crashed(key);
    o.log.error({ err: error, cluster: key }, 'a cluster actor crashed and is made anew');
    for (const ticket of resident.tickets) void o.settle(ticket, { outcome: 'failed', reason: 'crashed' });
  };

  const inspected = (key: string) => (o.inspector === undefined ? {} : { inspect: o.inspector.watch(key) });

  const settleIn = (key: string): Resident => {
    const resident: Resident = { actor: createActor(o.machine, inspected(key)), tickets: new Set() };
    residents.set(key, resident);
    resident.actor.subscribe({ error: (error) => bury(key, resident, error) });
    resident.actor.on('sync.settled', ({ ticket, outcome }) => {
      resident.tickets.delete(ticket);
      void o.settle(ticket, outcome);
    });
    resident.actor.start();
    return resident;
  };

  return {
    tell(key, event) {
      const resident = residents.get(key) ?? settleIn(key);
      if (event.type === 'snapshot.arrived') resident.tickets.add(event.ticket);
      resident.actor.send(event);
    },
    list: () =>
      [...residents].map(([key, { actor, tickets }]) => ({
        key,
        state: actor.getSnapshot().value,
        waiting: tickets.size,
      })),
    stop() {
      for (const { actor } of residents.values()) actor.stop();
      residents.clear();
    },
  };
}
