import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../../store/embedded.ts';
import { createPool } from '../../store/pool.ts';

async function answers(url: string): Promise<boolean> {
  const pool = createPool(url, { max: 1 });
  try {
    await pool.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await pool.end();
  }
}

async function until(condition: () => Promise<boolean>, timeoutMs = 10_000): Promise<boolean> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(50)) {
    if (await condition()) return true;
  }
  return false;
}

describe('the embedded PostgreSQL', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'proxima-spec-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('keeps its data from one start to the next, writes them to disk, and shares them with no other', async function () {
    this.timeout(40_000);
    const dir = join(folder, 'kept', 'postgres');
    const first = await startEmbeddedPostgres({ dir });
    const pool = createPool(first.url);
    await pool.query('create table notes as select 1 as n');
    const settings = await pool.query(
      `select name, setting from pg_settings where name in ('fsync', 'listen_addresses') order by name`,
    );
    deepEqual(settings.rows, [
      { name: 'fsync', setting: 'on' },
      { name: 'listen_addresses', setting: '127.0.0.1' },
    ]);
    await pool.end();
    await first.stop();
    equal(await answers(first.url), false);
    const second = await startEmbeddedPostgres({ dir });
    await rejects(
      startEmbeddedPostgres({ dir }),
      /another server runs on .*: stop the program that started it/,
    );
    const again = createPool(second.url);
    deepEqual((await again.query('select n from notes')).rows, [{ n: 1 }]);
    await again.end();
    await second.stop();
    // The folder of this spec lets only its owner in: run by root, the server's data must lie elsewhere.
    const elsewhere = await readFile(join(folder, 'kept', 'where'), 'utf8').catch(() => null);
    equal(elsewhere !== null, process.getuid?.() === 0);
    const home = elsewhere?.trim() ?? dir;
    await access(join(home, 'data', 'PG_VERSION'));
    await rm(home, { recursive: true });
  });

  it('ends with the program that started it, killed outright, and takes an ephemeral folder along', async () => {
    const modules = ['embedded', 'pool'].map(
      (name) => new URL(`../../store/${name}.ts`, import.meta.url).href,
    );
    const program = `
      const [{ startEmbeddedPostgres }, { createPool }] = await Promise.all(process.argv.slice(1).map((m) => import(m)));
      const { url } = await startEmbeddedPostgres({ ephemeral: true });
      const { rows } = await createPool(url).query("select current_setting('data_directory') as path");
      console.log(JSON.stringify({ url, path: rows[0].path }));
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program, ...modules], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(child.stdout, 'data');
    const { url, path } = JSON.parse(String(line));
    ok(await answers(url));
    child.kill('SIGKILL');
    ok(await until(async () => !(await answers(url))));
    const gone = () =>
      access(path).then(
        () => false,
        () => true,
      );
    ok(await until(gone));
  });
});
