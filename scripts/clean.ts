/** Removes `.proxima/` and the data folder outside the checkout that `.proxima/where` names, unless something runs on it. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const home = join(import.meta.dirname, '..', '.proxima');

const elsewhere = dataElsewhere();
const used = [join(home, 'postgres'), elsewhere].find((folder) => folder !== null && isInUse(folder));
if (used !== undefined) {
  console.error(`a program still runs on ${used}: stop it first, with Ctrl-C in its terminal`);
  process.exit(1);
}
for (const folder of [elsewhere, home]) {
  if (folder === null) continue;
  rmSync(folder, { recursive: true, force: true });
  console.log(`removed ${folder}`);
}

/** Null where the data lie in `.proxima/` itself. */
function dataElsewhere(): string | null {
  const where = join(home, 'where');
  if (!existsSync(where)) return null;
  const folder = readFileSync(where, 'utf8').trim();
  // The file could hold anything; only a folder of the shape that the launcher makes is removed.
  return dirname(folder) === tmpdir() && basename(folder).startsWith('proxima-') ? folder : null;
}

/** True while a PostgreSQL runs there: the first line of its pid file names the process. */
function isInUse(folder: string): boolean {
  const file = join(folder, 'data', 'postmaster.pid');
  if (!existsSync(file)) return false;
  try {
    process.kill(Number.parseInt(readFileSync(file, 'utf8'), 10), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
