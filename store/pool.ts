/** The one place that makes PostgreSQL connections. */

import pg from 'pg';

export type Pool = pg.Pool;
export type PoolClient = pg.PoolClient;

/** Anything that answers a query: the pool, or one client inside a transaction. */
export type Db = Pick<pg.ClientBase, 'query'>;

/** Time to get a connection: longer than a restart of PostgreSQL's listener, shorter than any caller's patience. */
const CONNECT_TIMEOUT_MS = 10_000;

const INT8_OID = pg.types.builtins.INT8;

/**
 * A pool on `url`. bigint comes back as a number: every such column holds an integer within 2^53, and a sum that
 * left that range would throw here instead of losing digits. Timestamps come back as `Date`.
 *
 * `onIdleError` hears of connections that die while nobody uses them (the pool has dropped them by then); without a
 * listener such an event ends the process. `statementTimeoutMs` bounds every statement, for a pool that answers callers.
 */
export function createPool(
  url: string,
  options: { max?: number; onIdleError?: (error: Error) => void; statementTimeoutMs?: number } = {},
): Pool {
  const { statementTimeoutMs } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'proxima',
    types: { getTypeParser },
    ...(statementTimeoutMs === undefined
      ? {}
      : { onConnect: (client: pg.ClientBase) => boundStatements(client, statementTimeoutMs) }),
  });
  pool.on('error', options.onIdleError ?? (() => undefined));
  return pool;
}

/** pg asks per column: by OID, and by `text` or `binary`; only text is used here. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === INT8_OID) return parseSafeInteger;
  return pg.types.getTypeParser(oid, format as 'text');
}

function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('a bigint of the database exceeds 2^53');
  return value;
}

/** How often PostgreSQL looks, while it runs a query, whether somebody still waits for it. */
const ABANDONED_CHECK_MS = 500;

/**
 * Bounds every statement of a new connection to `timeoutMs`, and has PostgreSQL end one whose connection was closed. Set
 * by statement, not as startup parameters, which poolers in between refuse. A server on a system that cannot look for a
 * closed connection refuses the second setting; the timeout then stands alone.
 */
async function boundStatements(client: pg.ClientBase, timeoutMs: number): Promise<void> {
  await client.query(`set statement_timeout = ${timeoutMs}`);
  await client.query(`set client_connection_check_interval = ${ABANDONED_CHECK_MS}`).catch((error) => {
    if (!(error instanceof pg.DatabaseError)) throw error;
  });
}

/** What PostgreSQL answers with; exported here because `pg` is imported in one module. */
export const { DatabaseError } = pg;
export type DatabaseError = pg.DatabaseError;
