import { deepEqual, equal } from 'node:assert/strict';
import type { AnyActorRef } from 'xstate';
import { createActor, fromCallback, fromPromise } from 'xstate';
import type { CollectorEvent, Step, Term } from '../../machines/collector.ts';
import { collectorMachine } from '../../machines/collector.ts';

const EPOCH = { lease_uid: 'l', transitions: 1 };

/** The machine with work that the spec ends by hand, and what was started and stopped, in order. */
function start() {
  const log: string[] = [];
  const steps = new Map<string, PromiseWithResolvers<Step>>();
  const step = (name: string) =>
    fromPromise<Step>(() => {
      log.push(name);
      const resolvers = Promise.withResolvers<Step>();
      steps.set(name, resolvers);
      return resolvers.promise;
    });
  const drained = Promise.withResolvers<void>();
  const actor = createActor(
    collectorMachine.provide({
      actors: {
        enroll: step('enroll'),
        connect: step('connect'),
        elect: fromCallback<CollectorEvent>(() => {
          log.push('elect');
          return () => log.push('elect ends');
        }),
        lead: fromCallback<CollectorEvent, Term>(({ input }) => {
          log.push(`lead ${input.epoch?.transitions ?? 'alone'}`);
          return () => log.push('lead ends');
        }),
        drain: fromPromise<void>(() => {
          log.push('drain');
          return drained.promise;
        }),
      },
    }),
  );
  actor.start();
  const settle = async (name: string, outcome: Step): Promise<void> => {
    steps.get(name)?.resolve(outcome);
    await ticks();
  };
  return { actor, log, settle, fail: (name: string) => steps.get(name)?.reject(new Error('x')), drained };
}

const ticks = async (): Promise<void> => {
  for (let i = 0; i < 5; i += 1) await new Promise(setImmediate);
};
const stateOf = (actor: AnyActorRef): unknown => actor.getSnapshot().value;

describe('the collector machine', () => {
  it('enrolls, connects, stands by, leads and drains, in this order', async () => {
    const { actor, log, settle, drained } = start();
    equal(stateOf(actor), 'enrolling');
    await settle('enroll', 'done');
    equal(stateOf(actor), 'connecting');
    await settle('connect', 'done');
    deepEqual(stateOf(actor), { working: 'standby' });
    actor.send({ type: 'leadership.won', epoch: EPOCH });
    deepEqual(stateOf(actor), { working: 'leading' });
    actor.send({ type: 'leadership.lost' });
    deepEqual(stateOf(actor), { working: 'standby' });
    equal(actor.getSnapshot().context.term, null);
    actor.send({ type: 'leadership.won', epoch: null });
    actor.send({ type: 'end.called' });
    equal(stateOf(actor), 'draining');
    drained.resolve();
    await ticks();
    equal(stateOf(actor), 'ended');
    deepEqual(log, [
      'enroll',
      'connect',
      'elect',
      'lead 1',
      'lead ends',
      'lead alone',
      'lead ends',
      'elect ends',
      'drain',
    ]);
  });

  it('ends a term and begins another when the Lease was made anew', async () => {
    const { actor, log, settle } = start();
    await settle('enroll', 'done');
    await settle('connect', 'done');
    actor.send({ type: 'leadership.won', epoch: EPOCH });
    actor.send({ type: 'leadership.won', epoch: { lease_uid: 'm', transitions: 2 } });
    deepEqual(log.slice(3), ['lead 1', 'lead ends', 'lead 2']);
    deepEqual(actor.getSnapshot().context.term, { epoch: { lease_uid: 'm', transitions: 2 } });
    actor.stop();
  });

  it('leads nobody before it is connected, and nobody while it drains', async () => {
    const { actor, log, settle } = start();
    actor.send({ type: 'leadership.won', epoch: EPOCH });
    equal(stateOf(actor), 'enrolling');
    await settle('enroll', 'done');
    actor.send({ type: 'leadership.won', epoch: EPOCH });
    equal(stateOf(actor), 'connecting');
    actor.send({ type: 'end.called' });
    actor.send({ type: 'leadership.won', epoch: EPOCH });
    equal(stateOf(actor), 'draining');
    deepEqual(log, ['enroll', 'connect', 'drain']);
    actor.stop();
  });

  for (const outcome of ['refused', 'cancelled', 'fault'] as const) {
    for (const name of ['enroll', 'connect'] as const) {
      it(`drains when ${name} ends as ${outcome}`, async () => {
        const { actor, settle, fail } = start();
        if (name === 'connect') await settle('enroll', 'done');
        if (outcome === 'fault') fail(name);
        else await settle(name, outcome);
        await ticks();
        equal(stateOf(actor), 'draining');
        actor.stop();
      });
    }
  }

  it('ends even when draining fails', async () => {
    const { actor, drained } = start();
    actor.send({ type: 'end.called' });
    drained.reject(new Error('x'));
    await ticks();
    equal(actor.getSnapshot().status, 'done');
  });
});
