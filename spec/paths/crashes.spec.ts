import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { seeded } from '../../bench/seeded.ts';
import type { EnrolledAgent } from '../../store/agents.ts';
import { dataSubject } from '../../wire/subjects.ts';
import { rounds, seed } from '../support/campaign.ts';
import type { CrashingServers, Victim } from '../support/crashingServers.ts';
import { startCrashingServers, untilDone, VICTIMS } from '../support/crashingServers.ts';
import { enrollAgent } from '../support/enrolled.ts';
import type { ModelSnapshot } from '../support/factsModel.ts';
import { FactsModel } from '../support/factsModel.ts';
import { isSame, stateOf, tablesOf, toWire } from '../support/factsTables.ts';
import { eventually } from '../support/ingest.ts';

const SNAPSHOTS = 6;
const PUBLISH_TIMEOUT_MS = 1_000;
const STORED_WITHIN_MS = 60_000;
const SCHEDULES = rounds(20, 200);
const FIRST_SEED = seed();

interface Schedule {
  /** Publish the next snapshot only when the one before is stored: then none may be superseded. */
  readonly isPaced: boolean;
  readonly contents: readonly Pick<ModelSnapshot, 'workloads' | 'hpas'>[];
  readonly pausesMs: readonly number[];
  readonly crashes: readonly { victim: Victim; atMs: number; downMs: number }[];
}

describe('kill -9 of backends, PostgreSQL and nats-server at random points', function () {
  this.timeout(180_000);
  let servers: CrashingServers;
  before(async () => {
    servers = await startCrashingServers();
  });
  after(() => servers?.stop());

  for (let n = 0; n < SCHEDULES; n += 1) {
    const ownSeed = FIRST_SEED + n;
    it(`loses no snapshot and records no change twice (SEED=${ownSeed})`, async () => {
      const schedule = scheduleOf(ownSeed);
      const run = Promise.all([publishAll(schedule, ownSeed), crashAll(schedule)]);
      const [{ agent, sent }] = await run;
      const again = `again: SEED=${ownSeed} mocha spec/paths/crashes.spec.ts`;
      await eventually(
        `the newest snapshot is stored (${JSON.stringify(schedule.crashes)}; ${again})`,
        () => isStored(agent, sent.at(-1)),
        STORED_WITHIN_MS,
      );
      const seen = await untilDone(() => tablesOf(servers.pool, agent));
      const possible = statesOf(sent, schedule.isPaced);
      if (!possible.some((state) => isSame(seen, state))) assert.deepEqual(seen, possible[0], again);
    });
  }

  async function publishAll(
    schedule: Schedule,
    ownSeed: number,
  ): Promise<{ agent: EnrolledAgent; sent: ModelSnapshot[] }> {
    const agent = await untilDone(() => enrollAgent(servers.pool, { slug: `crash-${ownSeed}` }));
    const sender = { client: 'acme', environment: 'prod', agentId: agent.id };
    const connection = await untilDone(() => servers.nats.connectAgent(sender));
    const sent: ModelSnapshot[] = [];
    for (const [i, content] of schedule.contents.entries()) {
      await sleep(schedule.pausesMs[i]);
      const stamp = Math.max(Date.now(), (sent.at(-1)?.stamp ?? 0) + 1);
      const snapshot = { ...content, stamp, publishedAt: stamp, epoch: null, coverage: null };
      sent.push(snapshot);
      const message = JSON.stringify(toWire(agent, snapshot));
      // An answer that a crash took away has it published twice, as an agent does.
      await untilDone(() =>
        connection.jetstream().publish(dataSubject(sender, 'kubernetes'), message, {
          timeout: PUBLISH_TIMEOUT_MS,
        }),
      );
      if (schedule.isPaced) {
        await eventually(`snapshot ${i} is stored`, () => isStored(agent, snapshot), STORED_WITHIN_MS);
      }
    }
    await connection.close();
    return { agent, sent };
  }

  async function crashAll({ crashes }: Schedule): Promise<void> {
    for (const { victim, atMs, downMs } of crashes) {
      await sleep(atMs);
      await servers.crash(victim, downMs);
    }
  }

  const isStored = async (agent: EnrolledAgent, snapshot: ModelSnapshot | undefined): Promise<boolean> => {
    const { rows } = await servers.pool
      .query<{ at: Date }>('select snapshot_at as at from clusters where slug = $1', [agent.cluster_slug])
      // The database may be the one that was killed.
      .catch(() => ({ rows: [] }));
    return rows[0]?.at.getTime() === snapshot?.stamp;
  };
});

function scheduleOf(ownSeed: number): Schedule {
  const random = seeded(ownSeed);
  // The first numbers of neighbouring seeds are alike.
  random.hex(256);
  const content = () => ({
    workloads: (['api', 'web', 'job'] as const)
      .filter((name) => name === 'api' || random.below(4) > 0)
      .map((name) => ({
        kind: 'Deployment' as const,
        name,
        facts: {
          version: 1,
          tag: String(random.below(3)),
          replicas: random.below(3),
          env: ['A', 'B'].filter(() => random.below(2) === 0),
        },
      })),
    hpas: random.below(3) === 0 ? ['Deployment api'] : [],
  });
  return {
    isPaced: random.below(2) === 0,
    contents: Array.from({ length: SNAPSHOTS }, content),
    pausesMs: Array.from({ length: SNAPSHOTS }, () => random.below(300)),
    crashes: Array.from({ length: 1 + random.below(3) }, () => ({
      victim: random.pick(VICTIMS),
      atMs: random.below(500),
      downMs: random.below(300),
    })),
  };
}

/** Every end that the rules allow: of a hurried history any snapshot but the newest may come too late. */
function statesOf(sent: readonly ModelSnapshot[], isPaced: boolean): ReturnType<typeof stateOf>[] {
  const lateSets = isPaced ? 1 : 2 ** (sent.length - 1);
  return Array.from({ length: lateSets }, (_, late) => {
    const model = new FactsModel();
    for (const [i, snapshot] of sent.entries()) {
      if (((late >> i) & 1) === 0) model.take(snapshot, snapshot.stamp);
    }
    return stateOf(model);
  });
}
