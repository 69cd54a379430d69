import { enqueueActions } from 'xstate';
import type { Ticket } from './vocabulary.ts';
import { vocabulary } from './vocabulary.ts';

const ticketOf = (context: { readonly syncing: Ticket | null }): Ticket => {
  if (context.syncing === null) throw new Error('a sync is under way without a ticket');
  return context.syncing;
};

/**
 * Stores one snapshot at a time (D6): `snapshot.arrived` joins the queue, `sync.settled` says how each one ended. A
 * failure of the work itself is an outcome too, so that the message comes again and the queue goes on.
 */
export const ingestRegion = vocabulary.createStateConfig({
  initial: 'idle',
  on: {
    'snapshot.arrived': {
      actions: vocabulary.assign({
        snapshots: ({ context, event }) =>
          event.type === 'snapshot.arrived' ? [...context.snapshots, event.ticket] : context.snapshots,
      }),
    },
  },
  states: {
    idle: {
      always: {
        guard: 'hasSnapshot',
        target: 'syncing',
        actions: vocabulary.assign({
          syncing: ({ context }) => context.snapshots[0] ?? null,
          snapshots: ({ context }) => context.snapshots.slice(1),
        }),
      },
    },
    syncing: {
      invoke: {
        src: 'syncCluster',
        input: ({ context }) => ({ ticket: ticketOf(context) }),
        onDone: {
          target: 'idle',
          actions: enqueueActions(({ context, event, enqueue }) => {
            const ticket = ticketOf(context);
            enqueue.assign({ syncing: null });
            enqueue.emit({ type: 'sync.settled', ticket, outcome: event.output });
            if (event.output.outcome === 'stored') enqueue.raise({ type: 'snapshot.stored' });
          }),
        },
        onError: {
          target: 'idle',
          actions: enqueueActions(({ context, enqueue }) => {
            const ticket = ticketOf(context);
            enqueue.assign({ syncing: null });
            enqueue.emit({
              type: 'sync.settled',
              ticket,
              outcome: { outcome: 'failed', reason: 'crashed' },
            });
          }),
        },
      },
    },
  },
});
