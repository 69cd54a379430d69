import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { Decoded } from '../../wire/inventory.ts';
import { compressSnapshot, decodeSnapshot, encodeSnapshot } from '../../wire/inventory.ts';
import type { Arrays } from '../../wire/kinds/index.ts';
import { kinds } from '../../wire/kinds/index.ts';
import { anySnapshot, snapshotOf } from '../support/snapshots.ts';

const namespace = (over: Partial<Arrays['namespaces'][number]> = {}): Arrays['namespaces'][number] => ({
  name: 'shop',
  uid: 'u1',
  status: 'Active',
  labels: {},
  workload_count: 1,
  pod_count: 2,
  service_count: 3,
  created_at: '2026-01-01T00:00:00Z',
  ...over,
});

const decodeJson = (value: unknown): Promise<Decoded> =>
  decodeSnapshot(Buffer.from(JSON.stringify(value)), undefined);

/** The snapshot with one place of its JSON replaced. */
function withPlace(path: string[], value: unknown): Record<string, unknown> {
  const copy = structuredClone(snapshotOf({ namespaces: [namespace()] })) as unknown as Record<
    string,
    unknown
  >;
  let at = copy;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
  const last = path.at(-1) ?? '';
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}

describe('snapshot on the wire', () => {
  it('comes back as it was sent, plain and compressed', async () => {
    await fc.assert(
      fc.asyncProperty(anySnapshot(), async (snapshot) => {
        const bytes = encodeSnapshot(snapshot);
        const plain = await decodeSnapshot(bytes, undefined);
        assert.deepEqual(plain, { ok: true, snapshot, folded: 0 });
        assert.deepEqual(await decodeSnapshot(await compressSnapshot(bytes), 'gzip'), plain);
      }),
      { numRuns: 50 },
    );
  });

  it('holds all thirteen kinds, parents first', () => {
    assert.deepEqual(
      kinds.map((kind) => kind.table),
      [
        'k8s_nodes',
        'k8s_namespaces',
        'k8s_workloads',
        'k8s_pods',
        'k8s_services',
        'k8s_ingresses',
        'k8s_pvcs',
        'k8s_events',
        'k8s_jobs',
        'k8s_hpas',
        'k8s_network_policies',
        'k8s_resource_quotas',
        'k8s_endpoint_slices',
      ],
    );
  });

  const faults: [string, string[], unknown, string][] = [
    ['a missing array', ['data', 'pods'], undefined, '/data/pods'],
    ['an array that is null', ['data', 'pods'], null, '/data/pods'],
    ['a name of the wrong type', ['data', 'namespaces', '0', 'name'], 7, '/data/namespaces/0/name'],
    ['an empty name', ['data', 'namespaces', '0', 'name'], '', '/data/namespaces/0/name'],
    [
      'a count that is no integer',
      ['data', 'namespaces', '0', 'pod_count'],
      1.5,
      '/data/namespaces/0/pod_count',
    ],
    [
      'a label that is no string',
      ['data', 'namespaces', '0', 'labels'],
      { a: 1 },
      '/data/namespaces/0/labels/a',
    ],
    [
      'a month that does not exist',
      ['data', 'namespaces', '0', 'created_at'],
      '2026-13-01T00:00:00Z',
      '/data/namespaces/0/created_at',
    ],
    ['a stamp without a zone', ['timestamp'], '2026-11-30T22:00:00', '/timestamp'],
    ['another message type', ['type'], 'metrics', '/type'],
    ['another format version', ['schema'], 2, '/schema'],
    ['an agent id that is no UUID', ['agent_id'], 'x', '/agent_id'],
    [
      'a coverage state that does not exist',
      ['coverage'],
      { pods: { state: 'fine', listed: 0, sent: 0 } },
      '/coverage/pods/state',
    ],
    ['no cluster block', ['data', 'cluster'], undefined, '/data/cluster'],
  ];
  for (const [title, place, value, path] of faults) {
    it(`refuses ${title} and names ${path}`, async () => {
      const decoded = await decodeJson(withPlace(place, value));
      assert.equal(decoded.ok, false);
      assert.equal(decoded.reason, 'schema');
      assert.equal(decoded.path, path);
    });
  }

  it('never echoes a value in what it says of a fault', async () => {
    const secret = 'hunter2-never-shown';
    for (const place of [
      ['timestamp'],
      ['type'],
      ['data', 'namespaces', '0', 'pod_count'],
      ['epoch'],
      ['data', 'pods'],
    ]) {
      const decoded = await decodeJson(withPlace(place, secret));
      assert.equal(decoded.ok, false);
      assert.ok(!JSON.stringify(decoded).includes(secret), place.join('/'));
    }
  });

  it('drops fields it does not know, at every depth', async () => {
    const sent = withPlace(['data', 'namespaces', '0', 'surprise'], { deep: ['x'] });
    sent.extra = 1;
    const decoded = await decodeJson(sent);
    assert.deepEqual(decoded, { ok: true, snapshot: snapshotOf({ namespaces: [namespace()] }), folded: 0 });
  });

  it('reads a field that an older agent does not send as null, a map or list as empty', async () => {
    const { workload_count, labels, ...older } = namespace();
    assert.ok(workload_count !== null && labels !== undefined);
    const decoded = await decodeJson(snapshotOf({ namespaces: [older as Arrays['namespaces'][number]] }));
    assert.ok(decoded.ok);
    assert.deepEqual(decoded.snapshot.data.namespaces, [namespace({ workload_count: null, labels: {} })]);
  });

  it('folds duplicate keys inside a kind: the last wins, counted', async () => {
    const decoded = await decodeJson(
      snapshotOf({
        namespaces: [namespace({ uid: 'old' }), namespace({ name: 'b' }), namespace({ uid: 'new' })],
      }),
    );
    assert.ok(decoded.ok);
    assert.equal(decoded.folded, 1);
    assert.deepEqual(
      decoded.snapshot.data.namespaces.map(({ name, uid }) => [name, uid]),
      [
        ['shop', 'new'],
        ['b', 'u1'],
      ],
    );
  });

  it('cleans NUL and lone surrogates out of values and keys, and keeps paired ones', async () => {
    const decoded = await decodeJson(
      snapshotOf({ namespaces: [namespace({ labels: { 'a\u0000b': 'x\ud800y', pair: '\ud83d\ude00' } })] }),
    );
    assert.ok(decoded.ok);
    assert.deepEqual(decoded.snapshot.data.namespaces[0]?.labels, {
      'a\ufffdb': 'x\ufffdy',
      pair: '\ud83d\ude00',
    });
  });

  it('never lets a character through that PostgreSQL refuses', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 20 }),
        fc.integer({ min: 0, max: 0xffff }),
        async (a, b) => {
          const label = `${a}${String.fromCharCode(b)}\u0000`;
          const decoded = await decodeJson(snapshotOf({ namespaces: [namespace({ labels: { label } })] }));
          assert.ok(decoded.ok);
          const text = decoded.snapshot.data.namespaces[0]?.labels.label ?? '';
          assert.ok(text.isWellFormed() && !text.includes('\u0000'));
        },
      ),
    );
  });

  it('refuses what is not JSON, not gzip, or in another encoding', async () => {
    assert.deepEqual(await decodeSnapshot(Buffer.from('{'), undefined), {
      ok: false,
      reason: 'json',
      path: '',
      problem: 'is not JSON',
    });
    for (const encoding of ['gzip', 'br']) {
      const decoded = await decodeSnapshot(Buffer.from('{}'), encoding);
      assert.ok(!decoded.ok && decoded.reason === 'encoding');
    }
  });

  it('stops unpacking at the bound, so that a small message cannot fill the memory', async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000, 0x20));
    assert.ok(bomb.length < 10_000);
    const decoded = await decodeSnapshot(bomb, 'gzip', 1_000_000);
    assert.ok(!decoded.ok && decoded.reason === 'too_large');
    const plain = await decodeSnapshot(Buffer.alloc(1001, 0x20), undefined, 1000);
    assert.ok(!plain.ok && plain.reason === 'too_large');
  });

  it('unpacks 64 MiB and no byte more unless told otherwise', async () => {
    const bound = 64 * 1024 * 1024;
    for (const [size, reason] of [
      [bound, 'json'],
      [bound + 1, 'too_large'],
    ] as const) {
      const decoded = await decodeSnapshot(gzipSync(Buffer.alloc(size, 0x20), { level: 1 }), 'gzip');
      assert.ok(!decoded.ok && decoded.reason === reason, `${size}`);
    }
  });
});
