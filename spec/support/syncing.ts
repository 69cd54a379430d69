/** `syncCluster` on a database of the file's own, one enrolled agent anew for each test. */

import { ok } from 'node:assert/strict';
import { after, before, beforeEach } from 'mocha';
import type { SyncOptions, SyncOutcome } from '../../actors/syncCluster.ts';
import { syncCluster } from '../../actors/syncCluster.ts';
import type { EnrolledAgent } from '../../store/agents.ts';
import type { CoverageBlock } from '../../wire/coverage.ts';
import { COVERED_RESOURCES } from '../../wire/coverage.ts';
import { decodeSnapshot, encodeSnapshot } from '../../wire/inventory.ts';
import { kinds } from '../../wire/kinds/index.ts';
import type { Snapshot } from '../../wire/snapshot.ts';
import { enrollAgent } from './enrolled.ts';
import type { FreshDatabase } from './postgres.ts';
import { freshDatabase } from './postgres.ts';

/** The backend's clock in these specs; snapshots are of 12:00 and some minutes. */
export const NOW = new Date(Date.UTC(2026, 10, 30, 12, 30));

type Draft<T> = { -readonly [K in keyof T]: Draft<T[K]> };

/** The same snapshot, changed by `edit` in a copy of its own. */
export function edited(snapshot: Snapshot, edit: (snapshot: Draft<Snapshot>) => void): Snapshot {
  const copy = structuredClone(snapshot) as Draft<Snapshot>;
  edit(copy);
  return copy;
}

/** A block in which everything was read, but for `except`. */
export function complete(except: CoverageBlock = {}): CoverageBlock {
  const whole = COVERED_RESOURCES.map((resource) => [resource, { state: 'complete', listed: 1, sent: 1 }]);
  return { ...Object.fromEntries(whole), ...except };
}

export const unread = { state: 'forbidden', listed: 0, sent: 0 } as const;

export type Stored = Extract<SyncOutcome, { outcome: 'stored' }>;
type Options = Partial<SyncOptions> & { readonly publishedAt?: Date };
type Row = Record<string, unknown>;

export interface SyncRig {
  readonly database: FreshDatabase;
  /** Enrolled for the cluster `k8s-1` of `acme/prod`. */
  readonly agent: EnrolledAgent;
  query(text: string, values?: unknown[]): Promise<Row[]>;
  /** Stores a snapshot the way a message goes: encoded, decoded, synced. */
  sync(snapshot: Snapshot, from?: EnrolledAgent, options?: Options): Promise<SyncOutcome>;
  /** The same; fails unless it was stored. */
  stored(snapshot: Snapshot, from?: EnrolledAgent, options?: Options): Promise<Stored>;
  /** Row id and the version of the row (xmin) by table and natural key: equal means not written. */
  rowVersions(): Promise<Record<string, string>>;
  /** Rows that an update or a delete left behind, by table. */
  deadRows(): Promise<Row>;
}

/** Call it inside `describe`: it brings its hooks along. */
export function syncRig(): SyncRig {
  let database: FreshDatabase;
  let agent: EnrolledAgent;
  before(async () => {
    database = await freshDatabase();
    await database.pool.query('create extension pgstattuple');
  });
  // A fifth of the time that a database of its own would take each test.
  beforeEach(async () => {
    for (const table of ['change_events', 'agents', 'assets', 'hosts', 'environments', 'clients'])
      await database.pool.query(`delete from ${table}`);
    agent = await enrollAgent(database.pool);
  });
  after(() => database.drop());

  const query: SyncRig['query'] = async (text, values = []) =>
    (await database.pool.query<Row>(text, values)).rows;

  const sync: SyncRig['sync'] = async (snapshot, from = agent, options = {}) => {
    const decoded = await decodeSnapshot(encodeSnapshot(snapshot), undefined);
    ok(decoded.ok, JSON.stringify(decoded));
    const { publishedAt = NOW, ...rest } = options;
    const input = { agent: from, snapshot: decoded.snapshot, folded: decoded.folded, publishedAt };
    return syncCluster(database.pool, input, { now: () => NOW, timeoutMs: 10_000, ...rest });
  };

  return {
    get database() {
      return database;
    },
    get agent() {
      return agent;
    },
    query,
    sync,
    async stored(snapshot, from, options) {
      const outcome = await sync(snapshot, from, options);
      ok(outcome.outcome === 'stored', JSON.stringify(outcome));
      return outcome;
    },
    async rowVersions() {
      const versions: Record<string, string> = {};
      for (const kind of kinds) {
        const key = kind.key.join(` || '/' || `);
        const rows = await query(`select ${key} as key, id, xmin::text as version from ${kind.table}`);
        for (const row of rows) versions[`${kind.table} ${row.key}`] = `${row.id} ${row.version}`;
      }
      return versions;
    },
    async deadRows() {
      const dead: Row = {};
      for (const { table } of kinds) {
        const [row] = await query(`select dead_tuple_count as dead from pgstattuple('${table}')`);
        dead[table] = row?.dead;
      }
      return dead;
    },
  };
}
