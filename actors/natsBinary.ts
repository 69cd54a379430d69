/** A nats-server program: the machine's own, or one installed beside the data (D15). */

import { execFile } from 'node:child_process';
import { access, constants, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Newest of the 2.11 line: the oldest line that production may run (contracts.md section 7). */
const GO_MODULE = 'github.com/nats-io/nats-server/v2@v2.11.17';
/** An empty module cache on two slow cores takes a minute. */
const INSTALL_TIMEOUT_MS = 10 * 60_000;

/** Where programs are that an ordinary user's PATH does not have; the last one is Go's own. */
const SYSTEM_FOLDERS = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/sbin',
  '/usr/local/bin',
  '/usr/bin',
  '/usr/local/go/bin',
];

/** No nats-server and no way to get one; the message names the ways, one a line. */
export class NatsServerMissing extends Error {
  override readonly name = 'NatsServerMissing';
}

/**
 * The path of a nats-server: on PATH, in a folder of system programs or in `binDir`; else installed into `binDir` with Go,
 * else unpacked there from Debian's package where apt may be used. `onProgress` hears a line before each long step.
 * Throws `NatsServerMissing` when nothing works.
 */
export async function ensureNatsServer(o: {
  readonly binDir: string;
  /** Instead of PATH and of the usual folders beside it. */
  readonly path?: string;
  readonly systemFolders?: readonly string[];
  readonly onProgress?: (line: string) => void;
}): Promise<string> {
  const path = (o.path ?? process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const folders = [...path, ...(o.systemFolders ?? SYSTEM_FOLDERS)];
  const found = await findProgram('nats-server', [...folders, o.binDir]);
  if (found !== null) return found;
  const tell = o.onProgress ?? (() => undefined);
  const tried: string[] = [];
  const causes: unknown[] = [];
  for (const [name, install] of [
    ['go install', installWithGo],
    ['apt-get', installFromDebian],
  ] as const) {
    try {
      if (await install(o.binDir, folders, tell)) return join(o.binDir, 'nats-server');
    } catch (error) {
      tried.push(name);
      causes.push(error);
    }
  }
  throw new NatsServerMissing(messageFor(o.binDir, tried), { cause: new AggregateError(causes) });
}

const messageFor = (binDir: string, tried: readonly string[]): string =>
  [
    `no nats-server found${tried.length === 0 ? '' : `, and ${tried.join(' and ')} failed`}. Do one of these and start again:`,
    '  put a nats-server 2.9 or newer on PATH (https://nats.io/download)',
    `  or into ${binDir}`,
    '  or install Go 1.25 or newer; it is then built here',
    '  or, as root on Debian or Ubuntu: apt-get install nats-server',
    '  or set NATS_URL and NATS_CREDS to use a server of your own',
  ].join('\n');

async function findProgram(name: string, folders: readonly string[]): Promise<string | null> {
  for (const folder of folders) {
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  return null;
}

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** False where Go is not there; throws when its build fails. */
async function installWithGo(
  binDir: string,
  folders: readonly string[],
  tell: (line: string) => void,
): Promise<boolean> {
  const go = await findProgram('go', folders);
  if (go === null) return false;
  tell(`building ${GO_MODULE} with Go, about a minute the first time`);
  await mkdir(binDir, { recursive: true });
  await run(go, ['install', GO_MODULE], {
    env: { ...process.env, GOBIN: binDir, CGO_ENABLED: '0' },
    timeout: INSTALL_TIMEOUT_MS,
    cwd: tmpdir(),
  });
  return true;
}

/** Unpacked, not installed: the package would start a service on port 4222. False where apt or root is not there. */
async function installFromDebian(
  binDir: string,
  folders: readonly string[],
  tell: (line: string) => void,
): Promise<boolean> {
  const [apt, dpkg] = [await findProgram('apt-get', folders), await findProgram('dpkg-deb', folders)];
  if (apt === null || dpkg === null || process.getuid?.() !== 0) return false;
  tell("fetching Debian's nats-server package");
  await mkdir(binDir, { recursive: true });
  const scratch = await mkdtemp(join(tmpdir(), 'proxima-nats-'));
  try {
    const bounded = { cwd: scratch, timeout: INSTALL_TIMEOUT_MS };
    await run(apt, ['update', '-q'], bounded);
    await run(apt, ['download', '-q', 'nats-server'], bounded);
    const deb = (await readdir(scratch)).find((file) => file.endsWith('.deb'));
    if (deb === undefined) throw new Error('apt-get download left no package');
    const unpacked = await mkdtemp(join(binDir, 'unpack-'));
    try {
      await run(dpkg, ['-x', join(scratch, deb), unpacked], bounded);
      await rename(join(unpacked, 'usr/sbin/nats-server'), join(binDir, 'nats-server'));
    } finally {
      await rm(unpacked, { recursive: true, force: true });
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return true;
}
