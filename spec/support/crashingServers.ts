/** PostgreSQL, nats-server and two backends, each a process of its own that a spec ends with `kill -9`. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../../store/embedded.ts';
import { migrate } from '../../store/migrate.ts';
import type { Pool } from '../../store/pool.ts';
import { createPool } from '../../store/pool.ts';
import type { BackendProcess } from './backendProcess.ts';
import { freePort, startBackendProcess } from './backendProcess.ts';
import type { NatsUnderTest } from './nats.ts';
import { startNats } from './nats.ts';

export const VICTIMS = ['backend 1', 'backend 2', 'PostgreSQL', 'nats-server'] as const;
export type Victim = (typeof VICTIMS)[number];

const START_TIMEOUT_MS = 60_000;

export interface CrashingServers {
  readonly pool: Pool;
  readonly nats: NatsUnderTest;
  /** Kills it, waits, and answers when it runs again. */
  crash(victim: Victim, downMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts all of them over empty data. */
export async function startCrashingServers(): Promise<CrashingServers> {
  const dir = await mkdtemp(join(tmpdir(), 'proxima-crash-'));
  // Run by root, the server is somebody else, and would keep its data elsewhere if it could not enter.
  await chmod(dir, 0o755);
  const place = { dir: join(dir, 'postgres'), port: await freePort() };
  let postgres = await startEmbeddedPostgres(place);
  const nats = await startNats();
  const pool = createPool(postgres.url, { onIdleError: () => undefined });
  await migrate(pool);
  const credsFile = join(dir, 'backend.creds');
  const seedFile = join(dir, 'signing.seed');
  await writeFile(credsFile, nats.backend.creds, { mode: 0o600 });
  await writeFile(seedFile, nats.keys.signing.seed, { mode: 0o600 });
  const env = {
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    NATS_CREDS: credsFile,
    PROXIMA_NATS_ACCOUNT: nats.keys.account.publicKey,
    PROXIMA_NATS_SIGNING_SEED_FILE: seedFile,
    PROXIMA_EVENTS_MAX_BYTES: '256MiB',
    PROXIMA_LOG_LEVEL: 'error',
  };
  // A backend that starts while another server is down may give up; whoever runs it starts it again.
  const startBackend = (): Promise<BackendProcess> =>
    untilDone(() => startBackendProcess(env, ['--ack-wait', '2s']));
  const backends = await Promise.all([startBackend(), startBackend()]);
  return {
    pool,
    nats,
    async crash(victim, downMs) {
      if (victim === 'nats-server') return nats.crash(downMs);
      if (victim === 'PostgreSQL') {
        const pid = await readFile(join(place.dir, 'data/postmaster.pid'), 'utf8');
        process.kill(Number.parseInt(pid, 10), 'SIGKILL');
        await postgres.stop();
        await sleep(downMs);
        // Its children hold shared memory until they see that it is gone.
        postgres = await untilDone(() => startEmbeddedPostgres(place));
        return;
      }
      const index = victim === 'backend 1' ? 0 : 1;
      await backends[index]?.end('SIGKILL');
      await sleep(downMs);
      backends[index] = await startBackend();
    },
    async stop() {
      await Promise.all(backends.map((backend) => backend.end('SIGKILL')));
      await pool.end();
      await Promise.all([nats.stop(), postgres.stop()]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Tries until it succeeds; throws the last error after a minute. */
export async function untilDone<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(100);
    }
  }
}
