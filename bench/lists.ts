/**
 * How long the API's reads take on 450,000 pods in 150 clusters, through the HTTP server, one question after the other.
 * `node bench/lists.ts [rounds] [folder]`; with a folder the fleet stays there for the next run. bench/README.md has
 * the figures and the goals.
 */

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJwtIssuer } from '../actors/agentJwt.ts';
import { createInspector } from '../actors/inspector.ts';
import { createLog } from '../actors/log.ts';
import { createNatsKeys } from '../actors/natsKeys.ts';
import { Budgets } from '../http/budget.ts';
import { routes } from '../http/routes/index.ts';
import { startHttpServer } from '../http/server.ts';
import { createCaller, createToken } from '../store/callers.ts';
import { startEmbeddedPostgres } from '../store/embedded.ts';
import { createGrant } from '../store/grants.ts';
import { migrate } from '../store/migrate.ts';
import type { Pool } from '../store/pool.ts';
import { createPool } from '../store/pool.ts';
import { pods } from '../wire/kinds/index.ts';
import { seedFleet } from './fleet.ts';

const ROUNDS = Number(process.argv[2] ?? 60);
const KEPT = process.argv[3];
const WARM_UP_ROUNDS = 3;
const LIST_GOAL_MS = 20;
const FLEET_GOAL_MS = 100;

interface Question {
  readonly name: string;
  readonly path: string;
  /** Null where the issue names none. */
  readonly goalMs: number | null;
}

function questions(clusterId: string): Question[] {
  const cluster = `/api/v1/clusters/${clusterId}`;
  const list = (name: string, path: string): Question => ({
    name,
    path: cluster + path,
    goalMs: LIST_GOAL_MS,
  });
  const fleet = (name: string, subject: string, pql: string): Question => ({
    name,
    path: `/api/v1/search/${subject}?${new URLSearchParams({ pql })}`,
    goalMs: FLEET_GOAL_MS,
  });
  return [
    list('first page', '/pods'),
    list('page 50', '/pods?page=50'),
    list('q on the name', '/pods?q=service-17'),
    list('q that finds nothing', '/pods?q=no-such-pod'),
    list('namespace filter', '/pods?namespace=team-3'),
    list('label filter', '/pods?labels=app.kubernetes.io/name=service-17'),
    ...Object.keys(pods.sortKeys).map((key) => list(`sort by ${key}`, `/pods?sort=-${key}&per_page=100`)),
    list('events, newest first', '/events?sort=-last_seen'),
    list('workloads', '/workloads?per_page=100'),
    list('node capacity', '/nodes/capacity'),
    list('namespace usage', '/namespaces/usage'),
    list('summary', '/summary'),
    {
      name: '100 clusters with capacity',
      path: '/api/v1/clusters?include=capacity&per_page=100',
      goalMs: null,
    },
    fleet(
      'workloads by image, exactly',
      'workloads',
      'workload.image = "registry.example.com/team-5/service-30:57.30.0"',
    ),
    fleet('workloads by a part of the image', 'workloads', 'workload.image ~ "*service-30:*"'),
    fleet('pods by image, exactly', 'pods', 'pod.image = "registry.example.com/team-5/service-30:57.30.0"'),
    fleet('pods by a part of the image', 'pods', 'pod.image ~ "*service-30:57.*"'),
    fleet('workloads by name of a Secret', 'workloads', 'workload.secret = "service-30-tls"'),
    fleet('workloads by a Secret that all use', 'workloads', 'workload.secret = "proxy-tls"'),
    fleet('workloads by name of a variable', 'workloads', 'workload.env = "SETTING_NUMBER_16"'),
    fleet('pods by name', 'pods', 'pod.name ~ "service-30-*"'),
    fleet('image in one cluster', 'pods', 'pod.image ~ "*service-30:*" AND cluster.name = "large"'),
  ];
}

async function main(): Promise<void> {
  const dir = KEPT ?? (await mkdtemp(join(tmpdir(), 'proxima-bench-')));
  if (KEPT === undefined) await chmod(dir, 0o755);
  const server = await startEmbeddedPostgres({ dir: join(dir, 'postgres') });
  const pool = createPool(server.url, { statementTimeoutMs: 600_000 });
  try {
    await migrate(pool);
    const { large } = await seedFleet(pool);
    await measureAll(pool, questions(large));
  } finally {
    await pool.end();
    await server.stop();
    if (KEPT === undefined) await rm(dir, { recursive: true, force: true });
  }
}

async function measureAll(pool: Pool, asked: readonly Question[]): Promise<void> {
  const token = await viewer(pool);
  const now = () => new Date();
  const keys = createNatsKeys();
  const issuer = createJwtIssuer({ account: keys.account.publicKey, signingSeed: keys.signing.seed, now });
  const server = await startHttpServer(
    routes,
    {
      pool,
      log: createLog('error'),
      now,
      budgets: new Budgets(),
      inspector: createInspector({ now }),
      ready: () => true,
      live: { askLive: async () => ({ kind: 'unavailable' }) },
      nats: { url: 'nats://127.0.0.1:1', ca: null, issuer },
      oidc: null,
      callerRequestsPerMinute: 1_000_000,
    },
    { host: '127.0.0.1', port: 0, nextFree: false },
  );
  const agent = new Agent({ keepAlive: true });
  try {
    console.log('| question | p50 ms | p95 ms | p99 ms | goal, p95 |');
    console.log('|---|---|---|---|---|');
    for (const { name, path, goalMs } of asked) {
      const times: number[] = [];
      for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
        const took = await ask(agent, `http://127.0.0.1:${server.port}${path}`, token);
        if (round >= 0) times.push(took);
      }
      times.sort((a, b) => a - b);
      const at = (share: number): string =>
        (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN).toFixed(1);
      console.log(`| ${name} | ${at(0.5)} | ${at(0.95)} | ${at(0.99)} | ${goalMs ?? ''} |`);
    }
  } finally {
    agent.destroy();
    await server.stop();
  }
}

async function viewer(pool: Pool): Promise<string> {
  const caller = await createCaller(pool, { type: 'service', name: 'bench', email: null });
  const { rows } = await pool.query<{ id: string }>(`select id from clients where slug = 'bench'`);
  const id = caller?.id ?? '';
  await createGrant(pool, {
    caller_id: id,
    role: 'viewer',
    client_id: rows[0]?.id ?? null,
    environment_id: null,
  });
  return (await createToken(pool, { caller_id: id, name: 'bench', expires_at: null })).secret;
}

/** Milliseconds from the request to the last byte. */
function ask(agent: Agent, url: string, token: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const begun = performance.now();
  const headers = { authorization: `Bearer ${token}` };
  const outgoing = get(url, { agent, headers, timeout: 60_000 }, (incoming) => {
    incoming.resume();
    incoming.on('error', reject);
    incoming.on('end', () => {
      if (incoming.statusCode === 200) resolve(performance.now() - begun);
      else reject(new Error(`${url} answered ${incoming.statusCode}`));
    });
  });
  outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer to ${url}`)));
  outgoing.on('error', reject);
  return promise;
}

await main();
