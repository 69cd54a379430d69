import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { encode } from '../../agent/encode.ts';
import { encodeSnapshot } from '../../wire/inventory.ts';
import type { Snapshot } from '../../wire/snapshot.ts';
import { applicationOf, noise, workloadOf } from '../support/heavy.ts';
import { anySnapshot, snapshotOf } from '../support/snapshots.ts';

const OPEN = { maxBytes: Number.POSITIVE_INFINITY, maxJsonBytes: Number.POSITIVE_INFINITY };
const run = (snapshot: Snapshot, o: Partial<Parameters<typeof encode>[1]> = {}) =>
  encode(snapshot, { gzip: false, signal: AbortSignal.timeout(20_000), ...OPEN, ...o });

/** Longer than a batch in both lists that may be long, and larger than a block. */
const large = (): Snapshot =>
  snapshotOf({
    workloads: Array.from({ length: 1234 }, (_, i) => workloadOf(`größer-${i}`)),
    argocd: {
      state: 'ok',
      in_cluster_names: [],
      applications: Array.from({ length: 201 }, (_, i) => applicationOf(`app-${i}`, i % 3)),
    },
  });

describe('agent/encode', function () {
  this.timeout(30_000);

  it('makes the same bytes as JSON.stringify in one piece', async () => {
    await fc.assert(
      fc.asyncProperty(anySnapshot(), async (snapshot) => {
        const { jsonBytes, bytes } = await run(snapshot);
        const whole = encodeSnapshot(snapshot);
        assert.ok(bytes !== null && whole.equals(bytes));
        assert.equal(jsonBytes, whole.length);
      }),
      { numRuns: 50 },
    );
    const whole = encodeSnapshot(large());
    const { jsonBytes, bytes } = await run(large());
    assert.ok(bytes !== null && whole.equals(bytes));
    assert.equal(jsonBytes, whole.length);
  });

  it('leaves out what is undefined, as JSON does', async () => {
    const snapshot = { ...snapshotOf(), coverage: undefined } as unknown as Snapshot;
    const { bytes } = await run(snapshot);
    assert.ok(bytes !== null && encodeSnapshot(snapshot).equals(bytes));
  });

  it('compresses to the same JSON, and counts it uncompressed (PL-08)', async () => {
    const whole = encodeSnapshot(large());
    const { jsonBytes, bytes } = await run(large(), { gzip: true });
    assert.ok(bytes !== null && bytes.length < whole.length / 4);
    assert.ok(whole.equals(gunzipSync(bytes)));
    assert.equal(jsonBytes, whole.length);
  });

  it('gives no bytes beyond either limit, and still counts all of the JSON (PL-08)', async () => {
    const snapshot = snapshotOf({ workloads: [workloadOf(noise(1_000_000)), ...large().data.workloads] });
    const size = encodeSnapshot(snapshot).length;
    for (const gzip of [false, true]) {
      for (const limit of [{ maxBytes: 100_000 }, { maxJsonBytes: size - 1 }]) {
        const { jsonBytes, bytes } = await run(snapshot, { gzip, ...limit });
        assert.equal(bytes, null);
        assert.equal(jsonBytes, size);
      }
    }
    assert.ok((await run(snapshot, { maxBytes: size, maxJsonBytes: size })).bytes);
  });

  it('lets the event loop turn while it works', async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    const records = Array.from({ length: 20_000 }, (_, i) => workloadOf(`w-${i}`));
    await run(snapshotOf({ workloads: records }), { gzip: true });
    clearInterval(timer);
    assert.ok(turns > 5, `${turns} turns`);
  });

  it('ends when it is told to', async () => {
    const ended = AbortSignal.abort(new Error('told to'));
    await assert.rejects(run(large(), { gzip: true, signal: ended }), /told to/);
  });
});
