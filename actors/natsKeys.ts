/** The keys of our own NATS: made once, kept in one file that only its owner reads (contracts.md section 7). */

import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Nkey, NkeyRole } from './nkey.ts';
import { createNkey, nkeyFromSeed } from './nkey.ts';

/** Each key and its role. `signing` signs agents' JWTs; only `operator` can change accounts. */
const ROLES = {
  operator: 'operator',
  system: 'account',
  systemUser: 'user',
  account: 'account',
  signing: 'account',
  backendUser: 'user',
} as const satisfies Record<string, NkeyRole>;

export type NatsKeys = Readonly<Record<keyof typeof ROLES, Nkey>>;

const names = Object.keys(ROLES) as (keyof typeof ROLES)[];
const keysOf = (make: (name: keyof typeof ROLES) => Nkey): NatsKeys =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as NatsKeys;

/** New keys, in memory only. */
export const createNatsKeys = (): NatsKeys => keysOf((name) => createNkey(ROLES[name]));

/**
 * The keys in `dir/keys.json` (seeds, mode 0600), made there at the first call. The file appears whole or not at all.
 * Throws when it is there and does not hold the six seeds: making new ones would lock every agent out.
 */
export async function loadNatsKeys(dir: string): Promise<NatsKeys> {
  const file = join(dir, 'keys.json');
  const stored = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (stored !== null) return readKeys(file, stored);
  const keys = createNatsKeys();
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const unfinished = await open(`${file}.new`, 'w', 0o600);
  try {
    const seeds = Object.fromEntries(names.map((name) => [name, keys[name].seed]));
    await unfinished.writeFile(`${JSON.stringify(seeds, null, 2)}\n`);
    await unfinished.sync();
  } finally {
    await unfinished.close();
  }
  await rename(`${file}.new`, file);
  return keys;
}

function readKeys(file: string, text: string): NatsKeys {
  try {
    const seeds = JSON.parse(text) as Partial<Record<string, string>>;
    return keysOf((name) => {
      const key = nkeyFromSeed(seeds[name] ?? '');
      if (key.role !== ROLES[name]) throw new Error(`${name} is not of the role ${ROLES[name]}`);
      return key;
    });
  } catch (error) {
    throw new Error(`${file} does not hold the NATS keys`, { cause: error });
  }
}
