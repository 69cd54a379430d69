import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedNats } from '../../actors/embeddedNats.ts';
import { ensureNatsServer, NatsServerMissing } from '../../actors/natsBinary.ts';
import { loadNatsKeys } from '../../actors/natsKeys.ts';
import { eventually } from '../support/ingest.ts';

const ROOT = join(import.meta.dirname, '../..');
const BIN_DIR = join(ROOT, '.proxima/bin');

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

describe('our own nats-server (D15)', () => {
  let dir: string;
  let program: string;

  before(async () => {
    program = await ensureNatsServer({ binDir: BIN_DIR });
  });
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'proxima-nats-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it('comes back with the same keys on the same port, so that enrolled agents find it', async () => {
    const first = await startEmbeddedNats({ dir, program });
    await first.stop();
    const second = await startEmbeddedNats({ dir, program });
    await second.stop();
    assert.equal(second.url, first.url);
    assert.equal(second.keys.account.publicKey, first.keys.account.publicKey);
    assert.equal((await stat(join(dir, 'keys.json'))).mode & 0o777, 0o600);
  });

  it('stops when its parent is killed with SIGKILL', async () => {
    const script = `
      const { startEmbeddedNats } = await import(${JSON.stringify(join(ROOT, 'actors/embeddedNats.ts'))});
      const { url } = await startEmbeddedNats(${JSON.stringify({ dir, program })});
      console.log(url);
      setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const port = Number(new URL(line.toString().trim()).port);
    assert.equal(await answers(port), true);
    parent.kill('SIGKILL');
    await eventually('the port is closed', async () => !(await answers(port)));
  });

  it('refuses keys that it cannot read instead of making new ones', async () => {
    await loadNatsKeys(dir);
    const file = join(dir, 'keys.json');
    const seeds = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>;
    await writeFile(file, JSON.stringify({ ...seeds, account: seeds.operator }));
    await assert.rejects(loadNatsKeys(dir), /does not hold the NATS keys/);
  });
});

describe('the search for a nats-server (D15)', () => {
  it('takes the one on PATH before any other', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'proxima-path-'));
    const program = join(folder, 'nats-server');
    await writeFile(program, '#!/bin/sh\n');
    await chmod(program, 0o755);
    assert.equal(await ensureNatsServer({ binDir: BIN_DIR, path: folder }), program);
    await rm(folder, { recursive: true });
  });

  it('names every way to get one when there is none, no Go, and no right to use apt', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'proxima-path-'));
    const missing = ensureNatsServer({ binDir: empty, path: empty, systemFolders: [] });
    await assert.rejects(missing, (error) => {
      assert.ok(error instanceof NatsServerMissing);
      for (const way of [
        /on PATH/,
        /install Go/,
        /apt-get install nats-server/,
        /NATS_URL/,
        new RegExp(empty),
      ]) {
        assert.match(error.message, way);
      }
      return true;
    });
    await rm(empty, { recursive: true });
  });
});
