/** The first administrator (design D14, contracts.md section 5). */

import { createCaller, createToken } from '../store/callers.ts';
import { createGrant } from '../store/grants.ts';
import type { Db, Pool } from '../store/pool.ts';
import { inTransaction } from '../store/tx.ts';

const TOKEN_LIFE_MS = 24 * 3_600_000;
const TRANSACTION_MS = 30_000;

/** Number of the advisory lock that makes replicas starting at once agree on one first administrator. */
const BOOTSTRAP_LOCK = 5_176_001;

/**
 * On a database without callers, makes an administrator and answers its token, which expires after 24 h and is shown
 * nowhere else; null on every later start.
 */
export const bootstrapAdministrator = (pool: Pool, now: Date): Promise<string | null> =>
  inTransaction(pool, TRANSACTION_MS, async (db) => {
    await db.query('select pg_advisory_xact_lock($1)', [BOOTSTRAP_LOCK]);
    const { rowCount } = await db.query('select from callers limit 1');
    return rowCount === 0 ? makeToken(db, await makeAdministrator(db), now) : null;
  });

/**
 * A fresh administrator's token: for the demo, which shows one at every start, and for whoever has let all others end.
 * Those of earlier starts that have expired go. The caller is the bootstrap administrator, made where it is missing.
 */
export const demoAdministratorToken = (pool: Pool, now: Date): Promise<string> =>
  inTransaction(pool, TRANSACTION_MS, async (db) => {
    await db.query('select pg_advisory_xact_lock($1)', [BOOTSTRAP_LOCK]);
    await db.query('delete from caller_tokens where bootstrap and expires_at <= $1', [now]);
    const { rows } = await db.query<{ id: string }>(
      `select c.id from callers c join grants g on g.caller_id = c.id
       where c.type = 'service' and c.name = $1 and g.role = 'super_admin'
       order by c.created_at limit 1`,
      [ADMINISTRATOR],
    );
    return makeToken(db, rows[0]?.id ?? (await makeAdministrator(db)), now);
  });

const ADMINISTRATOR = 'bootstrap administrator';

async function makeAdministrator(db: Db): Promise<string> {
  const caller = await createCaller(db, { type: 'service', name: ADMINISTRATOR, email: null });
  if (caller === null) throw new Error('a caller without email cannot collide');
  await createGrant(db, { caller_id: caller.id, role: 'super_admin', client_id: null, environment_id: null });
  return caller.id;
}

async function makeToken(db: Db, callerId: string, now: Date): Promise<string> {
  const { secret } = await createToken(db, {
    caller_id: callerId,
    name: 'bootstrap',
    expires_at: new Date(now.getTime() + TOKEN_LIFE_MS),
    bootstrap: true,
  });
  return secret;
}
