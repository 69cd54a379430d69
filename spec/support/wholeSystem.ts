/** The whole system for end-to-end specs: real PostgreSQL, real nats-server with JWTs, the backend, and agents. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SystemOptions } from '../../actors/system.ts';
import { readConfig as readAgentConfig } from '../../agent/config.ts';
import type { RunningAgent } from '../../agent/main.ts';
import { startAgent } from '../../agent/main.ts';
import { demoAdministratorToken } from '../../http/bootstrap.ts';
import { readConfig } from '../../http/config.ts';
import type { Serving } from '../../http/main.ts';
import { serve } from '../../http/main.ts';
import { adminApi } from '../../scripts/adminApi.ts';
import type { NatsUnderTest } from './nats.ts';
import { startNats } from './nats.ts';
import type { FreshDatabase } from './postgres.ts';
import { freshDatabase } from './postgres.ts';

/** Seconds where production has minutes. */
const QUICK: Partial<SystemOptions> = {
  ackWaitMs: 5_000,
  nakDelaysMs: [200, 500],
  pullExpiresMs: 1_000,
  probeEveryMs: 100,
  heartbeatFlushMs: 100,
  eventsMaxBytes: 1024 ** 3,
};

type AdminApi = ReturnType<typeof adminApi>;

export interface WholeSystem {
  readonly database: FreshDatabase;
  readonly nats: NatsUnderTest;
  /** Folder that goes with the system. */
  readonly dir: string;
  /** Variables with which `./proxima serve` runs as a process of its own on these servers. */
  readonly backendEnv: Readonly<Record<string, string>>;
  /** Starts the backend in this process; one at a time unless ports differ. */
  startBackend(env?: Readonly<Record<string, string>>): Promise<Serving>;
  /** An administrator of the backend at `url`. */
  admin(url: string): Promise<AdminApi & { token: string }>;
  /** Starts an agent with a data folder of its own, enrolled under `slug` in acme/prod. */
  startAgent(o: {
    url: string;
    kubeconfig: string;
    slug: string;
    env?: Record<string, string>;
  }): Promise<RunningAgent>;
  stop(): Promise<void>;
}

export async function startWholeSystem(): Promise<WholeSystem> {
  const [nats, database, dir] = await Promise.all([
    startNats(),
    freshDatabase(),
    mkdtemp(join(tmpdir(), 'proxima-system-')),
  ]);
  const credsFile = join(dir, 'backend.creds');
  const signingSeedFile = join(dir, 'signing.seed');
  await writeFile(credsFile, nats.backend.creds, { mode: 0o600 });
  await writeFile(signingSeedFile, nats.keys.signing.seed, { mode: 0o600 });
  const backendEnv = {
    DATABASE_URL: database.url,
    NATS_URL: nats.url,
    NATS_CREDS: credsFile,
    PROXIMA_NATS_ACCOUNT: nats.keys.account.publicKey,
    PROXIMA_NATS_SIGNING_SEED_FILE: signingSeedFile,
    PROXIMA_LOG_LEVEL: 'error',
    PROXIMA_EVENTS_MAX_BYTES: '1GiB',
    PROXIMA_PORT: '0',
  };
  const running: { stop(): Promise<unknown> }[] = [];
  const admin: WholeSystem['admin'] = async (url) => {
    const token = await demoAdministratorToken(database.pool, new Date());
    return { ...adminApi(url, token), token };
  };
  return {
    database,
    nats,
    dir,
    backendEnv,
    admin,
    async startBackend(env = {}) {
      const read = readConfig({ ...backendEnv, ...env });
      if (!read.ok) throw new Error(read.faults.join('\n'));
      const backend = await serve(read.config, { host: '127.0.0.1', system: QUICK });
      running.push(backend);
      return backend;
    },
    async startAgent({ url, kubeconfig, slug, env = {} }) {
      const api = await admin(url);
      const { environmentId } = await api.tenant('acme', 'prod');
      const read = readAgentConfig({
        PROXIMA_CLUSTER_NAME: `Cluster ${slug}`,
        PROXIMA_CLUSTER_SLUG: slug,
        PROXIMA_BACKEND_URL: url,
        PROXIMA_INSTALL_TOKEN: await api.installToken(environmentId),
        PROXIMA_K8S_SYNC_INTERVAL: '1s',
        PROXIMA_AGENT_DATA_DIR: join(dir, `agent-${slug}`),
        PROXIMA_METRICS_ADDR: '127.0.0.1:0',
        PROXIMA_LOG_LEVEL: 'error',
        KUBECONFIG: kubeconfig,
        ...env,
      });
      if (!read.ok) throw new Error(read.faults.join('\n'));
      const agent = await startAgent(read.config);
      running.push(agent);
      return agent;
    },
    async stop() {
      for (const part of running.reverse()) await part.stop();
      await Promise.all([nats.stop(), database.drop()]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}
