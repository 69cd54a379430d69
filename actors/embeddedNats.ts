/** A nats-server of our own in operator mode, for the demo and the specs (D15, contracts.md section 7); production sets NATS_URL. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { connect as connectTcp, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BACKEND_INBOX } from '../wire/subjects.ts';
import { pushAccounts } from './accountClaims.ts';
import {
  BACKEND_PERMISSIONS,
  credsText,
  operatorJwt,
  SYSTEM_INBOX,
  SYSTEM_PERMISSIONS,
  userJwt,
} from './natsClaims.ts';
import { loadNatsKeys, type NatsKeys } from './natsKeys.ts';
import type { NatsAddress } from './natsLink.ts';

const START_TIMEOUT_MS = 15_000;
const STOP_TIMEOUT_MS = 10_000;
const START_ATTEMPTS = 3;

/** Snapshots are at most this large on the wire (PL-02). */
const MAX_PAYLOAD = '8MB';

export interface EmbeddedNats {
  /** `nats://127.0.0.1:{port}`. */
  readonly url: string;
  readonly keys: NatsKeys;
  /** How the backend connects to it. */
  readonly backend: NatsAddress;
  /** How the claims pusher connects to it. */
  readonly system: NatsAddress;
  /** Ends the server and waits for it. */
  stop(): Promise<void>;
}

export interface EmbeddedNatsOptions {
  /** Holds keys, JWTs and streams; made when missing. */
  readonly dir: string;
  /** The program, as `ensureNatsServer` gives it. */
  readonly program: string;
  /** Without one: the port of last time if it is free (enrolled agents keep the address), else any free one. */
  readonly port?: number;
  /** Room for streams on disk, in bytes; the server refuses a stream that reserves more. */
  readonly maxStoreBytes?: number;
  /** Largest message, written as nats-server reads sizes; 8MB without. */
  readonly maxPayload?: string;
}

const DEFAULT_STORE_BYTES = 16 * 1024 ** 3;

/**
 * Starts the server and answers when it takes connections and knows the accounts. It ends with `stop()`, and also when
 * this process dies in any way: a shell beside it waits on a pipe that only this process holds open.
 * Throws with the end of the server's log when it does not come up.
 */
export async function startEmbeddedNats(o: EmbeddedNatsOptions): Promise<EmbeddedNats> {
  await mkdir(o.dir, { recursive: true, mode: 0o700 });
  const keys = await loadNatsKeys(o.dir);
  for (let attempt = 1; ; attempt += 1) {
    const port = o.port ?? (await choosePort(join(o.dir, 'port')));
    try {
      return await start(o, keys, port);
    } catch (error) {
      // Another program may have taken the free port between our look and the server's bind.
      if (attempt === START_ATTEMPTS || o.port !== undefined) throw error;
    }
  }
}

async function start(o: EmbeddedNatsOptions, keys: NatsKeys, port: number): Promise<EmbeddedNats> {
  const config = join(o.dir, 'nats-server.conf');
  const log = join(o.dir, 'nats-server.log');
  await writeFile(config, configText(o, keys, port), { mode: 0o600 });
  const shell = spawn('/bin/sh', ['-c', SUPERVISOR, 'sh', o.program, '-c', config, '-l', log], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // A group of its own: Ctrl-C in the terminal reaches us first, and we end it in order.
    detached: true,
  });
  const gone = new Promise<void>((resolve) => {
    shell.once('exit', () => resolve());
    shell.once('error', () => resolve());
  });
  shell.stdin?.on('error', () => undefined);
  const url = `nats://127.0.0.1:${port}`;
  const { backend, system } = addresses(keys, url);
  try {
    await greeted(port, shell);
    await pushAccounts(system, keys);
  } catch (error) {
    await end(shell, gone);
    const words = (await readFile(log, 'utf8').catch(() => '')).slice(-2000);
    throw new Error(`nats-server did not start on port ${port}\n${words}`, { cause: error });
  }
  await writeFile(join(o.dir, 'port.new'), `${port}\n`);
  await rename(join(o.dir, 'port.new'), join(o.dir, 'port'));
  return { url, keys, backend, system, stop: () => end(shell, gone) };
}

/** SIGTERM makes JetStream flush; the shell takes any end of its input, ours by kill -9 included, as the order to stop. */
const SUPERVISOR = '"$@" & server=$!\nread -r _ || :\nkill -TERM $server 2>/dev/null\nwait $server';

async function end(shell: ChildProcess, gone: Promise<void>): Promise<void> {
  shell.stdin?.end();
  const killer = setTimeout(() => {
    if (shell.pid !== undefined && shell.exitCode === null) process.kill(-shell.pid, 'SIGKILL');
  }, STOP_TIMEOUT_MS);
  await gone;
  clearTimeout(killer);
}

const quoted = (text: string): string => JSON.stringify(text);

const configText = (o: EmbeddedNatsOptions, keys: NatsKeys, port: number): string =>
  [
    'host: 127.0.0.1',
    `port: ${port}`,
    'server_name: proxima',
    `max_payload: ${o.maxPayload ?? MAX_PAYLOAD}`,
    `operator: ${quoted(operatorJwt(keys.operator, keys.system.publicKey, new Date()))}`,
    'resolver: {',
    '  type: full',
    `  dir: ${quoted(join(o.dir, 'jwt'))}`,
    '  allow_delete: true',
    '  interval: "2m"',
    '  limit: 1000',
    '}',
    'jetstream: {',
    `  store_dir: ${quoted(join(o.dir, 'jetstream'))}`,
    '  max_memory_store: 16MB',
    `  max_file_store: ${o.maxStoreBytes ?? DEFAULT_STORE_BYTES}`,
    '}',
    '',
  ].join('\n');

/** The users of backend and claims pusher; their JWTs live as long as this server's keys. */
export function addresses(keys: NatsKeys, url: string): { backend: NatsAddress; system: NatsAddress } {
  const now = new Date();
  const creds = (
    name: string,
    user: NatsKeys['backendUser'],
    account: NatsKeys['account'],
    permissions: typeof BACKEND_PERMISSIONS,
  ): string =>
    credsText(
      userJwt({
        name,
        publicKey: user.publicKey,
        account: account.publicKey,
        signer: account,
        permissions,
        issuedAt: now,
        expiresAt: null,
      }),
      user.seed,
    );
  return {
    backend: {
      url,
      creds: creds('backend', keys.backendUser, keys.account, BACKEND_PERMISSIONS),
      inboxPrefix: BACKEND_INBOX,
    },
    system: {
      url,
      creds: creds('claims', keys.systemUser, keys.system, SYSTEM_PERMISSIONS),
      inboxPrefix: SYSTEM_INBOX,
    },
  };
}

async function choosePort(file: string): Promise<number> {
  const last = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
  if (last > 0 && last < 65536 && (await tryPort(last)) !== null) return last;
  const free = await tryPort(0);
  if (free === null) throw new Error('no free port on 127.0.0.1');
  return free;
}

/** The port, when nobody listens on it; 0 stands for any. */
function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(null));
    probe.listen(port, '127.0.0.1', () => {
      const address = probe.address();
      const bound = typeof address === 'object' && address !== null ? address.port : null;
      probe.close(() => resolve(bound));
    });
  });
}

/** Waits until the server sends its INFO line. */
async function greeted(port: number, shell: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && shell.exitCode === null) {
    if (await greets(port)) return;
    await sleep(20);
  }
  throw new Error('no greeting');
}

function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTcp({ port, host: '127.0.0.1', timeout: 1_000 });
    const answer = (yes: boolean): void => {
      socket.destroy();
      resolve(yes);
    };
    socket.once('data', (bytes) => answer(bytes.toString().startsWith('INFO ')));
    for (const failure of ['error', 'timeout', 'close'] as const) socket.once(failure, () => answer(false));
  });
}
