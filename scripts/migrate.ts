/** `./proxima migrate`. */
import { migrate } from '../store/migrate.ts';
import { createPool } from '../store/pool.ts';
import { readOptions } from './options.ts';

const INTRO = `usage: DATABASE_URL=postgres://… ./proxima migrate

Brings the database to the current schema, each migration in a transaction of its own. The backend does the same at
its start; run this where migrations need other rights than the backend has. Doing it twice changes nothing.`;

/** Returns the exit code: 0 done, 1 the database refused, 2 bad usage. */
export async function runMigrate(argv: string[]): Promise<number> {
  const parsed = readOptions(INTRO, {}, argv);
  if ('exitCode' in parsed) return parsed.exitCode;
  const url = process.env.DATABASE_URL;
  if (url === undefined || url === '') {
    console.error('proxima: DATABASE_URL is not set');
    return 2;
  }
  const pool = createPool(url, { max: 1 });
  try {
    const applied = await migrate(pool);
    console.log(applied === 0 ? 'the schema is current' : `applied ${applied} migrations`);
    return 0;
  } catch (error) {
    console.error(`proxima: ${(error as Error).message}`);
    return 1;
  } finally {
    await pool.end();
  }
}
