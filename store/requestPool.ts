/** A pool whose queries end with the request that made them. */

import type { Pool, PoolClient } from './pool.ts';

/** The caller left before the answer was there. */
export class CallerLeft extends Error {
  override readonly name = 'CallerLeft';
  constructor() {
    super('the caller left before the answer was there');
  }
}

/**
 * The same pool for as long as `signal` is quiet. When it aborts, every connection in use is closed under its query; a
 * pool made with `statementTimeoutMs` has told PostgreSQL to look for that, and it ends the query instead of finishing
 * it for nobody. Queries reject with `CallerLeft` then. The connections are closed, not returned: a cancel request that came
 * late would hit whoever has them next.
 */
export function boundTo(pool: Pool, signal: AbortSignal): Pool {
  const connect = async (): Promise<PoolClient> => {
    if (signal.aborted) throw new CallerLeft();
    const client = await pool.connect();
    const giveBack = client.release.bind(client);
    const leave = (): void => client.release(new CallerLeft());
    client.release = (error) => {
      signal.removeEventListener('abort', leave);
      client.release = () => undefined;
      giveBack(error);
    };
    if (signal.aborted) {
      client.release();
      throw new CallerLeft();
    }
    signal.addEventListener('abort', leave, { once: true });
    return client;
  };
  const query = async (...parameters: unknown[]): Promise<unknown> => {
    const client = await connect();
    // A checked-out client without a listener turns a connection that the server closes into a process exit.
    const onError = (): void => undefined;
    client.on('error', onError);
    let broken: Error | undefined;
    try {
      return await (client.query as (...parameters: unknown[]) => Promise<unknown>)(...parameters);
    } catch (error) {
      // What has no SQLSTATE did not come from PostgreSQL: the connection is of no further use.
      if ((error as { code?: unknown }).code === undefined) broken = error as Error;
      throw signal.aborted ? new CallerLeft() : error;
    } finally {
      client.removeListener('error', onError);
      client.release(broken);
    }
  };
  return new Proxy(pool, {
    get(target, property) {
      if (property === 'query') return query;
      if (property === 'connect') return connect;
      return Reflect.get(target, property, target);
    },
  });
}
