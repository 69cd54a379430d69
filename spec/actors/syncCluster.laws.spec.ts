import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { syncCluster } from '../../actors/syncCluster.ts';
import type { EnrolledAgent } from '../../store/agents.ts';
import type { CoverageBlock, CoverageState } from '../../wire/coverage.ts';
import { COVERED_RESOURCES, provesAbsence } from '../../wire/coverage.ts';
import type { Snapshot } from '../../wire/snapshot.ts';
import { enrollAgent, snapshotOf } from '../support/enrolled.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { freshDatabase } from '../support/postgres.ts';

/** One snapshot of a small world: which objects exist, in which version, and what could be read. */
interface Step {
  readonly namespaces: readonly string[];
  readonly pods: readonly { readonly namespace: string; readonly name: string; readonly version: number }[];
  readonly podsState: CoverageState;
  readonly namespacesState: CoverageState;
  readonly excluded: readonly string[];
  /** Minutes since the step before; not above zero means a replay or something older. */
  readonly minutesLater: number;
}

const NAMES = ['a', 'b', 'c'];
const someOf = (names: readonly string[]) => fc.subarray([...names]);
const state = fc.constantFrom<CoverageState>(
  'complete',
  'complete',
  'truncated',
  'absent',
  'forbidden',
  'error',
);

const step: fc.Arbitrary<Step> = fc.record({
  namespaces: someOf(NAMES),
  pods: fc.uniqueArray(
    fc.record({
      namespace: fc.constantFrom(...NAMES),
      name: fc.constantFrom('x', 'y'),
      version: fc.nat(2),
    }),
    { maxLength: 5, selector: ({ namespace, name }) => `${namespace}/${name}` },
  ),
  podsState: state,
  namespacesState: state,
  excluded: fc.oneof(fc.constant([]), someOf(NAMES)),
  minutesLater: fc.constantFrom(1, 1, 1, 0, -1),
});

/** What the requirements say the tables hold; written without a look at how the store does it. */
class Model {
  stamp = Number.NEGATIVE_INFINITY;
  pods = new Map<string, number>();
  namespaces = new Set<string>();

  /** False when the snapshot is superseded. */
  take(step: Step, stamp: number, coverage: CoverageBlock): boolean {
    if (stamp < this.stamp) return false;
    this.stamp = stamp;
    const excluded = new Set(step.excluded);
    const seen = new Map(step.pods.map((pod) => [`${pod.namespace}/${pod.name}`, pod.version]));
    const namespaceGone = (name: string) =>
      excluded.has(name) || (provesAbsence(coverage, 'namespaces') && !step.namespaces.includes(name));
    for (const key of this.pods.keys()) {
      const [namespace = ''] = key.split('/');
      const gone = provesAbsence(coverage, 'pods') || namespaceGone(namespace);
      if (!seen.has(key) && gone) this.pods.delete(key);
    }
    for (const [key, version] of seen) this.pods.set(key, version);
    for (const name of this.namespaces) if (namespaceGone(name)) this.namespaces.delete(name);
    for (const name of step.namespaces) this.namespaces.add(name);
    return true;
  }
}

describe('any history of snapshots', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  const query = async <T extends object>(text: string, values: unknown[] = []) =>
    (await database.pool.query<T>(text, values)).rows;

  function snapshotFor(agent: EnrolledAgent, step: Step, minute: number): Snapshot {
    const base = snapshotOf(agent, minute, { pods: 1, events: 0 });
    const [pod] = base.data.pods;
    const [namespace] = base.data.namespaces;
    ok(pod && namespace);
    const coverage: CoverageBlock = Object.fromEntries(
      COVERED_RESOURCES.map((resource) => [resource, { state: 'complete' as const, listed: 0, sent: 0 }]),
    );
    return {
      ...base,
      coverage: {
        ...coverage,
        pods: { state: step.podsState, listed: 0, sent: 0 },
        namespaces: { state: step.namespacesState, listed: 0, sent: 0 },
      },
      data: {
        ...base.data,
        cluster: { ...base.data.cluster, excluded_namespaces: [...step.excluded] },
        namespaces: step.namespaces.map((name) => ({ ...namespace, name })),
        pods: step.pods.map(({ namespace, name, version }) => ({
          ...pod,
          namespace,
          name,
          restart_count: version,
        })),
      },
    };
  }

  it('leaves exactly the rows that the rules say, with ids that last as long as the row', async () => {
    let slug = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        slug += 1;
        const agent = await enrollAgent(database.pool, { slug: `k8s-${slug}` });
        const bystander = await query<{ id: string }>('select id, xmin::text from k8s_pods order by id');
        const model = new Model();
        let minute = 10;
        let clusterId = '';
        let ids = new Map<string, string>();
        for (const current of steps) {
          minute += current.minutesLater;
          const snapshot = snapshotFor(agent, current, minute);
          const input = { agent, snapshot, folded: 0, publishedAt: new Date() };
          const outcome = await syncCluster(database.pool, input, {
            now: () => new Date(),
            timeoutMs: 10_000,
          });
          const taken = model.take(current, minute, snapshot.coverage ?? {});
          ok(outcome.outcome !== 'rejected');
          clusterId = outcome.clusterId;
          equal(outcome.outcome, taken ? 'stored' : 'superseded');
          const pods = await query<{ id: string; key: string; version: number }>(
            `select id, namespace || '/' || name as key, restart_count as version
             from k8s_pods where cluster_id = $1`,
            [clusterId],
          );
          deepEqual(new Map(pods.map((pod) => [pod.key, pod.version])), new Map([...model.pods]));
          for (const pod of pods) equal(pod.id, ids.get(pod.key) ?? pod.id);
          ids = new Map(pods.map((pod) => [pod.key, pod.id]));
          const namespaces = await query<{ name: string }>(
            'select name from k8s_namespaces where cluster_id = $1 order by name',
            [clusterId],
          );
          deepEqual(
            namespaces.map(({ name }) => name),
            [...model.namespaces].sort(),
          );
        }
        const others = await query<{ id: string }>(
          'select id, xmin::text from k8s_pods where cluster_id <> $1 order by id',
          [clusterId],
        );
        deepEqual(others, bystander);
      }),
      { numRuns: 40 },
    );
  }).timeout(60_000);
});
