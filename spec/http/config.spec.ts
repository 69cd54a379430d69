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
        host: null,
        port: 8080,
        logLevel: 'info',
        staleAfterMs: 900_000,
        maintenanceIntervalMs: 60_000,
        eventRetentionMs: 24 * 3_600_000,
        changeRetentionMs: 90 * 24 * 3_600_000,
        syncIntervalMs: 300_000,
        lifecycleRecords: false,
        victoriaLogsUrl: null,
        victoriaMetrics: null,
        oidc: null,
        traced: null,
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

  const read = (env: Record<string, string>) => {
    const outcome = readConfig(env);
    ok(outcome.ok, outcome.ok ? '' : outcome.faults.join());
    return outcome.config;
  };
  const faultsOf = (env: Record<string, string>) => {
    const outcome = readConfig(env);
    return outcome.ok ? [] : outcome.faults.map((fault) => fault.split(' ')[0]);
  };

  it('take one VictoriaMetrics for writing and reading, or the two halves of a cluster with their tenant', () => {
    const single = read({ VICTORIA_METRICS_URL: 'http://vm:8428' }).victoriaMetrics;
    deepEqual([single?.insertUrl.reveal(), single?.selectUrl.reveal()], ['http://vm:8428', 'http://vm:8428']);
    const insert = 'http://vminsert:8480/insert/{tenant}/prometheus';
    const select = 'http://vmselect:8481/select/{tenant}/prometheus';
    const both = { VICTORIA_METRICS_INSERT_URL: insert, VICTORIA_METRICS_SELECT_URL: select };
    const halves = read(both).victoriaMetrics;
    deepEqual([halves?.insertUrl.reveal(), halves?.selectUrl.reveal()], [insert, select]);
    deepEqual(faultsOf({ ...both, VICTORIA_METRICS_URL: 'http://vm:8428' }), ['VICTORIA_METRICS_URL']);
    deepEqual(faultsOf({ VICTORIA_METRICS_INSERT_URL: insert }), ['VICTORIA_METRICS_SELECT_URL']);
    deepEqual(faultsOf({ ...both, VICTORIA_METRICS_INSERT_URL: 'http://vminsert:8480' }), [
      'VICTORIA_METRICS_INSERT_URL',
    ]);
  });

  it('trace when a collector is named, by the standard variables', () => {
    const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318' };
    deepEqual(read(collector).traced, { sampledShare: 1 });
    const tenth = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' };
    deepEqual(read({ ...collector, ...tenth }).traced, { sampledShare: 0.1 });
    deepEqual(read({ ...collector, OTEL_TRACES_SAMPLER: 'always_off' }).traced, { sampledShare: 0 });
    equal(read({ ...collector, OTEL_SDK_DISABLED: 'TRUE' }).traced, null);
    equal(read(tenth).traced, null);
    deepEqual(faultsOf({ OTEL_TRACES_SAMPLER: 'jaeger', OTEL_TRACES_SAMPLER_ARG: '2' }), [
      'OTEL_TRACES_SAMPLER_ARG',
      'OTEL_TRACES_SAMPLER',
    ]);
  });

  it('take an OIDC issuer with its audience, never one of them alone', () => {
    const issuer = { PROXIMA_OIDC_ISSUER: 'https://id.example' };
    deepEqual(read({ ...issuer, PROXIMA_OIDC_AUDIENCE: 'proxima' }).oidc, {
      issuer: 'https://id.example',
      audience: 'proxima',
    });
    deepEqual(faultsOf(issuer), ['PROXIMA_OIDC_ISSUER']);
    deepEqual(faultsOf({ PROXIMA_OIDC_AUDIENCE: 'proxima' }), ['PROXIMA_OIDC_ISSUER']);
  });

  it('listen where they are told to', () => {
    for (const host of ['127.0.0.1', '::1', 'localhost']) equal(read({ PROXIMA_HOST: host }).host, host);
    for (const host of ['http://localhost', '127.0.0.1:80', 'a b'])
      deepEqual(faultsOf({ PROXIMA_HOST: host }), ['PROXIMA_HOST']);
  });

  it('print without secrets', () => {
    const outcome = readConfig({ DATABASE_URL: 'postgres://user:hunter2@db/proxima' });
    ok(outcome.ok);
    equal(outcome.config.databaseUrl?.reveal(), 'postgres://user:hunter2@db/proxima');
    ok(!`${inspect(outcome)}${JSON.stringify(outcome)}`.includes('hunter2'));
  });
});
