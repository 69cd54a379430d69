/**
 * What the agent costs in a pod: memory and CPU of a cold cycle on simulated clusters of several sizes, on the real
 * backend and a real nats-server. The simulated API server is another process's; TLS is in front of it, as in a cluster.
 *
 *     node bench/agent.ts [pods,…]      sizes beside the small one; 1000,5000 without, 50000 takes minutes
 *     SERVICES=… node bench/agent.ts real       5,000 pods of a real control plane, behind the small one
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { demoAdministratorToken } from '../http/bootstrap.ts';
import { readConfig } from '../http/config.ts';
import { serve } from '../http/main.ts';
import { adminApi } from '../scripts/adminApi.ts';
import type { BenchCluster } from './agentClusters.ts';
import { realCluster, simulatedCluster } from './agentClusters.ts';

const SMALL = 50;
const REAL = 5000;
/** From this size on, old ReplicaSets pile up behind the Deployments. */
const MANY_PODS = 50_000;
const MANY_REPLICA_SETS = 75_000;
const SLOW_MS = 2_000;
const TIMEOUT_MS = 600_000;
/** Flags of the launcher (./proxima) for the agent. */
const FLAGS = ['--max-semi-space-size=1', '--optimize-for-size'];

interface Figures {
  readonly what: string;
  /** After the first snapshot was stored and a few seconds have passed. */
  readonly restMb: number;
  readonly peakMb: number;
  /** From the start of the process until the first snapshot was stored. */
  readonly cpuSeconds: number;
  /** Null where nobody counted. */
  readonly requests: number | null;
}

async function main(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'proxima-bench-'));
  const read = readConfig({ PROXIMA_PORT: '0', PROXIMA_LOG_LEVEL: 'error' });
  if (!read.ok) throw new Error(read.faults.join('\n'));
  const backend = await serve(read.config, { dataDir: dir, host: '127.0.0.1' });
  try {
    const api = adminApi(backend.url, await demoAdministratorToken(backend.pool, new Date()));
    const { environmentId } = await api.tenant('bench', 'memory');
    const run = (what: string, cluster: () => Promise<BenchCluster>) =>
      measure({ dir, api, environmentId, what, cluster });
    const simulated = (pods: number, more: { replicaSets?: number; delayMs?: number } = {}) =>
      simulatedCluster({ dir, pods, ...more });
    // The first start of all fills the compile cache, which an image brings along.
    await run('to fill the cache', () => simulated(SMALL));
    const small = await run(`${SMALL} pods`, () => simulated(SMALL));
    const all = [small];
    if (process.argv[2] === 'real') {
      all.push(await run(`${REAL} pods, real`, () => realCluster({ dir, pods: REAL })));
    } else {
      const sizes = (process.argv[2] ?? '1000,5000').split(',').map(Number);
      for (const pods of sizes) {
        all.push(
          pods < MANY_PODS
            ? await run(`${pods} pods`, () => simulated(pods))
            : await run(`${pods} pods, ${MANY_REPLICA_SETS} ReplicaSets`, () =>
                simulated(pods, { replicaSets: MANY_REPLICA_SETS }),
              ),
        );
      }
      const slow = sizes.findLast((pods) => pods < MANY_PODS) ?? SMALL;
      all.push(
        await run(`${slow} pods, ${SLOW_MS / 1000} s a page`, () => simulated(slow, { delayMs: SLOW_MS })),
      );
    }
    console.log('| cluster | peak RSS MB | over the idle agent | at rest | CPU s | requests |');
    console.log('|---|---|---|---|---|---|');
    for (const f of all) {
      const over = Math.round(f.peakMb - small.restMb);
      console.log(
        `| ${f.what} | ${f.peakMb} | ${over} | ${f.restMb} | ${f.cpuSeconds.toFixed(1)} | ${f.requests ?? '?'} |`,
      );
    }
  } finally {
    await backend.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

async function measure(o: {
  readonly dir: string;
  readonly api: ReturnType<typeof adminApi>;
  readonly environmentId: string;
  readonly what: string;
  readonly cluster: () => Promise<BenchCluster>;
}): Promise<Figures> {
  const slug = o.what.toLowerCase().replace(/\W+/g, '-');
  process.stderr.write(`${o.what}: making the cluster\n`);
  const cluster = await o.cluster();
  const agent = spawn(
    process.execPath,
    [...FLAGS, join(import.meta.dirname, 'podAgent.ts'), cluster.account],
    {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: join(o.dir, 'compile-cache'),
        PROXIMA_CLUSTER_NAME: o.what,
        PROXIMA_CLUSTER_SLUG: slug,
        PROXIMA_BACKEND_URL: o.api.url,
        PROXIMA_INSTALL_TOKEN: await o.api.installToken(o.environmentId),
        PROXIMA_K8S_SYNC_INTERVAL: '1h',
        PROXIMA_AGENT_DATA_DIR: join(o.dir, slug),
        PROXIMA_METRICS_ADDR: '127.0.0.1:0',
        PROXIMA_LOG_LEVEL: 'error',
        KUBERNETES_SERVICE_HOST: cluster.host,
        KUBERNETES_SERVICE_PORT: cluster.port,
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const exited = once(agent, 'exit');
  try {
    const deadline = Date.now() + TIMEOUT_MS;
    const stored = async (): Promise<boolean> => {
      const clusters = await o.api.get<{ slug: string; last_seen_at: string | null }[]>(
        '/api/v1/clusters?per_page=100',
      );
      return clusters.some((one) => one.slug === slug && one.last_seen_at !== null);
    };
    while (!(await stored())) {
      if (Date.now() > deadline || agent.exitCode !== null) throw new Error(`no snapshot of ${slug} in time`);
      await sleep(200);
    }
    const cpuSeconds = await cpuOf(agent.pid ?? 0);
    await sleep(5_000);
    const status = await readFile(`/proc/${agent.pid}/status`, 'utf8');
    const kb = (key: string): number => Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
    return {
      what: o.what,
      restMb: Math.round(kb('VmRSS') / 1024),
      peakMb: Math.round(kb('VmHWM') / 1024),
      cpuSeconds,
      requests: cluster.requests(),
    };
  } finally {
    agent.kill('SIGTERM');
    await exited;
    await cluster.stop();
  }
}

/** Seconds in user and system mode so far; the clock of /proc ticks a hundred times a second. */
async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

await main();
