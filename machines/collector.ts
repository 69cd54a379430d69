/**
 * The life of an agent (design section 4): enrolled once, connected, then standing by or leading until it is asked to end.
 * Only a leader collects, publishes and sends heartbeats (HA-02). The work behind the states is provided by `agent/life`.
 */

import { assign, fromCallback, fromPromise, setup } from 'xstate';

/** What enrollment and connecting can come to; a refusal and a fault are told to `ended` by whoever met them. */
export type Step = 'done' | 'cancelled' | 'refused';

/** Which leader an agent is: the Lease's uid and transition count; null without election (HA-09). */
export interface Term {
  readonly epoch: { readonly lease_uid: string; readonly transitions: number } | null;
}

export type CollectorEvent =
  | ({ readonly type: 'leadership.won' } & Term)
  | { readonly type: 'leadership.lost' }
  | { readonly type: 'end.called' };

export interface CollectorContext {
  /** Of the leading agent; null else. */
  readonly term: Term | null;
}

const notProvided = (name: string) => (): never => {
  throw new Error(`${name} is not provided`);
};

export const collectorMachine = setup({
  types: {
    context: {} as CollectorContext,
    events: {} as CollectorEvent,
  },
  actors: {
    /** Reads the identity or asks the backend for one. */
    enroll: fromPromise<Step>(notProvided('enroll')),
    connect: fromPromise<Step>(notProvided('connect')),
    /** Runs the election while there is work; sends `leadership.won` and `leadership.lost`. */
    elect: fromCallback<CollectorEvent>(notProvided('elect')),
    /** Syncs and heartbeats of one term. */
    lead: fromCallback<CollectorEvent, Term>(notProvided('lead')),
    /** Closes everything in order (OB-09). */
    drain: fromPromise<void>(notProvided('drain')),
  },
  guards: {
    isDone: (_, step: { readonly step: Step }) => step.step === 'done',
  },
}).createMachine({
  id: 'collector',
  context: { term: null },
  initial: 'enrolling',
  states: {
    enrolling: {
      invoke: {
        src: 'enroll',
        onDone: [
          {
            guard: { type: 'isDone', params: ({ event }) => ({ step: event.output }) },
            target: 'connecting',
          },
          { target: 'draining' },
        ],
        onError: 'draining',
      },
      on: { 'end.called': 'draining' },
    },
    connecting: {
      invoke: {
        src: 'connect',
        onDone: [
          {
            guard: { type: 'isDone', params: ({ event }) => ({ step: event.output }) },
            target: 'working',
          },
          { target: 'draining' },
        ],
        onError: 'draining',
      },
      on: { 'end.called': 'draining' },
    },
    working: {
      initial: 'standby',
      invoke: { src: 'elect' },
      on: { 'end.called': 'draining' },
      states: {
        standby: {
          on: {
            'leadership.won': {
              target: 'leading',
              actions: assign({ term: ({ event }) => ({ epoch: event.epoch }) }),
            },
          },
        },
        leading: {
          invoke: { src: 'lead', input: ({ context }) => ({ epoch: context.term?.epoch ?? null }) },
          exit: assign({ term: null }),
          on: {
            'leadership.lost': 'standby',
            // A Lease that was made anew is another term of the same leader.
            'leadership.won': {
              target: 'leading',
              reenter: true,
              actions: assign({ term: ({ event }) => ({ epoch: event.epoch }) }),
            },
          },
        },
      },
    },
    draining: {
      invoke: { src: 'drain', onDone: 'ended', onError: 'ended' },
    },
    ended: { type: 'final' },
  },
});

export type CollectorMachine = typeof collectorMachine;
