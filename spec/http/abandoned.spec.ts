import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRoute } from '../../http/route.ts';
import { createPool, type Pool } from '../../store/pool.ts';
import { inReadTransaction } from '../../store/tx.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { freshDatabase } from '../support/postgres.ts';
import type { BackendUnderTest } from './backendUnderTest.ts';
import { startBackend } from './backendUnderTest.ts';

const SLEEP = 'select pg_sleep(30)';

const route = (path: string, read: (pool: Pool) => Promise<unknown>) =>
  openRoute({
    method: 'GET',
    path,
    summary: 'Asks the database.',
    reason: 'a spec asks it',
    status: 204,
    answer: null,
    async handle({ backend }) {
      await read(backend.pool);
      return { kind: 'empty', status: 204 };
    },
  });

const routes = [
  route('/slow', (pool) => pool.query(SLEEP)),
  route('/slow-transaction', (pool) => inReadTransaction(pool, 60_000, (client) => client.query(SLEEP))),
  route('/quick', (pool) => pool.query('select 1')),
];

describe('a read that nobody waits for', () => {
  let database: FreshDatabase;
  let pool: Pool;
  let backend: BackendUnderTest;

  before(async () => {
    database = await freshDatabase();
    pool = createPool(database.url, { statementTimeoutMs: 20_000, max: 2 });
    backend = await startBackend({ pool }, routes);
  });
  after(async () => {
    await backend.stop();
    await pool.end();
    await database.drop();
  });

  const running = async (): Promise<number> => {
    const { rows } = await database.pool.query(
      `select from pg_stat_activity where datname = current_database() and state = 'active' and query = $1`,
      [SLEEP],
    );
    return rows.length;
  };
  const until = async (count: number): Promise<void> => {
    const deadline = Date.now() + 10_000;
    while ((await running()) !== count) {
      ok(Date.now() < deadline, `never saw ${count} running queries`);
      await sleep(50);
    }
  };

  for (const path of ['/slow', '/slow-transaction']) {
    it(`ends in the database too when its caller leaves (${path})`, async () => {
      for (let round = 0; round < 3; round += 1) {
        const leaving = new AbortController();
        const asked = Array.from({ length: 2 }, () => fetch(backend.url + path, { signal: leaving.signal }));
        await until(2);
        leaving.abort();
        for (const answer of asked) await rejects(answer);
        await until(0);
        // Both connections of the pool were closed; the next reader gets others.
        equal((await backend.ask('/quick')).status, 204);
      }
    });
  }

  it('leaves the connections of those who stayed alone', async () => {
    const leaving = new AbortController();
    const gone = fetch(`${backend.url}/slow`, { signal: leaving.signal });
    await until(1);
    const stayed = backend.ask('/quick');
    leaving.abort();
    await rejects(gone);
    equal((await stayed).status, 204);
    await until(0);
  });
});

describe('a database that does not answer in time', () => {
  let database: FreshDatabase;
  let pool: Pool;
  let backend: BackendUnderTest;

  before(async () => {
    database = await freshDatabase();
    pool = createPool(database.url, { statementTimeoutMs: 300 });
    backend = await startBackend({ pool }, routes);
  });
  after(async () => {
    await backend.stop();
    await pool.end();
    await database.drop();
  });

  it('is a 503 with a code and a time to come back, not a 500', async () => {
    const { status, headers, json } = await backend.ask('/slow');
    deepEqual([status, json.error.code, headers.get('Retry-After')], [503, 'overloaded', '5']);
    equal((await backend.ask('/quick')).status, 204);
  });

  it('is a 503 with another code when it is away', async () => {
    await database.pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await pool.query('select 1').catch(() => undefined);
    const away = createPool('postgres://nobody@127.0.0.1:1/nothing', { statementTimeoutMs: 300 });
    const other = await startBackend({ pool: away }, routes);
    try {
      const { status, json } = await other.ask('/quick');
      deepEqual([status, json.error.code], [503, 'database_unavailable']);
    } finally {
      await other.stop();
      await away.end();
    }
  });
});
