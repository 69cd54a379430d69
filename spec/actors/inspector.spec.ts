import { deepEqual, doesNotMatch, equal, ok } from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { InspectionEvent } from 'xstate';
import { fromPromise } from 'xstate';
import type { Inspector } from '../../actors/inspector.ts';
import { createInspector } from '../../actors/inspector.ts';
import { createRegistry } from '../../actors/registry.ts';
import { KEPT_TRANSITIONS } from '../../actors/transitionLog.ts';
import { clusterMachine } from '../../machines/cluster.ts';
import { diagramOf } from '../../machines/diagram.ts';
import type { AgentStatus, Outcome, PresenceCheck, Ticket } from '../../machines/vocabulary.ts';
import { collectInto, eventually } from '../support/ingest.ts';

const arrive = (ticket: Ticket) => ({ type: 'snapshot.arrived', ticket }) as const;
const BYTES_PER_ACTOR = 2_500;

/** Actors whose work ends as `outcomes` say, by ticket; a ticket without one never ends. */
function inspected(outcomes: Readonly<Record<Ticket, Outcome | 'bug'>>) {
  const inspector = createInspector({ now: () => new Date() });
  const machine = clusterMachine.provide({
    actors: {
      syncCluster: fromPromise<Outcome, { readonly ticket: Ticket }>(({ input }) => {
        const outcome = outcomes[input.ticket];
        if (outcome === 'bug') return Promise.reject(new Error('a bug'));
        return outcome === undefined ? new Promise(() => undefined) : Promise.resolve(outcome);
      }),
      markStale: fromPromise<AgentStatus, PresenceCheck>(async () => 'disconnected'),
    },
  });
  const registry = createRegistry({
    machine,
    settle: async () => undefined,
    log: collectInto([]),
    inspector,
  });
  return { inspector, registry };
}

const actorOf = (inspector: Inspector, key: string) => {
  const found = inspector.get(key);
  ok(found);
  return found;
};

describe('the inspector', () => {
  it('shows the states of every region, what waits, and since when a snapshot is being stored', () => {
    const { inspector, registry } = inspected({});
    for (const ticket of ['1', '2', '3']) registry.tell('env/a', arrive(ticket));
    const { actor } = actorOf(inspector, 'env/a');
    deepEqual(actor.state, { ingest: 'syncing', liveReads: 'admitting', presence: 'unknown' });
    equal(actor.queue, 2);
    ok(actor.syncing_since !== null);
    deepEqual(
      inspector.list().map(({ key }) => key),
      ['env/a'],
    );
    equal(inspector.get('env/b'), null);
    registry.stop();
  });

  it('says of a transition its event, the guards that were asked, from, to and the outcome', async () => {
    const { inspector, registry } = inspected({ 1: { outcome: 'failed', reason: 'database' } });
    registry.tell('env/a', arrive('1'));
    await eventually('the outcome', () => actorOf(inspector, 'env/a').actor.last_outcome !== null);
    registry.tell('env/a', { type: 'presence.check', clusterId: 'c', staleBefore: 1 });
    await eventually('the check', () => actorOf(inspector, 'env/a').actor.state.presence === 'disconnected');
    const { transitions, actor } = actorOf(inspector, 'env/a');
    deepEqual(
      transitions.toReversed().map(({ event, from, to, outcome }) => [event, from, to, outcome]),
      [
        ['snapshot.arrived', 'idle', 'idle', null],
        ['always', 'idle', 'syncing', null],
        ['done syncCluster', 'syncing', 'idle', 'failed: database'],
        ['presence.check', 'unknown', 'checking', null],
        ['done markStale', 'checking', 'disconnected', 'disconnected'],
      ],
    );
    deepEqual(transitions[3]?.guards, [{ name: 'hasSnapshot', held: true }]);
    deepEqual(transitions[0]?.guards, [{ name: 'saysConnected', held: false }]);
    deepEqual([actor.last_outcome, actor.failures], ['failed: database', 1]);
    const arrows = new Set(diagramOf(clusterMachine).edges.map(({ id }) => id));
    for (const { edge } of transitions) ok(arrows.has(edge), edge);
    registry.stop();
  });

  it('counts failures in a row and forgets them when a snapshot is stored', async () => {
    const { inspector, registry } = inspected({
      1: { outcome: 'failed', reason: 'timeout' },
      2: 'bug',
      3: { outcome: 'stored' },
    });
    const failures = () => actorOf(inspector, 'a').actor.failures;
    registry.tell('a', arrive('1'));
    registry.tell('a', arrive('2'));
    await eventually('two failures', () => failures() === 2);
    equal(actorOf(inspector, 'a').actor.last_outcome, 'crashed');
    registry.tell('a', arrive('3'));
    await eventually('a success', () => failures() === 0);
    equal(actorOf(inspector, 'a').actor.state.presence, 'connected');
    registry.stop();
  });

  it(`keeps the last ${KEPT_TRANSITIONS} transitions and no ticket`, async () => {
    const { inspector, registry } = inspected({ 'secret-ticket': { outcome: 'stored' } });
    for (let round = 1; round <= 30; round += 1) {
      registry.tell('a', arrive('secret-ticket'));
      await eventually('idle', () => actorOf(inspector, 'a').actor.state.ingest === 'idle');
    }
    const { transitions, actor } = actorOf(inspector, 'a');
    equal(actor.transitions, 30 * 4);
    deepEqual(
      transitions.map(({ number }) => number),
      Array.from({ length: KEPT_TRANSITIONS }, (_, age) => actor.transitions - age),
    );
    doesNotMatch(JSON.stringify({ transitions, actor }), /secret-ticket/);
    registry.stop();
  });

  it('tells followers of each changed actor once, however late they take', () => {
    const { inspector, registry } = inspected({});
    registry.tell('a', arrive('1'));
    registry.tell('b', arrive('1'));
    const following = inspector.follow();
    ok(following);
    equal(following.take(10).length, 2);
    ok(following.isCurrent);
    for (let ticket = 2; ticket <= 6; ticket += 1) registry.tell('b', arrive(String(ticket)));
    const changes = following.take(10);
    deepEqual(
      changes.map(({ key, queue, recent }) => [key, queue, recent.length]),
      [['b', 5, 5]],
    );
    for (let ticket = 0; ticket < 100; ticket += 1) registry.tell('b', arrive(String(ticket)));
    equal(following.take(10)[0]?.recent.length, 8);
    following.close();
    registry.stop();
  });

  it('takes a bounded number of followers and ends them when it closes', () => {
    const { inspector } = inspected({});
    const followings = Array.from({ length: 17 }, () => inspector.follow());
    equal(followings.at(-1), null);
    inspector.close();
    ok(followings[0]?.ended.aborted);
    followings[0]?.close();
    equal(inspector.follow()?.ended.aborted, true);
  });

  it(`needs at most ${BYTES_PER_ACTOR} bytes for an actor with a full history, beside 10,000 others`, () => {
    setFlagsFromString('--expose_gc');
    const collect = runInNewContext('gc') as () => void;
    const held = (): number => {
      collect();
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    const inspector = createInspector({ now: () => new Date() });
    const [transition] = clusterMachine.root.states.ingest?.transitions.get('snapshot.arrived') ?? [];
    ok(transition);
    const event = {
      type: '@xstate.microstep',
      event: { type: 'snapshot.arrived' },
      snapshot: {
        value: { ingest: 'idle', liveReads: 'admitting', presence: 'unknown' },
        context: { snapshots: [], syncing: null, reads: [], lanes: [] },
      },
      _transitions: [transition],
    } as unknown as InspectionEvent;
    const before = held();
    for (let actor = 0; actor < 10_000; actor += 1) {
      const observe = inspector.watch(`${crypto.randomUUID()}/cluster-${actor}`);
      for (let step = 0; step < 40; step += 1) observe(event);
    }
    const perActor = (held() - before) / 10_000;
    console.log(`      ${Math.round(perActor)} bytes per actor`);
    equal(inspector.list().length, 10_000);
    ok(perActor < BYTES_PER_ACTOR, `${perActor} bytes`);
  });
});
