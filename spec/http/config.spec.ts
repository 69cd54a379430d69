import { deepEqual, equal, ok } from 'node:assert/strict';
import { inspect } from 'node:util';
import { readConfig } from '../../http/config.ts';

const ACCOUNT = `A${'B'.repeat(55)}`;

describe("the backend's settings", () => {
  it('have the defaults of the table (contracts.md section 6)', () => {
    const outcome = readConfig({ DATABASE_URL: '', PROXIMA_PORT: ' ' });
    deepEqual(outcome, {
      ok: true,
      config: {
        databaseUrl: null,
        nats: null,
        agentNatsUrl: null,
        eventsMaxBytes: 4 * 1024 ** 3,
        port: 8080,
        logLevel: 'info',
        staleAfterMs: 900_000,
        maintenanceIntervalMs: 60_000,
      },
    });
    ok(outcome.ok && Object.isFrozen(outcome.config));
  });

  it('report all faults together, by name and without a value', () => {
    const outcome = readConfig({
      DATABASE_URL: 'mysql://secret',
      NATS_URL: 'nats://nats:4222',
      PROXIMA_PORT: '99999',
      PROXIMA_LOG_LEVEL: 'loud',
      PROXIMA_EVENTS_MAX_BYTES: '4 apples',
      PROXIMA_K8S_STALE_AFTER: '15',
    });
    ok(!outcome.ok);
    deepEqual(outcome.faults.map((fault) => fault.split(' ')[0]).sort(), [
      'DATABASE_URL',
      'NATS_CREDS',
      'PROXIMA_EVENTS_MAX_BYTES',
      'PROXIMA_K8S_STALE_AFTER',
      'PROXIMA_LOG_LEVEL',
      'PROXIMA_NATS_ACCOUNT',
      'PROXIMA_NATS_SIGNING_SEED_FILE',
      'PROXIMA_PORT',
    ]);
    ok(!/secret|99999|loud|apples/.test(outcome.faults.join()));
  });

  it('take a NATS server of somebody else whole', () => {
    const outcome = readConfig({
      NATS_URL: 'tls://nats:4222',
      NATS_CREDS: '/creds',
      PROXIMA_NATS_ACCOUNT: ACCOUNT,
      PROXIMA_NATS_SIGNING_SEED_FILE: '/seed',
      PROXIMA_EVENTS_MAX_BYTES: '512MiB',
    });
    ok(outcome.ok);
    deepEqual(outcome.config.nats, {
      url: 'tls://nats:4222',
      credsFile: '/creds',
      caFile: null,
      account: ACCOUNT,
      signingSeedFile: '/seed',
    });
    equal(outcome.config.eventsMaxBytes, 512 * 1024 ** 2);
  });

  it('take no login in an address that agents are told', () => {
    for (const name of ['NATS_URL', 'PROXIMA_AGENT_NATS_URL']) {
      const outcome = readConfig({ [name]: 'nats://user:hunter2@nats:4222' });
      ok(!outcome.ok);
      ok(outcome.faults.includes(`${name} must not hold a user or a password`), outcome.faults.join());
      ok(!outcome.faults.join().includes('hunter2'));
    }
  });

  it('print without secrets', () => {
    const outcome = readConfig({ DATABASE_URL: 'postgres://user:hunter2@db/proxima' });
    ok(outcome.ok);
    equal(outcome.config.databaseUrl?.reveal(), 'postgres://user:hunter2@db/proxima');
    ok(!`${inspect(outcome)}${JSON.stringify(outcome)}`.includes('hunter2'));
  });
});
