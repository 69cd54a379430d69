/**
 * Peak memory and cycle time of the agent, as a process of its own, on a small and on the largest cluster: real HTTP
 * to the simulated API server, real NATS, a real backend. `node bench/agentMemory.ts [syncs]`.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { demoAdministratorToken } from '../http/bootstrap.ts';
import { readConfig } from '../http/config.ts';
import { serve } from '../http/main.ts';
import { adminApi } from '../scripts/adminApi.ts';
import { SimCluster } from '../sim/cluster.ts';
import { startSimServer } from '../sim/server.ts';

const SYNCS = Number(process.argv[2] ?? 5);
const SIZES = [50, 5000];
const INTERVAL_MS = 3_000;
const TIMEOUT_MS = 180_000;

interface Figures {
  readonly pods: number;
  readonly peakRssMb: number;
  readonly readySeconds: number;
}

async function main(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'proxima-bench-'));
  const read = readConfig({ PROXIMA_PORT: '0', PROXIMA_LOG_LEVEL: 'error' });
  if (!read.ok) throw new Error(read.faults.join('\n'));
  const backend = await serve(read.config, { dataDir: dir, host: '127.0.0.1' });
  try {
    const api = adminApi(backend.url, await demoAdministratorToken(backend.pool, new Date()));
    const { environmentId } = await api.tenant('bench', 'memory');
    const all: Figures[] = [];
    for (const pods of SIZES) all.push(await measure(dir, api, environmentId, pods));
    console.log('| pods | peak RSS MB | first snapshot after s |');
    console.log('|---|---|---|');
    for (const f of all) console.log(`| ${f.pods} | ${f.peakRssMb} | ${f.readySeconds} |`);
    const [small, large] = all;
    if (small && large) console.log(`ratio ${(large.peakRssMb / small.peakRssMb).toFixed(2)}`);
  } finally {
    await backend.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

/** Runs an agent on a fresh cluster of this size until `SYNCS` snapshots of it are stored. */
async function measure(
  dir: string,
  api: ReturnType<typeof adminApi>,
  environmentId: string,
  pods: number,
): Promise<Figures> {
  const slug = `pods-${pods}`;
  const cluster = new SimCluster({ seed: pods, pods, now: new Date() });
  const sim = await startSimServer(cluster);
  const kubeconfig = join(dir, `${slug}.kubeconfig`);
  await writeFile(kubeconfig, sim.kubeconfig());
  const started = Date.now();
  const agent = spawn(process.execPath, [join(import.meta.dirname, '../main.ts'), 'agent'], {
    env: {
      PATH: process.env.PATH,
      PROXIMA_CLUSTER_NAME: slug,
      PROXIMA_CLUSTER_SLUG: slug,
      PROXIMA_BACKEND_URL: api.url,
      PROXIMA_INSTALL_TOKEN: await api.installToken(environmentId),
      PROXIMA_K8S_SYNC_INTERVAL: `${INTERVAL_MS}ms`,
      PROXIMA_AGENT_DATA_DIR: join(dir, slug),
      PROXIMA_METRICS_ADDR: '127.0.0.1:0',
      PROXIMA_LOG_LEVEL: 'error',
      KUBECONFIG: kubeconfig,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const exited = once(agent, 'exit');
  try {
    const stamps = new Set<string>();
    let readyMs = 0;
    while (stamps.size < SYNCS) {
      if (Date.now() - started > TIMEOUT_MS) throw new Error(`no ${SYNCS} snapshots of ${slug} in time`);
      const clusters = await api.get<{ slug: string; last_seen_at: string | null }[]>('/api/v1/clusters');
      const stamp = clusters.find((c) => c.slug === slug)?.last_seen_at;
      if (stamp != null) {
        readyMs ||= Date.now() - started;
        if (!stamps.has(stamp)) cluster.live(60_000);
        stamps.add(stamp);
      }
      await sleep(100);
    }
    const status = await readFile(`/proc/${agent.pid}/status`, 'utf8');
    const peakKb = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]);
    return { pods, peakRssMb: Math.round(peakKb / 1024), readySeconds: Math.round(readyMs / 100) / 10 };
  } finally {
    agent.kill('SIGTERM');
    await exited;
    await sim.stop();
  }
}

await main();
