/** The agent's durable state: its identity and enrollment in state.json, the NATS CA beside it (EN-04). */

import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Enrollment } from '../wire/enroll.ts';
import { enrollmentSchema } from '../wire/enroll.ts';
import { compileSchema } from '../wire/validate.ts';
import { openIdentity } from './nkey.ts';

export interface AgentState {
  /** Seed of the agent's nkey. Kept before enrollment is asked for, so that a lost reply can be asked for again. */
  readonly nkey_seed: string;
  /** Name and cluster that this identity enrolls, or enrolled, as. */
  readonly name: string;
  readonly cluster_slug: string;
  /** Null until the backend has answered. */
  readonly enrollment: Enrollment | null;
}

export type LoadedState =
  | { readonly kind: 'loaded'; readonly state: AgentState }
  | { readonly kind: 'absent' }
  /** The file is there and can't be used; `problem` says why, without its content. */
  | { readonly kind: 'damaged'; readonly problem: string };

export interface StateStore {
  readonly path: string;
  /** Where the CA of the enrolled NATS server lies when the enrollment has one. */
  readonly caPath: string;
  load(): Promise<LoadedState>;
  /** Replaces the state; a crash leaves the old one or the new one. Throws when the folder can't be written. */
  save(state: AgentState): Promise<void>;
}

const checkState = compileSchema<AgentState>({
  type: 'object',
  properties: {
    nkey_seed: { type: 'string', pattern: '^SU[A-Z2-7]{56}$' },
    name: { type: 'string', minLength: 1, maxLength: 253 },
    cluster_slug: { type: 'string', minLength: 1, maxLength: 512 },
    enrollment: { anyOf: [enrollmentSchema, { type: 'null' }] },
  },
  required: ['nkey_seed', 'name', 'cluster_slug', 'enrollment'],
  additionalProperties: false,
});

/** The store of a data folder, which is made where it is missing. */
export function openStateStore(dataDir: string): StateStore {
  const path = join(dataDir, 'state.json');
  const caPath = join(dataDir, 'nats-ca.pem');
  return {
    path,
    caPath,
    async load() {
      let content: string;
      try {
        content = await readFile(path, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { kind: 'absent' };
        throw new Error(`cannot read ${path}`, { cause: error });
      }
      return readState(content);
    },
    async save(state) {
      try {
        await mkdir(dataDir, { recursive: true, mode: 0o700 });
        const ca = state.enrollment?.nats_ca ?? null;
        // The certificate first: a state that names a NATS server must never lie without the CA that it needs.
        if (ca === null) await rm(caPath, { force: true });
        else await replaceFile(dataDir, caPath, ca);
        await replaceFile(dataDir, path, `${JSON.stringify(state, null, 2)}\n`);
      } catch (cause) {
        throw new Error(`cannot write ${path}; PROXIMA_AGENT_DATA_DIR must be a writable folder`, { cause });
      }
    },
  };
}

function readState(content: string): LoadedState {
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch {
    return { kind: 'damaged', problem: 'it is not JSON' };
  }
  const checked = checkState(parsed);
  if (!checked.ok) return { kind: 'damaged', problem: `${checked.path || 'it'} ${checked.problem}` };
  try {
    openIdentity(checked.value.nkey_seed);
  } catch {
    return { kind: 'damaged', problem: '/nkey_seed is not the seed of a user nkey' };
  }
  return { kind: 'loaded', state: checked.value };
}

/** Written whole under another name, synced, then renamed over the old file, and the folder synced. */
async function replaceFile(folder: string, path: string, content: string): Promise<void> {
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  // A leftover of a crash keeps its own mode, whatever open() was told.
  await chmod(temporary, 0o600);
  await rename(temporary, path);
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
