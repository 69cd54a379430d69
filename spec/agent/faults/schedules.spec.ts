import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { NatsLink } from '../../../actors/natsLink.ts';
import { Random } from '../../../sim/random.ts';
import type { Snapshot } from '../../../wire/snapshot.ts';
import { rounds, seed } from '../../support/campaign.ts';
import type { Stream } from '../rig.ts';
import { startStream } from '../rig.ts';
import type { FleetUnderFaults } from './fleetUnderFaults.ts';
import { jumpClock, startFleetUnderFaults } from './fleetUnderFaults.ts';

const SEED = seed();
const SCHEDULES = rounds(50, 500);
/** So many at a time on one nats-server, which all of them lose together. */
const SIDE_BY_SIDE = 10;
const LASTS_MS = 4_000;

const KINDS = ['forbidden', 'expired', 'throttled', 'broken', 'cut', 'slow', 'unauthorized'] as const;
const LISTED = [
  'pods',
  'replicasets',
  'deployments',
  'rollouts',
  'applications',
  'events',
  'nodes',
  'services',
  'leases',
];

/** What one schedule does to its cluster until its time is up. */
async function disturb(fleet: FleetUnderFaults, random: Random): Promise<string[]> {
  const done: string[] = [];
  const until = performance.now() + LASTS_MS;
  while (performance.now() < until) {
    const turn = random.int(0, 9);
    if (turn < 6) {
      const kind = random.pick(KINDS);
      const fault = {
        kind,
        resource: random.pick(LISTED),
        times: random.int(1, 4),
        delayMs: 400,
        retryAfterSeconds: 0,
      };
      const continued = random.int(0, 3) === 0 ? { continued: true } : {};
      fleet.server.faults.add({ ...fault, ...continued } as Parameters<typeof fleet.server.faults.add>[0]);
      done.push(`${kind} ${fault.resource}`);
    } else if (turn === 6) {
      fleet.server.faults.clear();
      done.push('clear');
    } else if (turn === 7) {
      fleet.cluster.remove('leases', 'kube-system', 'proxima-cluster-agent');
      done.push('lease lost');
    } else if (turn === 8) {
      fleet.cluster.serves.rollouts = !fleet.cluster.serves.rollouts;
      done.push('rollouts come or go');
    } else if (done.filter((step) => step.startsWith('crash')).length < 1) {
      const index = random.int(0, 1);
      await fleet.crash(index);
      done.push(`crash ${index}`);
    }
    await sleep(random.int(50, 500));
  }
  fleet.server.faults.clear();
  fleet.cluster.serves.rollouts = true;
  return done;
}

interface Arrived {
  readonly subject: string;
  readonly text: string;
  readonly snapshot: Snapshot;
}

/** Takes every message out of the stream until it is told to stop. */
function collect(backend: NatsLink): { arrived: Arrived[]; stop(): Promise<void> } {
  const arrived: Arrived[] = [];
  let stopped = false;
  const loop = (async () => {
    while (!stopped) {
      const delivery = await backend.pull(1_000).catch(() => sleep(100, null));
      if (delivery === null) continue;
      delivery.ack();
      const text =
        delivery.contentEncoding === 'gzip'
          ? gunzipSync(delivery.bytes).toString()
          : Buffer.from(delivery.bytes).toString();
      arrived.push({ subject: delivery.subject, text, snapshot: JSON.parse(text) as Snapshot });
    }
  })();
  return {
    arrived,
    async stop() {
      stopped = true;
      await loop;
    },
  };
}

const resources = (): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};

describe(`agents under ${SCHEDULES} schedules of faults (SEED=${SEED})`, () => {
  let stream: Stream;
  before(async () => {
    stream = await startStream();
  });
  after(async () => {
    await Promise.all(running.map((fleet) => fleet.stop()));
    await stream.stop();
  });
  const running: FleetUnderFaults[] = [];

  for (let first = 0; first < SCHEDULES; first += SIDE_BY_SIDE) {
    const count = Math.min(SIDE_BY_SIDE, SCHEDULES - first);
    it(`schedules ${first} to ${first + count - 1}: no crash, nothing partial called whole, no secret, one agent per epoch`, async () => {
      // The time limit of the test itself is set a moment after its start.
      await sleep(1);
      const before = resources();
      const taken = collect(stream.backend);
      const seeds = Array.from({ length: count }, (_, i) => `${SEED}/${first + i}`);
      const fleets = await Promise.all(seeds.map((seed) => startFleetUnderFaults(stream.nats, seed)));
      running.push(...fleets);
      const restart = sleep(1_500).then(() => stream.nats.restart(300));
      const jump = sleep(1_000).then(async () => {
        const restore = jumpClock(((first / SIDE_BY_SIDE) % 2 === 0 ? 1 : -1) * 3_600_000);
        await sleep(2_000).finally(restore);
      });
      const stories = await Promise.all(
        fleets.map((fleet, i) => disturb(fleet, new Random(`${seeds[i]}/faults`))),
      );
      await Promise.all([restart, jump]);
      const healedAt = Date.now();
      const of = (fleet: FleetUnderFaults) =>
        taken.arrived.filter(({ subject }) => subject.startsWith(`proxima.${fleet.client}.`));
      const isWhole = ({ snapshot }: Arrived): boolean =>
        Date.parse(snapshot.timestamp) > healedAt &&
        Object.values(snapshot.coverage ?? {}).every(({ state }) => state === 'complete');
      const deadline = performance.now() + 20_000;
      while (!fleets.every((fleet) => of(fleet).some(isWhole)) && performance.now() < deadline)
        await sleep(100);
      await Promise.all(running.splice(0).map((fleet) => fleet.stop()));
      await taken.stop();

      for (const [i, fleet] of fleets.entries()) {
        const story = `seed ${seeds[i]}: ${stories[i]?.join(', ')}`;
        const mine = of(fleet);
        ok(mine.some(isWhole), `nothing whole after the faults; ${story}`);
        const epochs = new Map<string, string>();
        for (const { text, snapshot } of mine) {
          for (const marker of fleet.markers)
            ok(!text.includes(marker), `${marker} left the cluster; ${story}`);
          for (const [resource, { state, listed, sent }] of Object.entries(snapshot.coverage ?? {})) {
            if (state !== 'complete' || !(resource in fleet.counts)) continue;
            deepEqual(
              [listed, sent],
              [fleet.counts[resource], fleet.counts[resource]],
              `${resource}; ${story}`,
            );
          }
          const epoch = JSON.stringify(snapshot.epoch);
          equal(
            epochs.get(epoch) ?? snapshot.agent_id,
            snapshot.agent_id,
            `two agents under ${epoch}; ${story}`,
          );
          epochs.set(epoch, snapshot.agent_id);
        }
      }
      // Timers and sockets go with the agents; the collector of the spec has one request under way at most.
      const left = async (): Promise<Record<string, number>> => {
        const now = resources();
        return Object.fromEntries(
          ['Timeout', 'TCPSocketWrap', 'TCPServerWrap', 'FSReqPromise'].flatMap((kind) => {
            const more = (now[kind] ?? 0) - (before[kind] ?? 0);
            return more > 0 ? [[kind, more]] : [];
          }),
        );
      };
      const patience = performance.now() + 5_000;
      while (Object.keys(await left()).length > 0 && performance.now() < patience) await sleep(50);
      deepEqual(await left(), {}, 'timers or sockets are left');
    }).timeout(120_000);
  }
});
