import assert from 'node:assert/strict';
import { fromPromise } from 'xstate';
import { describeError } from '../../actors/log.ts';
import { createRegistry } from '../../actors/registry.ts';
import { clusterMachine } from '../../machines/cluster.ts';
import type { Outcome, Ticket } from '../../machines/vocabulary.ts';
import { collectInto, eventually, metric } from '../support/ingest.ts';

const log = collectInto([]);
const arrive = (ticket: Ticket) => ({ type: 'snapshot.arrived', ticket }) as const;

describe('the registry', () => {
  it('settles as failed what a crashed actor held, makes a new one, and hears no late answer twice', async () => {
    const settled: [Ticket, Outcome][] = [];
    let broken = true;
    const machine = clusterMachine.provide({
      actors: {
        syncCluster: fromPromise<Outcome, { readonly ticket: Ticket }>(async ({ input }) => {
          await new Promise((resolve) => setTimeout(resolve, input.ticket === 'slow' ? 50 : 1));
          return { outcome: 'stored' };
        }),
      },
      guards: {
        hasSnapshot: ({ context }) => {
          if (broken && context.snapshots.includes('bug')) throw new Error('a bug in the machine');
          return context.snapshots.length > 0;
        },
      },
    });
    const registry = createRegistry({
      machine,
      log,
      settle: async (ticket, outcome) => {
        settled.push([ticket, outcome]);
      },
    });
    const recreated = await metric('proxima_actors_recreated_total');
    registry.tell('a', arrive('slow'));
    registry.tell('b', arrive('other'));
    registry.tell('a', arrive('bug'));
    await eventually('the end of the slow one', () => settled.some(([ticket]) => ticket === 'slow'));
    await eventually('the other cluster', () => settled.some(([ticket]) => ticket === 'other'));
    broken = false;
    registry.tell('a', arrive('next'));
    await eventually('a new actor', () => settled.some(([ticket]) => ticket === 'next'));
    const byTicket = Object.fromEntries(settled);
    assert.deepEqual(byTicket.bug, { outcome: 'failed', reason: 'crashed' });
    assert.deepEqual(byTicket.next, { outcome: 'stored' });
    assert.deepEqual(byTicket.other, { outcome: 'stored' });
    assert.equal(settled.filter(([ticket]) => ticket === 'next').length, 1);
    assert.equal((await metric('proxima_actors_recreated_total')) - recreated, 1);
    registry.stop();
    assert.deepEqual(registry.list(), []);
  });

  it('keeps one actor per cluster and shows its regions', async () => {
    const machine = clusterMachine.provide({
      actors: {
        syncCluster: fromPromise<Outcome, { readonly ticket: Ticket }>(() => new Promise(() => undefined)),
      },
    });
    const registry = createRegistry({ machine, log, settle: async () => undefined });
    registry.tell('prod/a', arrive('1'));
    registry.tell('prod/a', arrive('2'));
    registry.tell('prod/b', arrive('3'));
    const state = { ingest: 'syncing', liveReads: 'admitting', presence: 'unknown' };
    assert.deepEqual(registry.list(), [
      { key: 'prod/a', state, waiting: 2 },
      { key: 'prod/b', state, waiting: 1 },
    ]);
    registry.stop();
  });
});

describe('a registry of 10,000 clusters', function () {
  this.timeout(60_000);
  const CLUSTERS = 10_000;

  it('settles every snapshot once, one of a cluster at a time, and keeps nothing of it but the actors', async () => {
    const settled = new Map<Ticket, number>();
    const under = new Map<string, number>();
    let most = 0;
    const machine = clusterMachine.provide({
      actors: {
        syncCluster: fromPromise<Outcome, { readonly ticket: Ticket }>(async ({ input }) => {
          const [cluster = ''] = input.ticket.split(':');
          const now = (under.get(cluster) ?? 0) + 1;
          under.set(cluster, now);
          most = Math.max(most, now);
          await new Promise((resolve) => setImmediate(resolve));
          under.set(cluster, now - 1);
          return { outcome: 'stored' };
        }),
      },
    });
    const registry = createRegistry({
      machine,
      log,
      settle: async (ticket) => {
        settled.set(ticket, (settled.get(ticket) ?? 0) + 1);
      },
    });
    const resources = process.getActiveResourcesInfo().length;
    const heap = process.memoryUsage().heapUsed;
    for (let n = 0; n < CLUSTERS; n += 1) {
      registry.tell(`prod/${n}`, arrive(`${n}:1`));
      if (n % 100 === 0) registry.tell(`prod/${n}`, arrive(`${n}:2`));
    }
    await eventually('all are settled', () => settled.size === CLUSTERS * 1.01, 45_000);
    await eventually('all are idle', () => registry.list().every(({ waiting }) => waiting === 0));

    assert.equal(most, 1);
    assert.ok([...settled.values()].every((times) => times === 1));
    const states = registry.list().map(({ state }) => JSON.stringify(state));
    assert.equal(states.length, CLUSTERS);
    assert.deepEqual(
      [...new Set(states)],
      ['{"ingest":"idle","liveReads":"admitting","presence":"connected"}'],
    );
    // An idle actor has no timer, and costs some kilobytes (design section 4).
    assert.ok(process.getActiveResourcesInfo().length <= resources + 1);
    const perActor = (process.memoryUsage().heapUsed - heap) / CLUSTERS;
    assert.ok(perActor < 20_000, `${Math.round(perActor)} bytes an actor, garbage included`);
    registry.stop();
    assert.deepEqual(registry.list(), []);
  });
});

describe('the log', () => {
  it("leaves PostgreSQL's message out, which quotes the refused value, and keeps where it was", () => {
    const refused = Object.assign(new Error('invalid input syntax: "hunter2"'), {
      code: '22P02',
      column: 'version',
    });
    const described = describeError(new Error('the sync failed', { cause: refused }));
    const text = JSON.stringify(described);
    assert.doesNotMatch(text, /hunter2/);
    assert.match(text, /22P02.*version|version.*22P02/);
    assert.match(text, /the sync failed/);
  });
});
