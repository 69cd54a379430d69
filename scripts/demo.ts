/** `./proxima demo`: the whole system in one process, on a simulated cluster or on the one of KUBECONFIG. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NatsServerMissing } from '../actors/natsBinary.ts';
import { readConfig as readAgentConfig } from '../agent/config.ts';
import type { RunningAgent } from '../agent/main.ts';
import { startAgent } from '../agent/main.ts';
import { demoAdministratorToken } from '../http/bootstrap.ts';
import { readConfig } from '../http/config.ts';
import type { Serving } from '../http/main.ts';
import { serve } from '../http/main.ts';
import { SimCluster } from '../sim/cluster.ts';
import type { SimServer } from '../sim/server.ts';
import { startSimServer } from '../sim/server.ts';
import { adminApi } from './adminApi.ts';
import { homeOf, readOptions } from './options.ts';
import { progressLine } from './progressLine.ts';
import { stopRequested } from './stopSignals.ts';

const INTRO = `usage: ./proxima demo [options]

Starts PostgreSQL, nats-server, the backend, a simulated cluster and an agent on it, all on 127.0.0.1 with data in
.proxima/, and prints the URL and an administrator's token. Ctrl-C ends it; the data stays (make clean removes it).

  PROXIMA_PORT   port of the API (8080, the next free one if taken)`;

const OPTIONS = {
  'data-dir': { type: 'string', help: 'where keys and data are kept (.proxima of the checkout)' },
  kubeconfig: { type: 'string', help: 'read this cluster instead of a simulated one' },
  pods: { type: 'string', help: 'pods of the simulated cluster (300)' },
  seed: { type: 'string', help: 'seed of the simulated cluster (1)' },
  'stop-with-parent': { type: 'boolean', help: 'end when the process that started this one is gone' },
} as const;

const DEFAULT_PODS = 300;
/** How often the simulated cluster moves on, and how often the agent reads it: a demo should show changes. */
const LIFE_STEP_MS = 5_000;
const SYNC_INTERVAL = '30s';
const FIRST_SNAPSHOT_TIMEOUT_MS = 120_000;

interface Parts {
  backend?: Serving;
  sim?: SimServer;
  life?: NodeJS.Timeout;
  agent?: RunningAgent;
}

/** Returns the exit code: 0 stopped, 1 it could not start, 2 bad usage or no nats-server to be had. */
export async function runDemo(argv: string[]): Promise<number> {
  const parsed = readOptions(INTRO, OPTIONS, argv);
  if ('exitCode' in parsed) return parsed.exitCode;
  const { values } = parsed;
  const pods = Number(values.pods ?? DEFAULT_PODS);
  if (!Number.isInteger(pods) || pods < 1 || pods > 20_000) {
    console.error('proxima: --pods must be an integer from 1 to 20000');
    return 2;
  }
  const parts: Parts = {};
  const progress = progressLine(process.stderr);
  const stopped = stopRequested({ withParent: values['stop-with-parent'] === true });
  try {
    const ended = await Promise.race([
      start(parts, {
        pods,
        seed: String(values.seed ?? '1'),
        home: homeOf(values),
        kubeconfig: typeof values.kubeconfig === 'string' ? values.kubeconfig : null,
        progress,
      }),
      stopped,
    ]);
    progress.done();
    if (ended === undefined) await stopped;
    return 0;
  } catch (error) {
    progress.done();
    console.error(`proxima: ${(error as Error).message}`);
    return error instanceof NatsServerMissing ? 2 : 1;
  } finally {
    await stop(parts);
  }
}

async function start(
  parts: Parts,
  o: {
    pods: number;
    seed: string;
    home: string;
    /** A real cluster's; an exported KUBECONFIG does not count: a demo must not read a cluster by accident. */
    kubeconfig: string | null;
    progress: ReturnType<typeof progressLine>;
  },
): Promise<void> {
  const { home } = o;
  const given = process.env;
  const read = readConfig({
    PROXIMA_PORT: given.PROXIMA_PORT,
    PROXIMA_LOG_LEVEL: given.PROXIMA_LOG_LEVEL ?? 'error',
  });
  if (!read.ok) throw new Error(read.faults.join('\n'));
  parts.backend = await serve(read.config, {
    dataDir: home,
    host: '127.0.0.1',
    nextFreePort: true,
    onProgress: o.progress.step,
  });
  const { url, pool } = parts.backend;
  const token = await demoAdministratorToken(pool, new Date());
  const admin = adminApi(url, token);
  const { environmentId } = await admin.tenant('internal', 'development');

  const kubeconfig = o.kubeconfig ?? (await simulate(parts, home, o));
  const name = o.kubeconfig === null ? 'Demo cluster' : 'My cluster';
  const slug = o.kubeconfig === null ? 'demo' : 'my-cluster';
  o.progress.step('starting the agent');
  const agentConfig = readAgentConfig({
    PROXIMA_CLUSTER_NAME: name,
    PROXIMA_CLUSTER_SLUG: slug,
    PROXIMA_BACKEND_URL: url,
    PROXIMA_INSTALL_TOKEN: await admin.installToken(environmentId),
    PROXIMA_K8S_SYNC_INTERVAL: SYNC_INTERVAL,
    PROXIMA_AGENT_DATA_DIR: join(home, `agent-${slug}`),
    PROXIMA_METRICS_ADDR: '127.0.0.1:0',
    PROXIMA_LOG_LEVEL: given.PROXIMA_LOG_LEVEL ?? 'error',
    KUBECONFIG: kubeconfig,
  });
  if (!agentConfig.ok) throw new Error(agentConfig.faults.join('\n'));
  parts.agent = await startAgent(agentConfig.config);

  o.progress.step('waiting for the first snapshot');
  const cluster = await firstSnapshot(
    parts.agent,
    () => admin.get<{ id: string; slug: string; last_seen_at: string | null }[]>('/api/v1/clusters'),
    slug,
  );
  o.progress.done();
  console.log(welcome(url, token, cluster));
}

async function simulate(
  parts: Parts,
  home: string,
  o: { pods: number; seed: string; progress: ReturnType<typeof progressLine> },
): Promise<string> {
  o.progress.step(`simulating a cluster of ${o.pods} pods`);
  const cluster = new SimCluster({ seed: o.seed, pods: o.pods, now: new Date() });
  parts.sim = await startSimServer(cluster);
  let last = Date.now();
  parts.life = setInterval(() => {
    const now = Date.now();
    cluster.live(now - last);
    last = now;
  }, LIFE_STEP_MS);
  await mkdir(home, { recursive: true });
  const file = join(home, 'simulated.kubeconfig');
  await writeFile(file, parts.sim.kubeconfig(), { mode: 0o600 });
  return file;
}

/** The cluster's id as soon as a snapshot of it is readable. Throws when the agent gives up or the time is over. */
async function firstSnapshot(
  agent: RunningAgent,
  clusters: () => Promise<{ id: string; slug: string; last_seen_at: string | null }[]>,
  slug: string,
): Promise<string> {
  let gaveUp: string | undefined;
  void agent.ended.then((end) => {
    gaveUp =
      end.kind === 'refused'
        ? end.message
        : `the agent ended${end.kind === 'failed' ? `: ${(end.error as Error).message}` : ''}`;
  });
  const started = new Date();
  const deadline = started.getTime() + FIRST_SNAPSHOT_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const found = (await clusters()).find((cluster) => cluster.slug === slug);
    if (found?.last_seen_at != null && new Date(found.last_seen_at) >= started) return found.id;
    if (gaveUp !== undefined) throw new Error(gaveUp);
    await sleep(200);
  }
  throw new Error('no snapshot arrived; PROXIMA_LOG_LEVEL=info make demo tells more');
}

async function stop({ backend, sim, life, agent }: Parts): Promise<void> {
  clearInterval(life);
  await agent?.stop();
  await sim?.stop();
  await backend?.stop();
}

const welcome = (url: string, token: string, clusterId: string): string => `
PROXIMA_URL=${url}
PROXIMA_TOKEN=${token}

curl -s -H 'Authorization: Bearer ${token}' '${url}/api/v1/clusters'
curl -s -H 'Authorization: Bearer ${token}' '${url}/api/v1/clusters/${clusterId}/workloads?per_page=5'
curl -s -H 'Authorization: Bearer ${token}' '${url}/api/v1/clusters/${clusterId}/nodes'

In a browser: ${url}/login#token=${token}
Ctrl-C stops it.`;
