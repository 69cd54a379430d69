import { deepEqual, equal, rejects } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction, TransactionTimeout } from '../../store/tx.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { freshDatabase } from '../support/postgres.ts';

describe('inTransaction', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    await database.pool.query('create table notes (text text)');
  });
  after(() => database.drop());

  const notes = async () => (await database.pool.query<{ text: string }>('select text from notes')).rows;

  it('commits what the work wrote and returns its value', async () => {
    const value = await inTransaction(database.pool, 5000, async (client) => {
      await client.query(`insert into notes values ('kept')`);
      return 7;
    });
    equal(value, 7);
    deepEqual(await notes(), [{ text: 'kept' }]);
  });

  it('rolls back and passes on what the work threw', async () => {
    const failing = inTransaction(database.pool, 5000, async (client) => {
      await client.query(`insert into notes values ('lost')`);
      throw new Error('no');
    });
    await rejects(failing, /^Error: no$/);
    deepEqual(await notes(), [{ text: 'kept' }]);
  });

  it('stops a statement that takes too long', async () => {
    await rejects(
      inTransaction(database.pool, 100, (client) => client.query('select pg_sleep(5)')),
      TransactionTimeout,
    );
  });

  it('stops work that stalls between two statements, and the connection with it', async () => {
    const stalled = inTransaction(database.pool, 100, async (client) => {
      await client.query(`insert into notes values ('stalled')`);
      await sleep(400);
      await client.query('select 1');
    });
    await rejects(stalled, TransactionTimeout);
    await sleep(400);
    deepEqual(await notes(), [{ text: 'kept' }]);
  });

  it('leaves no limit behind for the next user of the connection', async () => {
    await inTransaction(database.pool, 100, async () => undefined);
    const { rows } = await database.pool.query('show statement_timeout');
    deepEqual(rows, [{ statement_timeout: '0' }]);
  });
});
