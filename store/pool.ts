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
 * listener such an event ends the process.
 */
export function createPool(
  url: string,
  options: { max?: number; onIdleError?: (error: Error) => void } = {},
): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'proxima',
    types: { getTypeParser },
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

/** What PostgreSQL answers with; exported here because `pg` is imported in one module. */
export const { DatabaseError } = pg;
export type DatabaseError = pg.DatabaseError;
