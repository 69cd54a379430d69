/** A Chromium for the specs of the pages: the machine's own, or Debian's package where it may be installed. */

import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
const SYSTEM_FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin'];
const INSTALL_TIMEOUT_MS = 10 * 60_000;

/** No Chromium and no way to get one; the message names the ways, one a line. */
export class ChromiumMissing extends Error {
  override readonly name = 'ChromiumMissing';
}

/**
 * The path of a Chromium: what `CHROMIUM` names, else one of the usual names on PATH, else Debian's package, installed
 * with apt where this is root. `onProgress` hears a line before the installation. Throws `ChromiumMissing`.
 */
export async function ensureChromium(o: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onProgress: (line: string) => void;
  readonly systemFolders?: readonly string[];
  readonly canInstall?: boolean;
}): Promise<string> {
  const named = o.env.CHROMIUM ?? '';
  if (named !== '') {
    if (await isExecutable(named)) return named;
    throw new ChromiumMissing(`CHROMIUM=${named} is not a program`);
  }
  const path = (o.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const folders = [...path, ...(o.systemFolders ?? SYSTEM_FOLDERS)];
  const found = await find(NAMES, folders);
  if (found !== null) return found;
  const apt = await find(['apt-get'], folders);
  let cause: unknown;
  if (apt !== null && (o.canInstall ?? process.getuid?.() === 0)) {
    o.onProgress("installing Debian's chromium package");
    try {
      return await install(apt, folders);
    } catch (error) {
      cause = error;
    }
  }
  throw new ChromiumMissing(
    [
      `no Chromium found${cause === undefined ? '' : ', and apt-get install failed'}. Do one of these and start again:`,
      '  put chromium or google-chrome on PATH',
      '  or set CHROMIUM to the path of one',
      '  or, as root on Debian: apt-get install chromium',
    ].join('\n'),
    { cause },
  );
}

async function install(apt: string, folders: readonly string[]): Promise<string> {
  const bounded = {
    timeout: INSTALL_TIMEOUT_MS,
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  await run(apt, ['update', '-q'], bounded);
  await run(apt, ['install', '-q', '-y', '--no-install-recommends', 'chromium'], bounded);
  const installed = await find(NAMES, folders);
  if (installed === null) throw new Error('apt-get installed no chromium');
  return installed;
}

async function find(names: readonly string[], folders: readonly string[]): Promise<string | null> {
  for (const name of names) {
    for (const folder of folders) {
      const path = join(folder, name);
      if (await isExecutable(path)) return path;
    }
  }
  return null;
}

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
