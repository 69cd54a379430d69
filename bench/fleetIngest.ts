/**
 * A fleet through one backend process: 500 clusters of 1,000 pods, a sync each in five minutes, 1 % of the pods changed.
 * `node bench/fleetIngest.ts [clusters] [seconds]`; figures and goals are in bench/README.md.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedNats } from '../actors/embeddedNats.ts';
import { ensureNatsServer } from '../actors/natsBinary.ts';
import { userJwt } from '../actors/natsClaims.ts';
import { createNkey } from '../actors/nkey.ts';
import { connectNats } from '../agent/natsLink.ts';
import { startEmbeddedPostgres } from '../store/embedded.ts';
import { migrate } from '../store/migrate.ts';
import { createPool } from '../store/pool.ts';
import { agentInbox, dataSubject } from '../wire/subjects.ts';
import { largeSnapshot } from './cluster.ts';

const CLUSTERS = Number(process.argv[2] ?? 500);
const SECONDS = Number(process.argv[3] ?? 60);
const PER_SECOND = 500 / 300;
const SIZE = { pods: 1000, events: 200 };
const PORT = 18_000 + (process.pid % 10_000);
const WAIT_MS = 600_000;
const POLL_MS = 10;

const root = join(import.meta.dirname, '..');
const dir = await mkdtemp(join(tmpdir(), 'proxima-fleet-'));
// Run by root, PostgreSQL is somebody else, and would keep its data elsewhere if it could not enter.
await chmod(dir, 0o755);
const postgres = await startEmbeddedPostgres({ dir: join(dir, 'postgres') });
const program = await ensureNatsServer({ binDir: join(root, '.proxima/bin') });
const nats = await startEmbeddedNats({ dir: join(dir, 'nats'), program });
const pool = createPool(postgres.url);
await migrate(pool);
await writeFile(join(dir, 'creds'), nats.backend.creds, { mode: 0o600 });
await writeFile(join(dir, 'seed'), nats.keys.signing.seed, { mode: 0o600 });
const backend = spawn(join(root, 'proxima'), ['serve'], {
  // Its first line is a token.
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    ...process.env,
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    NATS_CREDS: join(dir, 'creds'),
    PROXIMA_NATS_ACCOUNT: nats.keys.account.publicKey,
    PROXIMA_NATS_SIGNING_SEED_FILE: join(dir, 'seed'),
    PROXIMA_HOST: '127.0.0.1',
    PROXIMA_PORT: String(PORT),
    PROXIMA_LOG_LEVEL: 'error',
  },
});
try {
  await measure();
} finally {
  backend.kill('SIGTERM');
  if (backend.exitCode === null) await once(backend, 'close');
  await pool.end();
  await Promise.all([nats.stop(), postgres.stop()]);
  await rm(dir, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  while (
    !(await get('/readyz').then(
      (answer) => answer.ok,
      () => false,
    ))
  )
    await sleep(100);
  const agents = await enrollAll();
  const user = createNkey('user');
  const jwt = userJwt({
    name: 'fleet',
    publicKey: user.publicKey,
    account: nats.keys.account.publicKey,
    signer: nats.keys.account,
    permissions: { pub: { allow: ['proxima.>'] }, sub: { allow: [`${agentInbox('fleet')}.>`] } },
    issuedAt: new Date(),
    expiresAt: null,
  });
  const link = await connectNats({
    servers: [nats.url],
    caFile: null,
    agentId: 'fleet',
    seed: user.seed,
    jwt: () => jwt,
    refused: () => undefined,
    signal: AbortSignal.timeout(WAIT_MS),
    log: { debug: quiet, info: quiet, warn: quiet, error: console.error },
  });
  if (link === null) throw new Error('no connection to NATS');

  const sentAt = new Map<string, number>();
  const body = largeSnapshot({ agentId: '', slug: '', uid: '' }, SIZE, new Date().toISOString());
  let round = 0;
  const publish = async (number: number): Promise<void> => {
    const slug = `fleet-${number}`;
    round += 1;
    const cluster = { ...body.data.cluster, name: slug, slug, uid: `uid-of-${slug}` };
    const pods = body.data.pods.map((pod, i) =>
      i % 100 === round % 100 ? { ...pod, restart_count: round } : pod,
    );
    const agentId = agents.get(slug) ?? '';
    const at = Date.now();
    const message = { ...body, agent_id: agentId, timestamp: new Date(at).toISOString() };
    const bytes = Buffer.from(JSON.stringify({ ...message, data: { ...body.data, cluster, pods } }));
    sentAt.set(slug, at);
    const o = { messageId: `${round}`, contentEncoding: undefined, timeoutMs: 30_000 };
    const subject = dataSubject({ client: 'bench', environment: 'prod', agentId }, 'kubernetes');
    const attempt = await link.store(subject, bytes, o);
    if (attempt.kind !== 'stored') throw new Error(`a snapshot was not taken: ${attempt.reason}`);
  };
  const burst = async (what: string): Promise<void> => {
    const started = Date.now();
    for (let i = 0; i < CLUSTERS; i += 1) await publish(i);
    await committed(sentAt);
    const rate = (CLUSTERS * 1000) / (Date.now() - started);
    console.log(`${what}: ${rate.toFixed(2)} syncs/s`);
  };

  await burst('all clusters for the first time, as fast as they can');
  await get('/metrics').then((answer) => answer.text());
  const total = Math.round(SECONDS * PER_SECOND);
  const started = Date.now();
  const latencies: number[] = [];
  const watched: Promise<void>[] = [];
  for (let i = 0; i < total; i += 1) {
    await sleep(Math.max(0, started + (i * 1000) / PER_SECOND - Date.now()));
    const number = i % CLUSTERS;
    await publish(number);
    const slug = `fleet-${number}`;
    const one = new Map([[slug, sentAt.get(slug) ?? 0]]);
    watched.push(committed(one).then((at) => void latencies.push(at - (one.get(slug) ?? 0))));
  }
  await Promise.all(watched);
  const rate = (total * 1000) / (Date.now() - started);
  const metrics = await (await get('/metrics')).text();
  const lag = Number(/^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(metrics)?.[1]);
  latencies.sort((a, b) => a - b);
  const p = (share: number) => latencies[Math.ceil(latencies.length * share) - 1];
  console.log(`at the fleet's rate: ${rate.toFixed(2)} syncs/s`);
  console.log(`publish to committed: p50 ${p(0.5)} ms, p95 ${p(0.95)} ms, most ${p(1)} ms`);
  console.log(`event-loop delay p99: ${Math.round(lag * 1000)} ms`);
  console.log(`peak RSS so far: ${await peakRss()} MB`);
  await burst('1 % changed, as fast as they can');
  console.log(`peak RSS: ${await peakRss()} MB`);
  await link.drain();
}

function quiet(): void {}

function get(path: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${PORT}${path}`, { signal: AbortSignal.timeout(5_000) });
}

async function peakRss(): Promise<number> {
  const status = await readFile(`/proc/${backend.pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

/** Waits until each cluster has the snapshot of its time; answers when that was seen. */
async function committed(expected: ReadonlyMap<string, number>): Promise<number> {
  const deadline = Date.now() + WAIT_MS;
  const slugs = [...expected.keys()];
  const times = slugs.map((slug) => new Date(expected.get(slug) ?? 0));
  for (;;) {
    const { rows } = await pool.query<{ done: number }>(
      `select count(*)::int as done from clusters c
       join unnest($1::text[], $2::timestamptz[]) as e(slug, at) on c.slug = e.slug and c.snapshot_at >= e.at`,
      [slugs, times],
    );
    if (rows[0]?.done === slugs.length) return Date.now();
    if (Date.now() > deadline) throw new Error('not all snapshots were stored');
    await sleep(POLL_MS);
  }
}

async function enrollAll(): Promise<ReadonlyMap<string, string>> {
  await pool.query(`insert into clients (slug, name) values ('bench', 'Bench')`);
  await pool.query(
    `insert into environments (client_id, slug, name) select id, 'prod', 'Production' from clients where slug = 'bench'`,
  );
  const { rows } = await pool.query<{ slug: string; id: string }>(
    `insert into agents (client_id, environment_id, name, cluster_name, cluster_slug, cluster_uid, nkey, agent_version)
     select e.client_id, e.id, 'proxima-cluster-agent-0', s, s, 'uid-of-' || s, s, '0.9.0'
     from environments e join clients c on c.id = e.client_id and c.slug = 'bench',
       lateral (select 'fleet-' || n as s from generate_series(0, $1::int - 1) n) f
     returning cluster_slug as slug, id`,
    [CLUSTERS],
  );
  return new Map(rows.map(({ slug, id }) => [slug, id]));
}
