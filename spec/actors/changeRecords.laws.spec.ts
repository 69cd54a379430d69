import { deepEqual } from 'node:assert/strict';
import fc from 'fast-check';
import type { SyncOutcome } from '../../actors/syncCluster.ts';
import { syncCluster } from '../../actors/syncCluster.ts';
import type { EnrolledAgent } from '../../store/agents.ts';
import { rounds, seedOption } from '../support/campaign.ts';
import { enrollAgent } from '../support/enrolled.ts';
import type { ModelFacts, ModelSnapshot, ModelWorkload } from '../support/factsModel.ts';
import { FactsModel, keyOf } from '../support/factsModel.ts';
import { isSame, stateOf, tablesOf, toWire } from '../support/factsTables.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { freshDatabase } from '../support/postgres.ts';

const START = Date.UTC(2026, 10, 30, 12);
const MINUTE = 60_000;
/** Behind the snapshot before by more than the minutes between two. */
const SLOW_CLOCKS = [-3 * MINUTE, -3.5 * MINUTE, -4 * MINUTE];

/** What arrives: a new snapshot, or one that was delivered before. */
type Arrival =
  | {
      readonly kind: 'new';
      /** Of the agent's clock against the backend's. */
      readonly skewMs: number;
      readonly content: Pick<ModelSnapshot, 'workloads' | 'hpas' | 'coverage' | 'epoch'>;
    }
  | { readonly kind: 'again'; readonly back: number };

/** Deliveries that are stored at the same time, by as many backends; most often one. */
type Batch = readonly Arrival[];

const facts: fc.Arbitrary<ModelFacts> = fc.record(
  {
    version: fc.constantFrom(1, 1, 1, 1, 2, 0),
    tag: fc.constantFrom('1', '2'),
    replicas: fc.nat(2),
    env: fc.subarray(['A', 'B']),
  },
  // As the database gives them.
  { noNullPrototype: true },
);
const workload: fc.Arbitrary<ModelWorkload> = fc.record({
  kind: fc.constantFrom('Deployment', 'Rollout'),
  name: fc.constantFrom('api', 'web'),
  facts: fc.option(facts, { freq: 6 }),
});
const read = fc.constantFrom(
  'complete' as const,
  'complete' as const,
  'complete' as const,
  'forbidden' as const,
);
const content = fc.record({
  workloads: fc.uniqueArray(workload, { minLength: 1, maxLength: 4, selector: keyOf }),
  hpas: fc.subarray(['Deployment api', 'Rollout web']),
  coverage: fc.option(fc.record({ Deployment: read, Rollout: read, hpas: read }), { freq: 3 }),
  epoch: fc.oneof(
    { weight: 1, arbitrary: fc.constant(null) },
    {
      weight: 4,
      arbitrary: fc.record({ lease: fc.constantFrom('a', 'a', 'a', 'a', 'b'), transitions: fc.nat(2) }),
    },
  ),
});
const arrival: fc.Arbitrary<Arrival> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('new' as const),
      skewMs: fc.constantFrom(0, 0, 0, 1, 30_000, 24 * 60 * MINUTE, ...SLOW_CLOCKS),
      content,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('again' as const), back: fc.nat(3) }) },
);
const batch: fc.Arbitrary<Batch> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(arrival) },
  { weight: 1, arbitrary: fc.array(arrival, { minLength: 2, maxLength: 3 }) },
);

describe('any history of facts', () => {
  let database: FreshDatabase;
  let clusters = 0;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  /** Stores the history, and after every batch compares the tables with the model, in some order of the batch. */
  async function holds(history: readonly Batch[]): Promise<void> {
    clusters += 1;
    const agent = await enrollAgent(database.pool, { slug: `k8s-${clusters}` });
    // More than one where two orders of a batch cannot be told apart by what the tables hold.
    let models = [new FactsModel()];
    const delivered: ModelSnapshot[] = [];
    for (const [i, arrivals] of history.entries()) {
      const now = START + i * MINUTE;
      const snapshots = arrivals.map((each) => snapshotOf(each, now, delivered));
      delivered.push(...snapshots);
      const outcomes = await Promise.all(snapshots.map((snapshot) => store(database, agent, snapshot, now)));
      const seen = {
        ...(await tablesOf(database.pool, agent)),
        verdicts: outcomes.map(verdictOf),
        notNewer: outcomes.reduce((sum, outcome) => sum + notNewerOf(outcome), 0),
      };
      const possible = models.flatMap((model) =>
        permutations([...snapshots.keys()]).map((order) => {
          const after = model.clone();
          const verdicts: string[] = [];
          for (const k of order) verdicts[k] = after.take(snapshots[k] as ModelSnapshot, now);
          return { after, state: { ...stateOf(after), verdicts, notNewer: after.notNewer - model.notNewer } };
        }),
      );
      const matching = possible.filter(({ state }) => isSame(seen, state));
      // Without a match this says where the first order differs.
      if (matching.length === 0) deepEqual(seen, possible[0]?.state);
      models = [...new Map(matching.map(({ after }) => [after.fingerprint(), after])).values()];
    }
  }

  it('leaves the rows and the change records that the rules say, after every step', async () => {
    await fc.assert(fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 8 }), holds), {
      numRuns: rounds(100, 2_000),
      ...seedOption(),
    });
  }).timeout(rounds(120_000, 3_600_000));
});

function snapshotOf(each: Arrival, now: number, delivered: readonly ModelSnapshot[]): ModelSnapshot {
  const before = each.kind === 'again' ? delivered.at(-1 - each.back) : undefined;
  if (before !== undefined) return before;
  if (each.kind === 'new') return { ...each.content, stamp: now + each.skewMs, publishedAt: now };
  // Nothing was delivered so far.
  return { stamp: now, publishedAt: now, epoch: null, workloads: [], hpas: [], coverage: null };
}

const store = (database: FreshDatabase, agent: EnrolledAgent, snapshot: ModelSnapshot, now: number) =>
  syncCluster(
    database.pool,
    { agent, snapshot: toWire(agent, snapshot), folded: 0, publishedAt: new Date(snapshot.publishedAt) },
    { now: () => new Date(now), timeoutMs: 10_000 },
  );

function verdictOf(outcome: SyncOutcome): string {
  if (outcome.outcome === 'stored') return outcome.replay ? 'replay' : 'newer';
  return outcome.outcome;
}

function notNewerOf(outcome: SyncOutcome): number {
  if (outcome.outcome === 'stored') return outcome.facts.notNewer;
  return outcome.outcome === 'superseded' ? outcome.factsNotNewer : 0;
}

function permutations(items: readonly number[]): number[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item) =>
    permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  );
}
