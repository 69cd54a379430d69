import type { LiveOutcome, Ticket } from './vocabulary.ts';
import { LIVE_LANES, vocabulary } from './vocabulary.ts';

const CHILD = 'live.';

/** The ticket in the name of a lane's done or error event. */
const ticketIn = (eventType: string): Ticket => eventType.slice(eventType.indexOf(CHILD) + CHILD.length);

/** Starts waiting reads, oldest first, as far as lanes are free. */
const fillLanes = vocabulary.enqueueActions(({ context, enqueue }) => {
  const started = context.reads.slice(0, LIVE_LANES - context.lanes.length);
  for (const notice of started) {
    enqueue.spawnChild('readLive', { id: `${CHILD}${notice.ticket}`, input: notice });
  }
  enqueue.assign({
    reads: context.reads.slice(started.length),
    lanes: [...context.lanes, ...started.map((notice) => notice.ticket)],
  });
});

/** Says how a read ended and frees its lane. */
const settleWith = (outcomeOf: (event: unknown) => LiveOutcome) =>
  vocabulary.enqueueActions(({ context, event, enqueue }) => {
    const ticket = ticketIn(event.type);
    // A finished child stays among the children until it is stopped.
    enqueue.stopChild(`${CHILD}${ticket}`);
    enqueue.assign({ lanes: context.lanes.filter((lane) => lane !== ticket) });
    enqueue.emit({ type: 'live.settled', ticket, outcome: outcomeOf(event) });
  });

/**
 * Lets live reads fly in `LIVE_LANES` lanes in the order they were asked: one slow node may hold a lane for 15 s, and
 * must not stall the others (D6).
 */
export const liveReadsRegion = vocabulary.createStateConfig({
  initial: 'admitting',
  states: {
    admitting: {
      on: {
        'live.asked': {
          actions: [
            vocabulary.assign({
              reads: ({ context, event }) =>
                event.type === 'live.asked'
                  ? [...context.reads, { ticket: event.ticket, askedAt: event.askedAt }]
                  : context.reads,
            }),
            fillLanes,
          ],
        },
        [`xstate.done.actor.${CHILD}*`]: {
          actions: [settleWith((event) => (event as { readonly output: LiveOutcome }).output), fillLanes],
        },
        [`xstate.error.actor.${CHILD}*`]: { actions: [settleWith(() => 'failed'), fillLanes] },
      },
    },
  },
});
