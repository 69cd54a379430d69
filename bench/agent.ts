/**
 * What the agent costs in a pod: memory and CPU of a cold cycle on simulated clusters of several sizes, on the real
 * backend and a real nats-server. The simulated API server is another process's; TLS is in front of it, as in a cluster.
 *
 *     node bench/agent.ts [pods,…]      sizes beside the small one; 1000,5000 without, 50000 takes minutes
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { demoAdministratorToken } from '../http/bootstrap.ts';
import { readConfig } from '../http/config.ts';
import { serve } from '../http/main.ts';
import { adminApi } from '../scripts/adminApi.ts';
import { selfSigned } from '../sim/certificate.ts';
import { SimCluster } from '../sim/cluster.ts';
import type { SimServer } from '../sim/server.ts';
import { defaultToken, startSimServer } from '../sim/server.ts';

const SMALL = 50;
const SIZES = (process.argv[2] ?? '1000,5000').split(',').map(Number);
/** From this size on, old ReplicaSets pile up behind the Deployments. */
const MANY_PODS = 50_000;
const MANY_REPLICA_SETS = 75_000;
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
  readonly requests: number;
}

async function main(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'proxima-bench-'));
  const read = readConfig({ PROXIMA_PORT: '0', PROXIMA_LOG_LEVEL: 'error' });
  if (!read.ok) throw new Error(read.faults.join('\n'));
  const backend = await serve(read.config, { dataDir: dir, host: '127.0.0.1' });
  try {
    const api = adminApi(backend.url, await demoAdministratorToken(backend.pool, new Date()));
    const { environmentId } = await api.tenant('bench', 'memory');
    const run = (what: string, pods: number, prepare?: (cluster: SimCluster, server: SimServer) => void) =>
      measure({ dir, api, environmentId, what, pods, prepare });
    // The first start of all fills the compile cache, which an image brings along.
    await run('to fill the cache', SMALL);
    const small = await run(`${SMALL} pods`, SMALL);
    const all = [small];
    for (const pods of SIZES) {
      const large = pods >= MANY_PODS;
      all.push(
        await run(
          `${pods} pods${large ? `, ${MANY_REPLICA_SETS} ReplicaSets` : ''}`,
          pods,
          large ? addReplicaSets : undefined,
        ),
      );
    }
    const slowSize = SIZES.findLast((pods) => pods < MANY_PODS) ?? SMALL;
    all.push(
      await run(`${slowSize} pods, 2 s a page`, slowSize, (_, server) =>
        server.faults.add({ kind: 'slow', delayMs: 2_000, verb: 'list' }),
      ),
    );
    console.log('| cluster | peak RSS MB | over the idle agent | at rest | CPU s | requests |');
    console.log('|---|---|---|---|---|---|');
    for (const f of all) {
      const over = Math.round(f.peakMb - small.restMb);
      console.log(
        `| ${f.what} | ${f.peakMb} | ${over} | ${f.restMb} | ${f.cpuSeconds.toFixed(1)} | ${f.requests} |`,
      );
    }
  } finally {
    await backend.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

function addReplicaSets(cluster: SimCluster): void {
  const sets = cluster.list('replicasets');
  for (let i = sets.length; i < MANY_REPLICA_SETS; i += 1) {
    const like = sets[i % sets.length];
    if (like === undefined) return;
    const name = `${like.metadata.name}-${i}`;
    cluster.store.put('replicasets', {
      ...like,
      metadata: { ...like.metadata, name, uid: `${like.metadata.uid}-${i}` },
    });
  }
}

async function measure(o: {
  readonly dir: string;
  readonly api: ReturnType<typeof adminApi>;
  readonly environmentId: string;
  readonly what: string;
  readonly pods: number;
  readonly prepare?: ((cluster: SimCluster, server: SimServer) => void) | undefined;
}): Promise<Figures> {
  const slug = o.what.toLowerCase().replace(/\W+/g, '-');
  process.stderr.write(`${o.what}: making the cluster\n`);
  const cluster = new SimCluster({ seed: o.pods, pods: o.pods, argo: true, now: new Date() });
  const sim = await startSimServer(cluster);
  o.prepare?.(cluster, sim);
  const account = await mkdtemp(join(o.dir, 'account-'));
  const front = await tlsFront(sim.url, account);
  const agent = spawn(process.execPath, [...FLAGS, join(import.meta.dirname, 'podAgent.ts'), account], {
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
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(front.port),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
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
      requests: sim.requests.length,
    };
  } finally {
    agent.kill('SIGTERM');
    await exited;
    await front.stop();
    await sim.stop();
  }
}

/** Seconds in user and system mode so far; the clock of /proc ticks a hundred times a second. */
async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** TLS in front of the simulated API server, and the files of a ServiceAccount that trusts it. */
async function tlsFront(url: string, account: string): Promise<{ port: number; stop(): Promise<void> }> {
  const { certificate, key } = selfSigned();
  await writeFile(join(account, 'ca.crt'), certificate);
  await writeFile(join(account, 'token'), defaultToken);
  const server = https.createServer({ cert: certificate, key }, (incoming, outgoing) => {
    const passed = http.request(
      new URL(incoming.url ?? '/', url),
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

await main();
