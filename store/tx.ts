import type { Pool, PoolClient } from './pool.ts';

/** The transaction took longer than it may; its connection is closed and nothing of it is visible. */
export class TransactionTimeout extends Error {
  override readonly name = 'TransactionTimeout';
  constructor(timeoutMs: number, options?: ErrorOptions) {
    super(`transaction exceeded ${timeoutMs} ms`, options);
  }
}

/** PostgreSQL's own words for "out of time": query_canceled, idle_in_transaction and transaction timeouts. */
const TIMEOUT_STATES = new Set(['57014', '25P03', '25P04']);
const TRANSACTION_TIMEOUT_SINCE = 170_000;

/**
 * Runs `work` in one transaction of at most `timeoutMs` and returns its value after the commit; a throw rolls back.
 *
 * The server gives up by `statement_timeout` and, from version 17 on, `transaction_timeout`; neither sees a client that
 * stalls between two statements on 15 and 16, hence the deadline on this side, which destroys the connection. Settings
 * are LOCAL: a session setting would leak to the pool's next user.
 *
 * Throws `TransactionTimeout` past the limit, else whatever `work` or the commit threw.
 */
export const inTransaction = <T>(
  pool: Pool,
  timeoutMs: number,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> => runBetween('begin', pool, timeoutMs, work);

/** The same for reads alone: every query of `work` sees the database as it was at the first one. */
export const inReadTransaction = <T>(
  pool: Pool,
  timeoutMs: number,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> => runBetween('begin isolation level repeatable read read only', pool, timeoutMs, work);

async function runBetween<T>(
  begin: string,
  pool: Pool,
  timeoutMs: number,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A checked-out client without a listener turns a connection closed by the server into a process exit.
  const onError = (error: Error) => {
    broken ??= error;
  };
  client.on('error', onError);
  const { promise: expired, reject: expire } = Promise.withResolvers<never>();
  expired.catch(() => undefined);
  const timer = setTimeout(() => {
    broken = new TransactionTimeout(timeoutMs);
    expire(broken);
  }, timeoutMs);
  try {
    return await Promise.race([runIn(begin, client, timeoutMs, work), expired]);
  } catch (error) {
    if (broken === undefined && !(await rollBack(client))) broken = error as Error;
    if (error instanceof TransactionTimeout || !TIMEOUT_STATES.has(sqlState(error))) throw error;
    throw new TransactionTimeout(timeoutMs, { cause: error });
  } finally {
    clearTimeout(timer);
    client.removeListener('error', onError);
    client.release(broken);
  }
}

async function runIn<T>(
  begin: string,
  client: PoolClient,
  timeoutMs: number,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const limit = Math.ceil(timeoutMs);
  await client.query(
    `${begin}; set local statement_timeout = ${limit}; set local idle_in_transaction_session_timeout = ${limit};
     select set_config('transaction_timeout', '${limit}', true)
     where current_setting('server_version_num')::int >= ${TRANSACTION_TIMEOUT_SINCE}`,
  );
  const value = await work(client);
  await client.query('commit');
  return value;
}

/** False when the connection is of no further use. */
async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}

const sqlState = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');
