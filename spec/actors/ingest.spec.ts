import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import type { NatsConnection } from 'nats';
import type { SyncInput, SyncOutcome } from '../../actors/syncCluster.ts';
import { syncCluster } from '../../actors/syncCluster.ts';
import type { System } from '../../actors/system.ts';
import { listRejected } from '../../store/rejected.ts';
import { dataSubject } from '../../wire/subjects.ts';
import type { AgentUnderTest, IngestUnderTest } from '../support/ingest.ts';
import { eventually, metric, startIngest } from '../support/ingest.ts';

const OUTCOMES = 'proxima_ingest_outcomes_total';
const stored = async (): Promise<SyncOutcome> => ({
  outcome: 'stored',
  clusterId: 'c',
  cluster: { id: 'c', name: 'c', slug: 'c', client_id: 'a', environment_id: 'p', tenant: 1 },
  at: new Date(0),
  replay: false,
  clamped: false,
  folded: 0,
  kinds: {},
  linkedNodes: 0,
  facts: { stored: 0, notNewer: 0, records: 0 },
});

describe('a message of the stream', () => {
  let ingest: IngestUnderTest;
  let agent: AgentUnderTest;
  let system: System | undefined;
  let slugs = 0;

  /** The row goes after the answer to JetStream. */
  const attemptsForgotten = (): Promise<void> =>
    eventually('an outcome forgets the attempts', async () => {
      const { rows } = await ingest.database.pool.query('select from ingest_attempts');
      return rows.length === 0;
    });

  before(async () => {
    ingest = await startIngest();
    // Makes the stream, so that agents can publish before a backend listens.
    await (await ingest.start()).stop();
  });
  after(() => ingest.stop());
  beforeEach(async () => {
    slugs += 1;
    ingest.logged.length = 0;
    agent = await ingest.enroll(`shop-${slugs}`);
  });
  afterEach(async () => {
    await system?.stop();
    system = undefined;
    assert.equal(await ingest.kept(), 0, 'every message is settled for good at the end of a test');
  });

  const rejections = async () => {
    const { rows } = await listRejected(ingest.database.pool, { page: 1, perPage: 100 });
    return rows.filter((row) => row.agent_id === agent.sender.agentId);
  };
  const clusters = async (): Promise<Record<string, unknown>[]> =>
    (
      await ingest.database.pool.query('select * from clusters where slug = $1', [
        agent.snapshot().data.cluster.slug,
      ])
    ).rows;
  /** The growth of a counter from now on. */
  const growthOf = async (name: string, labels: Record<string, string> = {}) => {
    const before = await metric(name, labels);
    return async () => (await metric(name, labels)) - before;
  };

  describe('is stored', () => {
    it('by the real sync, acked, counted, plain or compressed (IN-01, IN-02, EN-08)', async () => {
      const [synced, counted] = [
        await growthOf('proxima_k8s_clusters_synced_total'),
        await growthOf(OUTCOMES, { outcome: 'stored' }),
      ];
      system = await ingest.start();
      await agent.publish(agent.snapshot());
      const later = agent.snapshot({ timestamp: '2026-11-30T22:05:00Z' });
      await agent.publish(gzipSync(JSON.stringify(later)), { 'Content-Encoding': 'gzip' });
      await eventually('two outcomes', async () => (await counted()) === 2);
      assert.equal(await synced(), 2);
      const [cluster] = await clusters();
      assert.equal(cluster?.agent_status, 'connected');
      assert.deepEqual(cluster?.snapshot_at, new Date('2026-11-30T22:05:00Z'));
      assert.equal(system.ready(), true);
    });

    it('not again when an older one comes after it: superseded and acked (X-18)', async () => {
      const superseded = await growthOf(OUTCOMES, { outcome: 'superseded' });
      system = await ingest.start({ lanes: 1 });
      await agent.publish(agent.snapshot({ timestamp: '2026-11-30T22:05:00Z' }));
      await agent.publish(agent.snapshot({ timestamp: '2026-11-30T22:00:00Z' }));
      await eventually('superseded', async () => (await superseded()) === 1);
      assert.deepEqual((await clusters())[0]?.snapshot_at, new Date('2026-11-30T22:05:00Z'));
    });

    it('one at a time per cluster, though two lanes pull (D6)', async () => {
      let [under, most, done] = [0, 0, 0];
      system = await ingest.start({}, async () => {
        under += 1;
        most = Math.max(most, under);
        await new Promise((resolve) => setTimeout(resolve, 30));
        under -= 1;
        done += 1;
        return stored();
      });
      for (let n = 0; n < 4; n += 1) await agent.publish(agent.snapshot());
      await eventually('four syncs', () => done === 4);
      assert.equal(most, 1);
    });
  });

  describe('is rejected, kept aside and never seen again', () => {
    const expectRejection = async (reason: string, publish: () => Promise<void>) => {
      const counted = await growthOf(OUTCOMES, { outcome: 'rejected', reason });
      system = await ingest.start();
      await publish();
      await eventually(reason, async () => (await counted()) === 1);
      const [row] = await rejections();
      assert.equal(row?.reason, reason);
      assert.deepEqual(await clusters(), []);
      return row;
    };

    it('when it is not JSON', () => expectRejection('json', () => agent.publish(Buffer.from('{"type":'))));

    it('when the schema refuses it; the log names the path and not the value', async () => {
      const secret = 'hunter2-in-the-wrong-place';
      const row = await expectRejection('schema', () =>
        agent.publish(
          Buffer.from(
            JSON.stringify({ ...agent.snapshot(), epoch: { lease_uid: 'x', transitions: secret } }),
          ),
        ),
      );
      assert.match(row?.detail ?? '', /^\/epoch\/transitions must be integer/);
      const lines = JSON.stringify(ingest.logged);
      assert.match(lines, /\/epoch\/transitions/);
      assert.doesNotMatch(lines, new RegExp(secret));
    });

    it('when it says gzip and is not, or grows beyond the limit', async () => {
      await expectRejection('encoding', () =>
        agent.publish(agent.snapshot(), { 'Content-Encoding': 'gzip' }),
      );
      await system?.stop();
      const counted = await growthOf(OUTCOMES, { outcome: 'rejected', reason: 'too_large' });
      system = await ingest.start({ maxSnapshotBytes: 10_000 });
      await agent.publish(gzipSync(Buffer.alloc(1_000_000)), { 'Content-Encoding': 'gzip' });
      await eventually('too_large', async () => (await counted()) === 1);
    });

    it("when it speaks of another cluster's slug or uid, which the list shows", async () => {
      await expectRejection('foreign_cluster', () => agent.publish(agent.snapshot({ slug: 'other' })));
      const counted = await growthOf(OUTCOMES, { outcome: 'rejected', reason: 'foreign_cluster' });
      await agent.publish(agent.snapshot({ uid: 'uid-of-a-rebuilt-one' }));
      await eventually('foreign uid', async () => (await counted()) === 1);
      const listed = (await rejections()).map((row) => [row.cluster_slug, row.cluster_uid, row.detail]);
      const slug = agent.snapshot().data.cluster.slug;
      assert.deepEqual(listed, [
        [slug, 'uid-of-a-rebuilt-one', 'data.cluster.uid'],
        ['other', `uid-of-${slug}`, 'data.cluster.slug'],
      ]);
    });

    it('when its body names another agent than its subject', () =>
      expectRejection('foreign_cluster', () =>
        agent.publish({ ...agent.snapshot(), agent_id: '00000000-0000-4000-8000-000000000001' }),
      ));

    it('when its agent was deleted', () =>
      expectRejection('unknown_agent', async () => {
        await ingest.database.pool.query('update agents set deleted_at = now() where id = $1', [
          agent.sender.agentId,
        ]);
        await agent.publish(agent.snapshot());
      }));

    it('when its subject names no tenant of ours, or one that its agent is not of (U-11)', async () => {
      const stranger = async (client: string, environment: string): Promise<void> => {
        const sender = { ...agent.sender, client, environment };
        const connection: NatsConnection = await ingest.nats.connectAgent(sender);
        await connection
          .jetstream()
          .publish(dataSubject(sender, 'kubernetes'), JSON.stringify(agent.snapshot()));
      };
      await expectRejection('unknown_tenant', () => stranger('nobody', 'prod'));
      await ingest.database.pool.query(
        "insert into environments (client_id, slug, name) select id, 'staging', 'Staging' from clients on conflict do nothing",
      );
      const counted = await growthOf(OUTCOMES, { outcome: 'rejected', reason: 'foreign_subject' });
      await stranger('acme', 'staging');
      await eventually('foreign subject', async () => (await counted()) === 1);
    });

    it('when PostgreSQL refuses a value: the schema of the table is narrower than ours', async () => {
      const counted = await growthOf(OUTCOMES, { outcome: 'rejected', reason: 'refused_value' });
      system = await ingest.start({}, async (pool, input, options) => {
        const cluster = { ...input.snapshot.data.cluster, version: 'v1\u0000' };
        const snapshot = { ...input.snapshot, data: { ...input.snapshot.data, cluster } };
        return syncCluster(pool, { ...input, snapshot }, options);
      });
      await agent.publish(agent.snapshot());
      await eventually('refused', async () => (await counted()) === 1);
      assert.match((await rejections())[0]?.detail ?? '', /^22021/);
    });

    it('and only the newest twenty of an agent are kept, 64 KiB of each', async () => {
      const counted = await growthOf(OUTCOMES, { outcome: 'rejected', reason: 'json' });
      system = await ingest.start();
      for (let n = 0; n < 23; n += 1) await agent.publish(Buffer.alloc(70_000 + n, 'x'));
      await eventually('23 rejections', async () => (await counted()) === 23);
      const kept = await rejections();
      assert.deepEqual(
        kept.map((row) => row.size_bytes).sort(),
        Array.from({ length: 20 }, (_, n) => 70_003 + n),
      );
      const { rows } = await ingest.database.pool.query<{ length: number }>(
        'select distinct length(head) as length from rejected_messages where agent_id = $1',
        [agent.sender.agentId],
      );
      assert.deepEqual(rows, [{ length: 65_536 }]);
    });
  });

  describe('fails and comes again', () => {
    it('after each delay until it is stored, and no other cluster waits for it', async () => {
      const other = await ingest.enroll(`other-${slugs}`);
      const tries: number[] = [];
      const others: number[] = [];
      system = await ingest.start({ nakDelaysMs: [200, 600] }, async (_pool, { agent: from }: SyncInput) => {
        if (from.id === other.sender.agentId) {
          others.push(Date.now());
          return stored();
        }
        tries.push(Date.now());
        if (tries.length < 4) throw new Error('connection reset');
        return stored();
      });
      await agent.publish(agent.snapshot());
      await eventually('a first failure', () => tries.length === 1);
      await other.publish(other.snapshot());
      await eventually('four tries', () => tries.length === 4);
      const gaps = tries.slice(1).map((at, n) => at - (tries[n] ?? 0));
      assert.ok((gaps[0] ?? 0) >= 190 && (gaps[1] ?? 0) >= 590 && (gaps[2] ?? 0) >= 590, `gaps ${gaps}`);
      const [otherAt = Number.POSITIVE_INFINITY] = others;
      assert.ok(otherAt < (tries[3] ?? 0), 'the other cluster waited until the failing one was through');
      await attemptsForgotten();
    });

    it('when the server that sent it is gone before the answer: redelivered once, stored once (IN-26)', async () => {
      const seen: string[] = [];
      let release: (() => void) | undefined;
      system = await ingest.start({}, async (_pool, { snapshot }) => {
        seen.push(snapshot.timestamp);
        if (seen.length === 1) await new Promise<void>((resolve) => (release = resolve));
        return stored();
      });
      const counted = await growthOf(OUTCOMES, { outcome: 'stored' });
      await agent.publish(agent.snapshot());
      await eventually('the first delivery', () => seen.length === 1);
      await ingest.nats.restart(300);
      release?.();
      await eventually('settled', async () => (await counted()) >= 1);
      await eventually('gone from the stream', async () => (await ingest.kept()) === 0);
      await agent.publish(agent.snapshot({ timestamp: '2026-11-30T22:10:00Z' }));
      await eventually('the next one', () => seen.includes('2026-11-30T22:10:00Z'));
      assert.equal(system.ready(), true);
    });

    it('is not delivered again while its sync takes longer than the ack wait', async () => {
      let syncs = 0;
      const counted = await growthOf(OUTCOMES, { outcome: 'stored' });
      system = await ingest.start({ ackWaitMs: 600 }, async () => {
        syncs += 1;
        await new Promise((resolve) => setTimeout(resolve, 2_000));
        return stored();
      });
      await agent.publish(agent.snapshot());
      await eventually('stored', async () => (await counted()) === 1);
      assert.equal(syncs, 1);
    });
  });

  describe('that kills the process', () => {
    it('is put aside undecoded at its twentieth attempt, and only redelivered ones are counted', async () => {
      const counted = await growthOf(OUTCOMES, { outcome: 'rejected', reason: 'poison' });
      const before = await ingest.start({ drainMs: 0 }, () => new Promise<SyncOutcome>(() => undefined));
      await agent.publish(agent.snapshot());
      await eventually('received', () => before.registry.list().some(({ waiting }) => waiting === 1));
      const none = await ingest.database.pool.query('select * from ingest_attempts');
      assert.equal(none.rowCount, 0);
      await before.stop();
      // The row that nineteen killed processes would have left; the sequence is the stream's newest.
      const backend = await ingest.nats.connectAs(ingest.nats.backend);
      const manager = await backend.jetstreamManager({ checkAPI: false });
      const { state } = await manager.streams.info('EVENTS');
      await backend.close();
      await ingest.database.pool.query('insert into ingest_attempts values ($1, 19, now())', [
        state.last_seq,
      ]);
      let syncs = 0;
      system = await ingest.start({}, async () => {
        syncs += 1;
        return stored();
      });
      await eventually('poison', async () => (await counted()) === 1);
      assert.equal(syncs, 0);
      assert.equal((await rejections())[0]?.cluster_slug, null);
      await attemptsForgotten();
    });
  });

  describe('that is held when the backend drains', () => {
    it('goes back at once, and another backend stores it (IN-26)', async () => {
      const abandoned = await growthOf(OUTCOMES, { outcome: 'abandoned' });
      const draining = await ingest.start(
        { ackWaitMs: 60_000, drainMs: 50 },
        () => new Promise(() => undefined),
      );
      await agent.publish(agent.snapshot());
      await eventually('received', () => draining.registry.list().some(({ waiting }) => waiting === 1));
      await draining.stop();
      assert.equal(await abandoned(), 1);
      const counted = await growthOf(OUTCOMES, { outcome: 'stored' });
      system = await ingest.start({ ackWaitMs: 60_000 });
      await eventually('stored', async () => (await counted()) === 1, 3_000);
      assert.equal((await clusters()).length, 1);
    });

    it('may end its transaction first', async () => {
      const counted = await growthOf(OUTCOMES, { outcome: 'stored' });
      let begun = false;
      const draining = await ingest.start({ drainMs: 3_000 }, async () => {
        begun = true;
        await new Promise((resolve) => setTimeout(resolve, 300));
        return stored();
      });
      await agent.publish(agent.snapshot());
      await eventually('begun', () => begun);
      await draining.stop();
      assert.equal(await counted(), 1);
    });
  });
});
