import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { hastyThreshold } from '../../actors/maintenance.ts';
import { renderMetrics } from '../../actors/metrics.ts';
import type { AgentUnderTest, IngestUnderTest } from '../support/ingest.ts';
import { eventually, metric, startIngest } from '../support/ingest.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOW = Date.parse('2026-11-30T22:00:30Z');

describe('maintenance', function () {
  this.timeout(30_000);
  let ingest: IngestUnderTest;
  let agent: AgentUnderTest;
  let clock = new Date(NOW);
  const options = {
    now: () => clock,
    maintenance: {
      everyMs: 50,
      staleAfterMs: 15 * MINUTE_MS,
      eventRetentionMs: 24 * HOUR_MS,
      changeRetentionMs: 90 * 24 * HOUR_MS,
    },
  };
  const marked = () =>
    ingest.logged.filter(({ message }) => message === 'marked stale clusters disconnected');

  before(async () => {
    ingest = await startIngest();
    agent = await ingest.enroll('quiet');
  });
  after(async () => {
    await ingest?.stop();
  });
  beforeEach(() => {
    ingest.logged.length = 0;
  });

  describe('of silent clusters', () => {
    const row = async (): Promise<{ agent_status: string; status: string } | undefined> => {
      const { rows } = await ingest.database.pool.query<{ agent_status: string; status: string }>(
        `select agent_status, status from clusters where slug = 'quiet'`,
      );
      return rows[0];
    };

    before(async () => {
      const system = await ingest.start(options);
      await agent.publish(agent.snapshot({ timestamp: '2026-11-30T22:00:00Z' }));
      await eventually('it is connected', async () => (await row())?.agent_status === 'connected');
      // The next backend knows the cluster from the database alone.
      await system.stop();
    });

    it('marks one disconnected that no actor has touched since a restart, and nothing else of it (ST-01, ST-02, ST-05)', async () => {
      clock = new Date('2026-11-30T22:14:59Z');
      // Two backends, one log line: one of them does the work.
      const [system, other] = [await ingest.start(options), await ingest.start(options)];
      await new Promise((resolve) => setTimeout(resolve, 300));
      deepEqual(await row(), { agent_status: 'connected', status: 'healthy' });
      clock = new Date('2026-11-30T22:15:01Z');
      await eventually('it is disconnected', async () => (await row())?.agent_status === 'disconnected');
      equal((await row())?.status, 'healthy');
      await eventually('its actor says so', () =>
        [...system.registry.list(), ...other.registry.list()].some(({ state }) =>
          JSON.stringify(state).includes('"presence":"disconnected"'),
        ),
      );
      deepEqual(
        marked().map(({ level, fields }) => [level, fields]),
        [['info', { count: 1 }]],
      );
    });

    it('shows it connected again after its next snapshot (ST-03)', async () => {
      await agent.publish(agent.snapshot({ timestamp: '2026-11-30T22:15:00Z' }));
      await eventually('it is connected', async () => (await row())?.agent_status === 'connected');
    });

    it('passes over one that a sync holds, and marks the others', async () => {
      const { pool } = ingest.database;
      await pool.query(
        `insert into clusters (asset_id, client_id, environment_id, slug, name, display_name, agent_status, last_seen_at)
         select asset_id, client_id, environment_id, 'other', 'other', 'Other', 'connected', last_seen_at from clusters`,
      );
      const client = await pool.connect();
      await client.query(`begin; select from clusters where slug = 'quiet' for no key update`);
      clock = new Date('2026-11-30T22:31:00Z');
      const count = (n: number) => async () => {
        const { rowCount } = await pool.query(`select from clusters where agent_status = 'disconnected'`);
        return rowCount === n;
      };
      await eventually('the other is marked', count(1));
      equal((await row())?.agent_status, 'connected');
      await client.query('rollback');
      client.release();
      await eventually('both are marked', count(2));
    });

    it('has no metric of its own (ST-06, X-13)', async () => {
      const { body } = await renderMetrics();
      ok(!/stale/i.test(body));
    });

    it('wants a threshold of two sync intervals (X-24)', () => {
      equal(hastyThreshold(10 * MINUTE_MS, 5 * MINUTE_MS), null);
      match(hastyThreshold(10 * MINUTE_MS - 1, 5 * MINUTE_MS) ?? '', /PROXIMA_K8S_STALE_AFTER/);
    });
  });

  describe('of old rows', () => {
    const hoursAgo = (hours: number): Date => new Date(clock.getTime() - hours * HOUR_MS);
    const left = async (table: string, column: string): Promise<unknown[]> => {
      const { rows } = await ingest.database.pool.query<Record<string, unknown>>(
        `select ${column} as name from ${table} order by 1`,
      );
      return rows.map(({ name }) => name);
    };

    it('deletes events last seen before the retention, one without that time by the age of its row (ST-04, X-41)', async () => {
      const insert = (uid: string, lastSeenAt: Date | null, syncedAt: Date) =>
        ingest.database.pool.query(
          `insert into k8s_events (cluster_id, namespace, name, uid, type, count, last_seen_at, synced_at)
           select id, 'shop', $1, $1, 'Normal', 1, $2, $3 from clusters where slug = 'quiet'`,
          [uid, lastSeenAt, syncedAt],
        );
      await insert('seen 25 h ago', hoursAgo(25), hoursAgo(1));
      await insert('seen 23 h ago', hoursAgo(23), hoursAgo(30));
      await insert('written 25 h ago', null, hoursAgo(25));
      await insert('written 23 h ago', null, hoursAgo(23));
      await eventually('the old ones are gone', async () => (await left('k8s_events', 'uid')).length === 2);
      deepEqual(await left('k8s_events', 'uid'), ['seen 23 h ago', 'written 23 h ago']);
    });

    it('deletes change records of every source past theirs, in batches (U-17, CH-41)', async () => {
      const expired = () => metric('proxima_rows_expired_total', { table: 'change_events' });
      const before = await expired();
      const insert = (source: string, happenedAt: Date | null, writtenAt: Date, many = 1) =>
        ingest.database.pool.query(
          `insert into change_events (client_id, source, event_type, severity, summary, scanned_at, created_at)
           select id, $1, 'workload_changed', 'info', $1, $2, $3 from clients, generate_series(1, $4)`,
          [source, happenedAt, writtenAt, many],
        );
      const day = 24;
      await insert('k8s-config', hoursAgo(91 * day), hoursAgo(1), 12_000);
      await insert('github', null, hoursAgo(91 * day));
      await insert('deployment', hoursAgo(89 * day), hoursAgo(91 * day));
      await insert('gitlab', null, hoursAgo(89 * day));
      await eventually(
        'the old ones are gone',
        async () => (await left('change_events', 'source')).length === 2,
      );
      deepEqual(await left('change_events', 'source'), ['deployment', 'gitlab']);
      await eventually('they are counted', async () => (await expired()) === before + 12_001);
    });
  });
});
