/** A PostgreSQL server of our own, for the demo and the specs (D15); production sets DATABASE_URL. */

import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { RunAs } from './embeddedBinaries.ts';
import { canReach, postgresFolder, runAs } from './embeddedBinaries.ts';
import { createPool } from './pool.ts';

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;
const INITDB_TIMEOUT_MS = 60_000;
const START_ATTEMPTS = 3;

/** A running server; `url` names its `postgres` database, reachable on 127.0.0.1 only and without a password. */
export interface EmbeddedPostgres {
  readonly url: string;
  /** Ends the server and waits for it. Further calls wait for the same end. */
  stop(): Promise<void>;
}

/** `dir`: keep the data there, fsync on; `port`: any free one without. `ephemeral`: a folder that goes with the server, fsync off. */
export type EmbeddedOptions = { readonly dir: string; readonly port?: number } | { readonly ephemeral: true };

/**
 * Starts a server and answers when it takes connections. It ends with `stop()`, and also when this process dies in any
 * way, `kill -9` included: a shell beside it waits on a pipe that only this process holds open.
 *
 * Works as root (the server then runs as uid 65534) and as an ordinary user. Where uid 65534 cannot reach `dir`, the data
 * lie in a folder under the system's temporary folder, whose path is written to `where` beside `dir`.
 *
 * Throws when the platform has no binaries, or with the server's last words when it does not come up.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const user = runAs();
  const ephemeral = 'ephemeral' in options;
  const home = ephemeral ? await temporaryHome(user) : await persistentHome(options.dir, user);
  const native = await postgresFolder(user, home);
  const data = join(home, 'data');
  if (!(await isFile(join(data, 'PG_VERSION')))) await initialize(native, data, user, ephemeral);
  await predecessorGone(join(data, 'postmaster.pid'));
  for (let attempt = 1; ; attempt += 1) {
    try {
      const port = 'port' in options ? options.port : undefined;
      return await start({ native, home, data, user, ephemeral, port: port ?? (await freePort()) });
    } catch (error) {
      // Another program may have taken the free port between our look and the server's bind.
      if (attempt === START_ATTEMPTS) throw error;
    }
  }
}

async function temporaryHome(user: RunAs | null): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'proxima-pg-'));
  if (user !== null) await chown(home, user.uid, user.gid);
  return home;
}

async function persistentHome(dir: string, user: RunAs | null): Promise<string> {
  await mkdir(dir, { recursive: true });
  if (user === null) return dir;
  const moved = join(dirname(dir), 'where');
  if (canReach(user, dirname(dir))) {
    await claim(dir, user);
    return dir;
  }
  const before = await readFile(moved, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
  if (before !== '' && (await isOwnedBy(before, user))) return before;
  const home = await temporaryHome(user);
  await writeFile(moved, `${home}\n`);
  return home;
}

async function claim(dir: string, user: RunAs): Promise<void> {
  await chown(dir, user.uid, user.gid);
  await chmod(dir, 0o700);
}

/** A folder under /tmp that is not the server's own may be anybody's. */
const isOwnedBy = (path: string, user: RunAs): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory() && found.uid === user.uid,
    () => false,
  );

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

/** Into a folder beside, renamed when whole: an interrupted initdb leaves nothing that looks like a database. */
async function initialize(
  native: string,
  data: string,
  user: RunAs | null,
  ephemeral: boolean,
): Promise<void> {
  const unfinished = `${data}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await promisify(execFile)(
    join(native, 'bin', 'initdb'),
    [
      `--pgdata=${unfinished}`,
      '--username=postgres',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      ...(ephemeral ? ['--no-sync'] : []),
    ],
    { cwd: '/', timeout: INITDB_TIMEOUT_MS, env: { PATH: '/usr/bin:/bin', TZ: 'UTC' }, ...user },
  );
  await rename(unfinished, data);
}

/** After `kill -9` of its parent the last server may still be writing its final checkpoint. */
async function predecessorGone(pidFile: string): Promise<void> {
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while ((await isFile(pidFile)) && Date.now() < deadline) {
    const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
    if (!isAlive(pid)) return;
    await sleep(50);
  }
}

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/*
 * $1 is what to remove at the end ('' for nothing), the rest is the server's command line. The shell closes its own
 * stdout, so that the pipe's end on our side tells when the server, its only holder, is gone.
 */
const SUPERVISOR = `rubbish="$1"; shift
"$@" & server=$!
exec >&-
read -r _ || :
kill -INT $server
wait $server
test -z "$rubbish" || rm -rf "$rubbish"`;

interface Place {
  readonly native: string;
  readonly home: string;
  readonly data: string;
  readonly user: RunAs | null;
  readonly ephemeral: boolean;
  readonly port: number;
}

async function start({ native, home, data, user, ephemeral, port }: Place): Promise<EmbeddedPostgres> {
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    `unix_socket_directories=${home}`,
    'timezone=UTC',
    'log_timezone=UTC',
    'jit=off',
    ...(ephemeral ? ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'] : []),
  ];
  const command = [
    join(native, 'bin', 'postgres'),
    '-D',
    data,
    ...settings.flatMap((setting) => ['-c', setting]),
  ];
  const logPath = join(home, 'postgres.log');
  const log = await open(logPath, 'w');
  // A group of its own: Ctrl-C reaches us first, and we stop the server last.
  const child = spawn('/bin/sh', ['-c', SUPERVISOR, 'sh', ephemeral ? home : '', ...command], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', log.fd],
    ...user,
  });
  await log.close();
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let serverGone = false;
  child.stdout?.resume().once('end', () => {
    serverGone = true;
  });
  // The pipe and the child must not keep a finished program alive; the pipe's end still stops the server.
  child.unref();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= endChild(child, exited);
    return stopping;
  };
  const up = await answers(url, () => serverGone);
  if (up) return { url, stop };
  const lastWords = (await readFile(logPath, 'utf8').catch(() => ''))
    .trim()
    .split('\n')
    .slice(-3)
    .join(' | ');
  await stop();
  if (lastWords.includes('postmaster.pid')) {
    throw new Error(
      `another server runs on ${data}: stop the program that started it, or choose another folder`,
    );
  }
  throw new Error(`PostgreSQL did not start: ${lastWords}`);
}

async function answers(url: string, gone: () => boolean): Promise<boolean> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!gone() && Date.now() < deadline) {
    const pool = createPool(url, { max: 1 });
    try {
      await pool.query('select 1');
      return true;
    } catch {
      await sleep(20);
    } finally {
      await pool.end();
    }
  }
  return false;
}

async function endChild(child: ChildProcess, exited: Promise<void>): Promise<void> {
  child.stdin?.end();
  const timeout = new AbortController();
  const late = sleep(STOP_TIMEOUT_MS, 'late', { signal: timeout.signal }).catch(() => 'stopped');
  if ((await Promise.race([exited, late])) === 'late' && child.pid !== undefined)
    process.kill(-child.pid, 'SIGKILL');
  timeout.abort();
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
