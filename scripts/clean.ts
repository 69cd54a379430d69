/** Removes `.proxima/` and the data folder outside the checkout that `.proxima/where` names. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const home = join(import.meta.dirname, '..', '.proxima');
const where = join(home, 'where');
if (existsSync(where)) {
  const data = readFileSync(where, 'utf8').trim();
  // The file could hold anything; only a folder of the shape that the launcher makes is removed.
  if (dirname(data) === tmpdir() && basename(data).startsWith('proxima-')) {
    rmSync(data, { recursive: true, force: true });
    console.log(`removed ${data}`);
  }
}
rmSync(home, { recursive: true, force: true });
console.log(`removed ${home}`);
