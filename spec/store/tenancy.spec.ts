import { equal, ok, rejects } from 'node:assert/strict';
import { recordHeartbeat } from '../../store/agents.ts';
import { createClient, createEnvironment } from '../../store/tenants.ts';
import { enrollAgent } from '../support/enrolled.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { freshDatabase } from '../support/postgres.ts';

describe('tenancy tables', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  const query = (text: string, values: unknown[] = []) => database.pool.query(text, values);
  const refusedBy = (constraint: string) => (error: unknown) =>
    (error as { constraint?: string }).constraint === constraint;

  it('refuse slugs that are no subject token, and the client slug system', async () => {
    for (const slug of ['Acme', 'a.b', 'a*', '>', '-a', 'a-', '', 'a\n', 'x'.repeat(64)]) {
      await rejects(createClient(database.pool, { slug, name: 'X' }), refusedBy('clients_slug_shape'), slug);
    }
    await rejects(
      createClient(database.pool, { slug: 'system', name: 'X' }),
      refusedBy('clients_slug_reserved'),
    );
    ok(await createClient(database.pool, { slug: 'x'.repeat(63), name: 'X' }));
  });

  it('number tenants from 1 on and keep an environment with its client', async () => {
    const one = await createClient(database.pool, { slug: 'one', name: 'One' });
    const two = await createClient(database.pool, { slug: 'two', name: 'Two' });
    ok(one && two && one.tenant >= 1 && two.tenant > one.tenant);
    const made = await createEnvironment(database.pool, { client_id: one.id, slug: 'prod', name: 'Prod' });
    ok(made.kind === 'created');
    const crossed = [two.id, made.environment.id];
    await rejects(
      query(`insert into hosts (client_id, environment_id, hostname) values ($1, $2, 'h')`, crossed),
      { code: '23503' },
    );
  });

  it('refuse grants that no scope fits', async () => {
    const { rows } = await query(`insert into callers (type, name) values ('service', 's') returning id`);
    const caller = rows[0].id;
    const client = await createClient(database.pool, { slug: 'granted', name: 'G' });
    const grant = (role: string, clientId: string | null, environmentId: string | null) =>
      query('insert into grants (caller_id, role, client_id, environment_id) values ($1, $2, $3, $4)', [
        caller,
        role,
        clientId,
        environmentId,
      ]);
    await rejects(grant('super_admin', client?.id ?? '', null), refusedBy('grants_super_admin_global'));
    await rejects(grant('viewer', null, caller), refusedBy('grants_scope'));
    await grant('viewer', null, null);
    await rejects(grant('viewer', null, null), { code: '23505' });
  });

  it('let a late heartbeat not turn back the time of the last one', async () => {
    const agent = await enrollAgent(database.pool);
    const beat = (at: string) =>
      recordHeartbeat(database.pool, {
        agentId: agent.id,
        agentVersion: '0.9.0',
        epoch: null,
        at: new Date(at),
      });
    await beat('2026-11-30T12:00:30Z');
    await beat('2026-11-30T12:00:15Z');
    const { rows } = await query('select last_heartbeat_at from agents where id = $1', [agent.id]);
    equal(rows[0].last_heartbeat_at.toISOString(), '2026-11-30T12:00:30.000Z');
  });
});
