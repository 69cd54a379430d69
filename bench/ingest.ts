/**
 * What storing the largest snapshot costs, against a plain COPY of the same rows measured in the same run.
 * `node --max-semi-space-size=64 bench/ingest.ts [rounds]`; figures and goals are in bench/README.md.
 */

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { syncCluster } from '../actors/syncCluster.ts';
import type { EnrolledAgent } from '../store/agents.ts';
import { findAgent } from '../store/agents.ts';
import { startEmbeddedPostgres } from '../store/embedded.ts';
import { migrate } from '../store/migrate.ts';
import type { Pool } from '../store/pool.ts';
import { createPool } from '../store/pool.ts';
import { decodeSnapshot, encodeSnapshot } from '../wire/inventory.ts';
import { kinds } from '../wire/kinds/index.ts';
import type { Snapshot } from '../wire/snapshot.ts';
import { LARGE, largeSnapshot } from './cluster.ts';
import { createFloor, runFloor } from './floor.ts';

const ROUNDS = Number(process.argv[2] ?? 7);
/** Until both programs have settled; not counted. */
const WARM_UP_ROUNDS = 2;
const OTHER_CLUSTERS = 3;
const SCENARIOS = ['first', 'unchanged', '1 % changed', 'all changed'] as const;
type Scenario = (typeof SCENARIOS)[number];

/** One timed sync. */
interface Measurement {
  readonly floorMs: number;
  readonly decodeMs: number;
  /** From BEGIN to the answer of COMMIT, hashing included. */
  readonly writeMs: number;
  readonly walBytes: number;
  readonly deadRows: number;
  readonly writtenRows: number;
}

async function main(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'proxima-bench-'));
  // Run by root, the server is somebody else, and would keep its data elsewhere if it could not enter.
  await chmod(dir, 0o755);
  const server = await startEmbeddedPostgres({ dir: join(dir, 'postgres') });
  const pool = createPool(server.url);
  try {
    await migrate(pool);
    await pool.query('create extension pgstattuple');
    await createFloor(pool);
    for (let i = 0; i < OTHER_CLUSTERS; i += 1) {
      const other = await enroll(pool, `other-${i}`);
      await store(pool, other, encodeSnapshot(snapshotFor(other, 'first')));
    }
    // Encoded once: the garbage of the generator would be collected inside the timed parts.
    const agent = await enroll(pool, 'bench');
    const messages = SCENARIOS.map((scenario) => encodeSnapshot(snapshotFor(agent, scenario)));
    const results = new Map<Scenario, Measurement[]>(SCENARIOS.map((scenario) => [scenario, []]));
    for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
      for (const [i, scenario] of SCENARIOS.entries()) {
        const measured = await measure(pool, agent, messages[i] ?? new Uint8Array());
        if (round >= WARM_UP_ROUNDS) results.get(scenario)?.push(measured);
      }
      await pool.query(`delete from assets a using clusters c where c.asset_id = a.id and c.slug = 'bench'`);
    }
    report(results);
  } finally {
    await pool.end();
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

async function enroll(pool: Pool, slug: string): Promise<EnrolledAgent> {
  await pool.query(`insert into clients (slug, name) values ('bench', 'Bench') on conflict do nothing`);
  await pool.query(
    `insert into environments (client_id, slug, name) select id, 'prod', 'Production' from clients on conflict do nothing`,
  );
  const { rows } = await pool.query<{ id: string }>(
    `insert into agents (client_id, environment_id, name, cluster_name, cluster_slug, nkey, agent_version)
     select client_id, id, 'proxima-cluster-agent-0', $1, $1, $1, '0.9.0' from environments returning id`,
    [slug],
  );
  const agent = await findAgent(pool, rows[0]?.id ?? '');
  if (agent === null) throw new Error('the agent that was just enrolled is gone');
  return agent;
}

/** Each scenario follows the one before it, so that every snapshot is newer and meets the rows of the last. */
function snapshotFor(agent: EnrolledAgent, scenario: Scenario): Snapshot {
  const minute = SCENARIOS.indexOf(scenario);
  const sender = { agentId: agent.id, slug: agent.cluster_slug, uid: `uid-of-${agent.cluster_slug}` };
  const snapshot = largeSnapshot(sender, LARGE, `2026-11-30T12:0${minute}:00Z`);
  const every = { first: 0, unchanged: 0, '1 % changed': 100, 'all changed': 1 }[scenario];
  if (every > 0) for (const kind of kinds) touch(recordsOf(snapshot, kind.name), every);
  return snapshot;
}

const recordsOf = (snapshot: Snapshot, kind: string): { created_at: string | null }[] =>
  (snapshot.data as unknown as Record<string, { created_at: string | null }[]>)[kind] ?? [];

function touch(records: { created_at: string | null }[], every: number): void {
  records.forEach((record, i) => {
    if (i % every === 0) record.created_at = `2026-11-30T12:00:0${every === 1 ? 1 : 2}Z`;
  });
}

async function store(pool: Pool, agent: EnrolledAgent, bytes: Uint8Array) {
  const begun = performance.now();
  const decoded = await decodeSnapshot(bytes, undefined);
  if (!decoded.ok) throw new Error(`the snapshot is not valid: ${decoded.path} ${decoded.problem}`);
  const decodedAt = performance.now();
  const { snapshot, folded } = decoded;
  const input = { agent, snapshot, folded, publishedAt: new Date() };
  const outcome = await syncCluster(pool, input, { now: () => new Date(), timeoutMs: 60_000 });
  const storedAt = performance.now();
  if (outcome.outcome !== 'stored') throw new Error(`expected stored, got ${outcome.outcome}`);
  const writtenRows = Object.values(outcome.kinds).reduce(
    (sum, kind) => sum + kind.inserted + kind.updated + kind.deleted,
    0,
  );
  return { snapshot, writtenRows, decodeMs: decodedAt - begun, writeMs: storedAt - decodedAt };
}

async function measure(pool: Pool, agent: EnrolledAgent, bytes: Uint8Array): Promise<Measurement> {
  const { rows: before } = await prepare(pool);
  const { snapshot, ...stored } = await store(pool, agent, bytes);
  const { rows: after } = await pool.query<{ wal: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::bigint as wal`,
    [before[0]?.lsn],
  );
  const deadRows = (await countDead(pool)) - (before[0]?.dead ?? 0);
  await pool.query('checkpoint');
  const floorMs = await runFloor(pool, snapshot);
  return { ...stored, floorMs, deadRows, walBytes: after[0]?.wal ?? 0 };
}

/** A checkpoint first, so that every run pays alike for full-page images. */
async function prepare(pool: Pool) {
  await pool.query('vacuum analyze');
  await pool.query('checkpoint');
  const dead = await countDead(pool);
  const { rows } = await pool.query<{ lsn: string }>('select pg_current_wal_insert_lsn() as lsn');
  return { rows: rows.map(({ lsn }) => ({ lsn, dead })) };
}

async function countDead(pool: Pool): Promise<number> {
  const sums = kinds.map((kind) => `(select dead_tuple_count from pgstattuple('${kind.table}'))`);
  const { rows } = await pool.query<{ dead: number }>(`select (${sums.join(' + ')})::bigint as dead`);
  return rows[0]?.dead ?? 0;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const least = (values: readonly number[]): string => Math.min(...values).toFixed(0);

function report(results: ReadonlyMap<Scenario, readonly Measurement[]>): void {
  const all = [...results.values()].flat();
  const floor = median(all.map((m) => m.floorMs));
  console.log(
    `floor (plain COPY): ${floor.toFixed(0)} ms, least ${least(all.map((m) => m.floorMs))}; ${ROUNDS} rounds, medians`,
  );
  console.log(
    '| snapshot | write ms | x floor | end to end ms | x floor | rows written | WAL KB | dead rows |',
  );
  console.log('|---|---|---|---|---|---|---|---|');
  for (const [scenario, runs] of results) {
    const write = median(runs.map((m) => m.writeMs));
    const whole = median(runs.map((m) => m.writeMs + m.decodeMs));
    const cells = [
      scenario,
      write.toFixed(0),
      (write / floor).toFixed(2),
      whole.toFixed(0),
      (whole / floor).toFixed(2),
      `${least(runs.map((m) => m.writeMs))}, ${least(runs.map((m) => m.writeMs + m.decodeMs))}`,
      median(runs.map((m) => m.writtenRows)),
      (median(runs.map((m) => m.walBytes)) / 1024).toFixed(0),
      median(runs.map((m) => m.deadRows)),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

await main();
