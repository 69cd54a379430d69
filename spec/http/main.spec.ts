import { equal, match, notEqual, ok, rejects } from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../actors/log.ts';
import type { Config } from '../../http/config.ts';
import { readConfig } from '../../http/config.ts';
import type { ServeOptions, Serving } from '../../http/main.ts';
import { serve } from '../../http/main.ts';
import { Secret } from '../../rules/secret.ts';
import type { NatsUnderTest } from '../support/nats.ts';
import { startNats } from '../support/nats.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { emptyDatabase } from '../support/postgres.ts';

describe('the backend as a whole', () => {
  let nats: NatsUnderTest;
  let database: FreshDatabase;
  let dir: string;
  const running: Serving[] = [];
  const start = async (settings: Config, more: ServeOptions = {}): Promise<Serving> => {
    const serving = await serve(settings, { host: '127.0.0.1', log: createLog('error'), ...more });
    running.push(serving);
    return serving;
  };
  // Also after a failed expectation: a backend that runs on would keep the whole run from ending.
  afterEach(() => Promise.all(running.splice(0).map((serving) => serving.stop())));

  before(async function () {
    this.timeout(120_000);
    nats = await startNats();
    database = await emptyDatabase();
    dir = await mkdtemp(join(tmpdir(), 'proxima-serve-'));
    await writeFile(join(dir, 'creds'), nats.backend.creds);
    await writeFile(join(dir, 'seed'), `${nats.keys.signing.seed}\n`);
  });
  after(async () => {
    await nats.stop();
    await database.drop();
    await rm(dir, { recursive: true, force: true });
  });

  function config(port: number): Config {
    const outcome = readConfig({
      DATABASE_URL: database.url,
      NATS_URL: nats.url,
      NATS_CREDS: join(dir, 'creds'),
      PROXIMA_NATS_ACCOUNT: nats.keys.account.publicKey,
      PROXIMA_NATS_SIGNING_SEED_FILE: join(dir, 'seed'),
      PROXIMA_EVENTS_MAX_BYTES: '64MiB',
      PROXIMA_PORT: String(port),
    });
    ok(outcome.ok);
    return outcome.config;
  }

  it('migrates, prints an administrator token once, makes the stream, is ready, and stops in order', async () => {
    const first = await start(config(0));
    match(first.administratorToken ?? '', /^pxt_/);
    const headers = { Authorization: `Bearer ${first.administratorToken}` };
    equal((await fetch(`${first.url}/readyz`)).status, 200);
    equal((await fetch(`${first.url}/api/v1/admin/clients`, { headers })).status, 200);
    const manager = await (await nats.connectAs(nats.backend)).jetstreamManager({ checkAPI: false });
    equal((await manager.streams.info('EVENTS')).config.max_bytes, 64 * 1024 ** 2);
    equal((await manager.consumers.info('EVENTS', 'kubernetes-worker')).config.ack_wait, 90e9);
    await Promise.all([first.stop(), first.stop()]);
    await rejects(fetch(`${first.url}/healthz`));

    const second = await start(config(0));
    equal(second.administratorToken, null);
    equal((await fetch(`${second.url}/api/v1/admin/clients`, { headers })).status, 200);
    await second.stop();

    const asked = await start(config(0), { newAdministratorToken: true });
    const again = { Authorization: `Bearer ${asked.administratorToken}` };
    equal((await fetch(`${asked.url}/api/v1/admin/clients`, { headers: again })).status, 200);
  });

  it('makes the administrator token only when the start succeeds, so that it is always shown', async () => {
    const fresh = await emptyDatabase();
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const onFresh = (at: number): Config => ({ ...config(at), databaseUrl: new Secret(fresh.url) });
    try {
      await rejects(start(onFresh(port)), { code: 'EADDRINUSE' });
      match((await start(onFresh(0))).administratorToken ?? '', /^pxt_/);
    } finally {
      taken.close();
      await Promise.all(running.splice(0).map((serving) => serving.stop()));
      await fresh.drop();
    }
  });

  it('takes the next free port when asked to, else says that the port is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    try {
      await rejects(start(config(port)), { code: 'EADDRINUSE' });
      const serving = await start(config(port), { nextFreePort: true });
      notEqual(new URL(serving.url).port, String(port));
      equal((await fetch(`${serving.url}/healthz`)).status, 200);
    } finally {
      taken.close();
    }
  });

  it('says which server it cannot reach, and leaves nothing running', async () => {
    const nowhere = { databaseUrl: new Secret('postgres://127.0.0.1:1/none') };
    await rejects(start({ ...config(0), ...nowhere }), /^Error: PostgreSQL: /);
    const settings = config(0);
    ok(settings.nats);
    const away = { ...settings, nats: { ...settings.nats, url: 'nats://127.0.0.1:1' } };
    await rejects(start(away, { system: { connectTimeoutMs: 500 } }), /^Error: NATS: /);
  });
});
