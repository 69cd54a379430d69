import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Pool, PoolClient } from './pool.ts';

const FOLDER = new URL('./migrations/', import.meta.url);
const FILE_NAME = /^(\d{4})_[a-z_]+\.sql$/;
/** Any constant will do; it keeps two programs that start together from migrating at once. */
const LOCK = 7_061_942_155;
/** The longest that another program's migration is waited for. */
const LOCK_TIMEOUT = '5min';

interface Migration {
  readonly version: number;
  readonly file: string;
  readonly sql: string;
  readonly checksum: string;
}

/**
 * Brings the schema to the newest migration and returns how many were applied (0 when it already was).
 *
 * Each file runs in a transaction of its own and is recorded with it, under an advisory lock. Throws when a file that
 * was applied has changed since (they are never edited once merged), and when the database is ahead of this program.
 */
export async function migrate(pool: Pool): Promise<number> {
  const migrations = await readMigrations();
  const client = await pool.connect();
  try {
    await client.query(`set lock_timeout = '${LOCK_TIMEOUT}'`);
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await client.query('reset lock_timeout');
    try {
      return await applyMissing(client, migrations);
    } finally {
      await client.query('select pg_advisory_unlock($1)', [LOCK]);
    }
  } finally {
    client.release();
  }
}

async function readMigrations(): Promise<Migration[]> {
  const files = (await readdir(FOLDER)).filter((file) => FILE_NAME.test(file)).sort();
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(new URL(file, FOLDER), 'utf8');
      const checksum = createHash('sha256').update(sql).digest('hex');
      return { version: Number(file.slice(0, 4)), file, sql, checksum };
    }),
  );
}

async function applyMissing(client: PoolClient, migrations: readonly Migration[]): Promise<number> {
  await client.query(
    `create table if not exists schema_migrations (
       version integer primary key,
       file text not null,
       checksum text not null,
       applied_at timestamptz not null default now()
     )`,
  );
  const { rows } = await client.query<{ version: number; file: string; checksum: string }>(
    'select version, file, checksum from schema_migrations',
  );
  const applied = new Map(rows.map((row) => [row.version, row]));
  for (const migration of migrations) {
    const before = applied.get(migration.version);
    if (before === undefined) continue;
    if (before.checksum !== migration.checksum) throw new Error(`${migration.file} was changed after it ran`);
    applied.delete(migration.version);
  }
  const [ahead] = applied.values();
  if (ahead !== undefined)
    throw new Error(`the database has ${ahead.file}, which this program does not know`);
  const done = new Set(rows.map((row) => row.version));
  const missing = migrations.filter((migration) => !done.has(migration.version));
  for (const migration of missing) await apply(client, migration);
  return missing.length;
}

async function apply(client: PoolClient, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.sql);
    await client.query('insert into schema_migrations (version, file, checksum) values ($1, $2, $3)', [
      migration.version,
      migration.file,
      migration.checksum,
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`migration ${migration.file} failed`, { cause: error });
  }
}
