import { equal, rejects } from 'node:assert/strict';
import { migrate } from '../../store/migrate.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { emptyDatabase } from '../support/postgres.ts';

describe('migrate', () => {
  let database: FreshDatabase;
  beforeEach(async () => {
    database = await emptyDatabase();
  });
  afterEach(() => database.drop());

  it('applies every file once, and nothing the second time', async () => {
    const { rows } = await (async () => {
      equal((await migrate(database.pool)) > 0, true);
      return database.pool.query<{ n: number }>('select count(*) as n from schema_migrations');
    })();
    equal((rows[0]?.n ?? 0) > 0, true);
    equal(await migrate(database.pool), 0);
  });

  it('lets two programs that start together migrate one after the other', async () => {
    const applied = await Promise.all([migrate(database.pool), migrate(database.pool)]);
    equal(Math.min(...applied), 0);
  });

  it('refuses a database whose migration was changed after it ran', async () => {
    await migrate(database.pool);
    await database.pool.query(`update schema_migrations set checksum = 'other' where version = 1`);
    await rejects(migrate(database.pool), /0001_\w+\.sql was changed after it ran/);
  });

  it('refuses a database that is ahead of the program', async () => {
    await migrate(database.pool);
    await database.pool.query(
      `insert into schema_migrations (version, file, checksum) values (9999, '9999_future.sql', '')`,
    );
    await rejects(migrate(database.pool), /9999_future\.sql/);
  });

  it('leaves nothing of a migration that fails', async () => {
    await database.pool.query('create table k8s_pods (id integer)');
    await rejects(migrate(database.pool), /0002_inventory\.sql failed/);
    const { rows } = await database.pool.query(`select to_regclass('k8s_nodes') as nodes`);
    equal(rows[0].nodes, null);
  });
});
