import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createIdentity, openIdentity } from '../../agent/nkey.ts';
import type { AgentState, StateStore } from '../../agent/state.ts';
import { openStateStore } from '../../agent/state.ts';
import { enrollmentOf } from './samples.ts';
import { temporaryFolder } from './scripted.ts';

const SEED = createIdentity().seed;
const STATE: AgentState = { nkey_seed: SEED, name: 'agent-0', cluster_slug: 'prod', enrollment: null };
const CA = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

describe("the agent's state", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let store: StateStore;

  beforeEach(async () => {
    folder = await temporaryFolder();
    store = openStateStore(join(folder.path, 'data'));
  });
  afterEach(() => folder.remove());

  it('is absent in a fresh folder, and there after it was saved (EN-04)', async () => {
    assert.deepEqual(await store.load(), { kind: 'absent' });
    const state = { ...STATE, enrollment: enrollmentOf() };
    await store.save(state);
    assert.deepEqual(await store.load(), { kind: 'loaded', state });
  });

  it('can be read by its owner alone, and leaves nothing else behind', async () => {
    await mkdir(join(folder.path, 'data'));
    await writeFile(`${store.path}.new`, 'half');
    await chmod(`${store.path}.new`, 0o666);
    for (const name of ['agent-0', 'agent-1']) {
      await store.save({ ...STATE, name });
      assert.equal((await stat(store.path)).mode & 0o777, 0o600);
    }
    assert.deepEqual(await readdir(join(folder.path, 'data')), ['state.json']);
  });

  it('keeps the CA certificate beside it, and takes it away with the enrollment that needed it (EN-04)', async () => {
    await store.save({ ...STATE, enrollment: enrollmentOf({ nats_ca: CA }) });
    assert.equal(await readFile(store.caPath, 'utf8'), CA);
    await store.save({ ...STATE, enrollment: enrollmentOf() });
    await assert.rejects(readFile(store.caPath), { code: 'ENOENT' });
  });

  const damages: [string, string, RegExp][] = [
    ['cut short', JSON.stringify(STATE).slice(0, 40), /not JSON/],
    ['empty', '', /not JSON/],
    ['of another shape', JSON.stringify({ ...STATE, name: 7 }), /\/name must be string/],
    ['without its seed', JSON.stringify({ ...STATE, nkey_seed: undefined }), /\/nkey_seed is missing/],
    [
      'with a seed that is none',
      JSON.stringify({ ...STATE, nkey_seed: `SU${'A'.repeat(56)}` }),
      /\/nkey_seed/,
    ],
    [
      'with slugs that would forge a subject',
      JSON.stringify({ ...STATE, enrollment: enrollmentOf({ client: 'a.b' }) }),
      /\/enrollment\/client/,
    ],
  ];
  for (const [damage, content, problem] of damages) {
    it(`says what is wrong with a file ${damage}, and quotes nothing of it`, async () => {
      await store.save(STATE);
      await writeFile(store.path, content);
      const loaded = await store.load();
      assert.ok(loaded.kind === 'damaged');
      assert.match(loaded.problem, problem);
      assert.ok(!loaded.problem.includes(SEED.slice(0, 12)));
      assert.equal(await readFile(store.path, 'utf8'), content);
    });
  }

  it('keeps an identity that signs the same way after a restart', async () => {
    const identity = createIdentity();
    const again = openIdentity(identity.seed);
    assert.equal(again.publicKey, identity.publicKey);
    assert.equal(again.sign(Buffer.from('x')), identity.sign(Buffer.from('x')));
  });
});
