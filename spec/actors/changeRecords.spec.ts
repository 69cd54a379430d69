import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import type { CoverageBlock } from '../../wire/coverage.ts';
import type { SentWorkload, SnapshotBody } from '../../wire/snapshot.ts';
import type { WorkloadSpecFacts } from '../../wire/specFacts.ts';
import { enrollAgent } from '../support/enrolled.ts';
import { complete, NOW, type Stored, syncRig, unread } from '../support/syncing.ts';
import {
  atMinute,
  containerFacts,
  factsOf,
  sentHpa,
  sentWorkload,
  snapshotAt,
} from '../support/workloads.ts';

describe('change records of workloads', () => {
  const rig = syncRig();
  const { query, sync, stored } = rig;

  const at = (
    minute: number,
    workloads: readonly SentWorkload[],
    rest: Partial<SnapshotBody> = {},
    coverage?: CoverageBlock,
  ) =>
    snapshotAt(
      rig.agent,
      minute,
      { workloads: [...workloads], ...rest },
      coverage === undefined ? {} : { coverage },
    );

  /** Stores two states of the Deployment shop/api, a minute apart. */
  const change = async (
    before: WorkloadSpecFacts,
    after: WorkloadSpecFacts,
    rest: Partial<SnapshotBody> = {},
  ): Promise<Stored> => {
    await stored(at(0, [sentWorkload('api', before)], rest));
    return stored(at(1, [sentWorkload('api', after)], rest));
  };

  interface Recorded {
    event_type: string;
    summary: string;
    details: { changes: { field: string; before: string | null; after: string | null }[] } & Record<
      string,
      unknown
    >;
    scanned_at: Date;
  }
  const records = async () =>
    (await query(
      'select event_type, summary, details, scanned_at from change_events order by scanned_at, summary',
    )) as unknown as Recorded[];
  const summaries = async () => (await records()).map(({ summary }) => summary);
  const storedFacts = async (name = 'api') => {
    const [row] = await query('select spec_facts, spec_facts_at from k8s_workloads where name = $1', [name]);
    return row;
  };

  const scaled = (replicas: number) => factsOf({}, { replicas });
  const tagged = (tag: string, rest: Partial<WorkloadSpecFacts> = {}) =>
    factsOf({ image: `shop/api:${tag}` }, rest);

  it('keep the facts and the time of their snapshot beside the workload (CH-01)', async () => {
    await change(tagged('1'), tagged('2'));
    deepEqual(await storedFacts(), { spec_facts: tagged('2'), spec_facts_at: new Date(atMinute(1)) });
  });

  it('keep facts of a new workload and of a known one to the letter, and write a new one once (CH-01)', async () => {
    const odd = factsOf({ env_from: ['configmap:a#"\\N\t{,}', 'secret:b#\n$1'] });
    await rig.query('vacuum k8s_workloads');
    await stored(at(0, [sentWorkload('api', odd), sentWorkload('web', null)]));
    equal((await rig.deadRows()).k8s_workloads, 0);
    deepEqual((await storedFacts())?.spec_facts, odd);
    await stored(at(1, [sentWorkload('api', null), sentWorkload('web', odd)]));
    deepEqual(await storedFacts('web'), { spec_facts: odd, spec_facts_at: new Date(atMinute(1)) });
  });

  it('are one for all that a sync changed of a workload (CH-02)', async () => {
    const after = factsOf({ image: 'shop/api:2', limits: { memory: '1Gi' }, env_names: ['A'] });
    const outcome = await change(factsOf({ image: 'shop/api:1' }), after);
    equal((await records()).length, 1);
    deepEqual(outcome.facts, { stored: 1, notNewer: 0, records: 1 });
  });

  it("have the source k8s-config, the cluster's client and environment, no host, and severity info (CH-04, CH-06, CH-07)", async () => {
    await change(tagged('1'), tagged('2'));
    deepEqual(await query('select source, client_id, environment_id, host_id, severity from change_events'), [
      {
        source: 'k8s-config',
        client_id: rig.agent.client_id,
        environment_id: rig.agent.environment_id,
        host_id: null,
        severity: 'info',
      },
    ]);
  });

  it('tell a scale by hand from every other change (CH-05, CH-09)', async () => {
    await change(scaled(3), scaled(0));
    await stored(at(2, [sentWorkload('api', tagged('2', { replicas: 1 }))]));
    deepEqual(
      (await records()).map(({ event_type, summary }) => [event_type, summary]),
      [
        ['workload_scaled', 'Deployment shop/api scaled 3 → 0'],
        ['workload_changed', 'Deployment shop/api: image app:1.0.0 → api:2; replicas 0 → 1'],
      ],
    );
  });

  it('are of the time of the snapshot, not of its processing (CH-07)', async () => {
    await change(tagged('1'), tagged('2'));
    deepEqual((await records())[0]?.scanned_at, new Date(atMinute(1)));
  });

  it('name three changes and count the rest, within 300 characters (CH-08)', async () => {
    await change(
      factsOf({ image: 'shop/checkout-api:2.40.3', limits: { memory: '1Gi' } }),
      factsOf({
        image: 'shop/checkout-api:2.41.0',
        limits: { memory: '768Mi' },
        env_names: ['A', 'B', `C${'_'.repeat(300)}`],
      }),
    );
    deepEqual(await summaries(), [
      'Deployment shop/api: image checkout-api 2.40.3 → 2.41.0; memory limit 1Gi → 768Mi; env A added; +2 more',
    ]);
    await stored(
      at(2, [
        sentWorkload('api', factsOf({ image: 'shop/checkout-api:2.41.0', limits: { memory: '768Mi' } })),
      ]),
    );
    const [, long] = await records();
    ok((long?.summary.length ?? 999) <= 300);
  });

  it('carry cluster, object, counts and changes as details (CH-10)', async () => {
    const { clusterId } = await change(tagged('1'), tagged('2'));
    deepEqual((await records())[0]?.details, {
      cluster_id: clusterId,
      cluster: 'k8s-1',
      kind: 'Deployment',
      namespace: 'shop',
      name: 'api',
      change_count: 1,
      truncated: false,
      changes: [{ field: 'containers.app.image', before: 'shop/api:1', after: 'shop/api:2' }],
    });
  });

  it('hold 50 changes and count all (CH-11)', async () => {
    await change(factsOf(), factsOf({ env_names: Array.from({ length: 60 }, (_, i) => `V${i}`) }));
    const details = (await records())[0]?.details;
    deepEqual([details?.changes.length, details?.change_count, details?.truncated], [50, 60, true]);
  });

  it('have null for a side without a value, and the spelling of the agent (CH-12)', async () => {
    await change(factsOf({ limits: { memory: '1Gi' } }), factsOf({ requests: { cpu: '500m' } }));
    deepEqual((await records())[0]?.details.changes, [
      { field: 'containers.app.requests.cpu', before: null, after: '500m' },
      { field: 'containers.app.limits.memory', before: '1Gi', after: null },
    ]);
  });

  it('name every field of the document (CH-13 to CH-23)', async () => {
    const init = (name: string, extra = {}) => containerFacts(name, { init: true, ...extra });
    await change(
      factsOf(
        { env_from: ['configmap:app#OLD_'] },
        { containers: [containerFacts('app', { env_from: ['configmap:app#OLD_'] }), init('a'), init('b')] },
      ),
      {
        facts_version: 1,
        replicas: 4,
        strategy: { type: 'RollingUpdate', max_surge: '25%', max_unavailable: '1' },
        containers: [
          containerFacts('app', {
            image: 'shop/app:2',
            requests: { cpu: '1', memory: '1Gi' },
            limits: { cpu: '1', memory: '1Gi' },
            env_names: ['A'],
            env_from: ['configmap:app#NEW_'],
            volume_refs: ['secret:tls'],
          }),
          containerFacts('sidecar'),
          init('b', { image: 'shop/b:2' }),
          init('a'),
        ],
      },
    );
    deepEqual(
      (await records())[0]?.details.changes.map(({ field }) => field),
      [
        'containers.app.image',
        'init_containers.b.image',
        'containers.app.requests.cpu',
        'containers.app.requests.memory',
        'containers.app.limits.cpu',
        'containers.app.limits.memory',
        'replicas',
        'strategy.type',
        'strategy.max_surge',
        'strategy.max_unavailable',
        'containers.sidecar',
        'containers.app.env',
        'containers.app.env_from',
        'containers.app.volumes',
        'init_containers.order',
      ],
    );
  });

  describe('under an HPA', () => {
    const hpas = [sentHpa('api')];

    it('leave out replicas, alone and among others (CH-14, CH-24)', async () => {
      await change(scaled(3), scaled(5), { hpas });
      deepEqual(await summaries(), []);
      await stored(
        at(2, [sentWorkload('api', factsOf({ limits: { cpu: '1' } }, { replicas: 7 }))], { hpas }),
      );
      deepEqual(await summaries(), ['Deployment shop/api: cpu limit unset → 1']);
    });

    it('store the replicas all the same, so that they are not news when the HPA is gone (X-37)', async () => {
      await change(scaled(3), scaled(5), { hpas });
      await stored(at(2, [sentWorkload('api', scaled(5))]));
      deepEqual(await summaries(), []);
    });

    it('record a scale in the sync in which the HPA is gone (CH-25)', async () => {
      await stored(at(0, [sentWorkload('api', scaled(3))], { hpas }));
      await stored(at(1, [sentWorkload('api', scaled(5))]));
      deepEqual(await summaries(), ['Deployment shop/api scaled 3 → 5']);
    });

    it('of another namespace, kind or name are those of a scale by hand (CH-24)', async () => {
      for (const [i, other] of [
        { namespace: 'x' },
        { target_kind: 'Rollout' },
        { target_name: 'web' },
      ].entries()) {
        const foreign = { hpas: [sentHpa('api', other)] };
        await stored(at(2 * i, [sentWorkload('api', scaled(3))], foreign));
        await stored(at(2 * i + 1, [sentWorkload('api', scaled(5))], foreign));
      }
      // Back and forth: two records for each but the first, which found nothing stored.
      equal((await records()).length, 5);
    });

    it('that could not be read this time leave out replicas too: the stored HPA may still be there', async () => {
      await stored(at(0, [sentWorkload('api', scaled(3))], { hpas }, complete()));
      const coverage = complete({ horizontalpodautoscalers: unread });
      await stored(at(1, [sentWorkload('api', scaled(5))], {}, coverage));
      deepEqual(await summaries(), []);
    });
  });

  it('begin with a baseline: no record at first sight, whenever that is (CH-27)', async () => {
    const many = Array.from({ length: 30 }, (_, i) => sentWorkload(`w${i}`, factsOf()));
    const outcome = await stored(at(0, many));
    equal(outcome.facts.stored, 30);
    await stored(at(1, [...many, sentWorkload('late', factsOf())]));
    deepEqual(await summaries(), []);
    // An agent that learns to send facts.
    await stored(at(2, [sentWorkload('api', null)]));
    await stored(at(3, [sentWorkload('api', factsOf())]));
    deepEqual(await summaries(), []);
    deepEqual((await storedFacts())?.spec_facts, factsOf());
  });

  it('are not written between facts of different versions, in either direction (CH-28)', async () => {
    for (const [minute, version] of [1, 2, 1, 0, 1].entries()) {
      const facts = tagged(`${minute}`, { facts_version: version });
      await stored(at(minute, [sentWorkload('api', facts)]));
      deepEqual((await storedFacts())?.spec_facts, facts);
    }
    deepEqual(await summaries(), []);
  });

  it('compare with the last known facts when a workload comes without (CH-29, SF-22, CH-37)', async () => {
    await stored(at(0, [sentWorkload('api', tagged('1'))]));
    await stored(at(1, [sentWorkload('api', null)]));
    deepEqual((await storedFacts())?.spec_facts_at, new Date(atMinute(0)));
    await stored(at(2, [sentWorkload('api', tagged('1'))]));
    deepEqual(await summaries(), []);
    await stored(at(3, [sentWorkload('api', null)]));
    await stored(at(4, [sentWorkload('api', tagged('2'))]));
    deepEqual(await summaries(), ['Deployment shop/api: image api 1 → 2']);
  });

  it('ignore a snapshot that is not newer, and count its workloads (CH-30, CH-31, X-18)', async () => {
    await stored(at(2, [sentWorkload('api', tagged('2'))]));
    const other = [
      sentWorkload('api', tagged('1')),
      sentWorkload('web', factsOf()),
      sentWorkload('old', null),
    ];
    const older = await sync(at(1, other));
    ok(older.outcome === 'superseded');
    equal(older.factsNotNewer, 2);
    const replay = await stored(at(2, [sentWorkload('api', tagged('1')), sentWorkload('old', null)]));
    deepEqual(replay.facts, { stored: 0, notNewer: 1, records: 0 });
    deepEqual(await summaries(), []);
    deepEqual((await storedFacts())?.spec_facts, tagged('2'));
  });

  it('take a stamp too far ahead for a minute from now, and go on with the honest snapshot after it (CH-32)', async () => {
    await stored(at(0, [sentWorkload('api', tagged('1'))]));
    const ahead = await stored(at(24 * 60, [sentWorkload('api', tagged('2'))]));
    equal(ahead.clamped, true);
    const limit = new Date(NOW.getTime() + 60_000);
    deepEqual((await storedFacts())?.spec_facts_at, limit);
    deepEqual((await records())[0]?.scanned_at, limit);
    const later = new Date(NOW.getTime() + 120_000);
    const options = { now: () => later, publishedAt: later };
    await stored(at(32, [sentWorkload('api', tagged('3'))]), rig.agent, options);
    deepEqual(await summaries(), [
      'Deployment shop/api: image api 1 → 2',
      'Deployment shop/api: image api 2 → 3',
    ]);
  });

  it('keep a stamp up to a minute ahead (CH-33)', async () => {
    const outcome = await stored(at(30.5, [sentWorkload('api', tagged('1'))]));
    equal(outcome.clamped, false);
    deepEqual((await storedFacts())?.spec_facts_at, new Date(atMinute(30.5)));
  });

  it('of a new leader with a slow clock come a millisecond after what is stored (D11)', async () => {
    const led = (minute: number, transitions: number, tag: string) => ({
      ...at(minute, [sentWorkload('api', tagged(tag))]),
      epoch: { lease_uid: 'lease', transitions },
    });
    await stored(led(10, 1, '1'));
    await stored(led(3, 2, '2'));
    const [record] = await records();
    deepEqual(record?.scanned_at, new Date(Date.parse(atMinute(10)) + 1));
    await stored(led(4, 2, '3'));
    deepEqual(await summaries(), [
      'Deployment shop/api: image api 1 → 2',
      'Deployment shop/api: image api 2 → 3',
    ]);
  });

  it('are written with the facts or not at all (CH-35, IN-26)', async () => {
    await stored(at(0, [sentWorkload('api', tagged('1'))]));
    await query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no' using errcode = '57P03'; end $$`,
    );
    try {
      for (const table of ['change_events', 'k8s_pods']) {
        // The first fault lies between the two writes, the second after both.
        await query(
          `create trigger refuse before insert on ${table} for each statement execute function refuse()`,
        );
        const pods = table === 'k8s_pods' ? { pods: (await podsOf()).slice(0, 1) } : {};
        await rejects(sync(at(1, [sentWorkload('api', tagged('2'))], pods)));
        await query(`drop trigger refuse on ${table}`);
        deepEqual((await storedFacts())?.spec_facts, tagged('1'));
        deepEqual(await summaries(), []);
      }
    } finally {
      await query('drop function refuse() cascade');
    }
    await stored(at(1, [sentWorkload('api', tagged('2'))]));
    await stored(at(1, [sentWorkload('api', tagged('2'))]));
    deepEqual(await summaries(), ['Deployment shop/api: image api 1 → 2']);
  });

  const podsOf = async () => {
    const { snapshotOf } = await import('../support/enrolled.ts');
    return snapshotOf(rig.agent).data.pods;
  };

  it('form one chain when two snapshots are stored at the same time (IN-25)', async () => {
    await stored(at(0, [sentWorkload('api', tagged('0'))]));
    const outcomes = await Promise.all(
      [1, 2, 3, 4].map((minute) => sync(at(minute, [sentWorkload('api', tagged(`${minute}`))]))),
    );
    const written = outcomes.filter(({ outcome }) => outcome === 'stored').length;
    const chain = (await records()).map(({ details }) => details.changes[0]);
    equal(chain.length, written);
    for (const [i, link] of chain.entries()) {
      equal(link?.before, i === 0 ? 'shop/api:0' : chain[i - 1]?.after);
    }
    equal(chain.at(-1)?.after, 'shop/api:4');
  });

  it('are not written for what is created, deleted and created again (CH-36)', async () => {
    await stored(at(0, [sentWorkload('api', tagged('1'))]));
    await stored(at(1, []));
    deepEqual(await query('select 1 from k8s_workloads'), []);
    await stored(at(2, [sentWorkload('api', tagged('2'))]));
    deepEqual(await summaries(), []);
  });

  it('are not written when Rollouts come back after a read without them, of an agent that does not say so (CH-38)', async () => {
    const rollout = (tag: string) => sentWorkload('api', tagged(tag), { kind: 'Rollout' });
    await stored(at(0, [rollout('1')]));
    await stored(at(1, []));
    await stored(at(2, [rollout('2')]));
    deepEqual(await summaries(), []);
  });

  it('see a change made while Rollouts were refused, of an agent that says so (X-52)', async () => {
    const rollout = (tag: string) => sentWorkload('api', tagged(tag), { kind: 'Rollout' });
    await stored(at(0, [rollout('1')], {}, complete()));
    await stored(at(1, [], {}, complete({ rollouts: unread })));
    await stored(at(2, [rollout('2')], {}, complete()));
    deepEqual(await summaries(), ['Rollout shop/api: image api 1 → 2']);
  });

  it('are as many as workloads changed, whatever the replicas and syncs (CH-40)', async () => {
    const services = (tag: string) =>
      Array.from({ length: 30 }, (_, i) => sentWorkload(`s${i}`, tagged(tag, { replicas: 20 })));
    for (let minute = 0; minute < 9; minute += 1)
      await stored(at(minute, services(minute < 3 ? '1' : minute < 6 ? '2' : '3')));
    equal((await records()).length, 60);
  });

  it('leave everything unwritten while nothing changed, the time of the facts too (X-53)', async () => {
    await stored(at(0, [sentWorkload('api', tagged('1'))]));
    const before = await rig.rowVersions();
    const outcome = await stored(at(1, [sentWorkload('api', tagged('1'))]));
    deepEqual(await rig.rowVersions(), before);
    deepEqual(outcome.facts, { stored: 0, notNewer: 0, records: 0 });
    deepEqual((await storedFacts())?.spec_facts_at, new Date(atMinute(0)));
  });

  it('treat facts whose keys and sets come in another order as the same', async () => {
    await stored(
      at(0, [sentWorkload('api', factsOf({ env_names: ['A', 'B'], limits: { cpu: '1', memory: '1Gi' } }))]),
    );
    const { containers, ...rest } = factsOf({ env_names: ['B', 'A'], limits: { memory: '1Gi', cpu: '1' } });
    await stored(at(1, [sentWorkload('api', { ...rest, containers })]));
    deepEqual(await summaries(), []);
  });

  it('belong to one cluster each, where another has a workload of the same name', async () => {
    const other = await enrollAgent(rig.database.pool, { slug: 'k8s-2' });
    const there = (minute: number, tag: string) =>
      snapshotAt(other, minute, { workloads: [sentWorkload('api', tagged(tag))] });
    await stored(at(0, [sentWorkload('api', tagged('1'))]));
    await stored(there(0, '1'), other);
    await stored(there(1, '2'), other);
    const [record, ...more] = await records();
    deepEqual(more, []);
    equal(record?.details.cluster, 'k8s-2');
    match(record?.summary ?? '', /1 → 2/);
  });
});
