import { equal, ok } from 'node:assert/strict';
import { type LogsData, MAX_LINE_BYTES, MAX_REPLY_BYTES } from '../../../wire/kubeQuery.ts';
import { type LiveRig, startLiveRig } from './liveRig.ts';

describe("the agent's live reads of logs", function () {
  this.timeout(60_000);
  let rig: LiveRig;
  before(async () => {
    rig = await startLiveRig();
  });
  after(() => rig?.stop());

  async function read(texts: readonly string[]): Promise<LogsData> {
    const pod = rig.cluster
      .list('pods')
      .find(({ spec, status }) => spec.containers.length === 1 && status.phase === 'Running');
    ok(pod);
    const { namespace = '', name } = pod.metadata;
    const atMs = Date.parse('2026-12-01T04:00:00Z');
    const lines = texts.map((text, at) => ({ atMs: atMs + at, nanos: 0, text }));
    rig.cluster.logs.write(namespace, name, pod.spec.containers[0]?.name ?? '', lines);
    const reply = await rig.ask({ op: 'logs', kind: null, namespace, name, tail: 300, timestamps: true });
    ok(reply.ok, JSON.stringify(reply));
    return reply.data as LogsData;
  }

  it('leaves out the oldest lines of an answer over 1 MiB, and says so (AG-34, LV-11, LV-16)', async () => {
    const long = 'word '.repeat(3000);
    const data = await read(Array.from({ length: 100 }, (_, at) => `${at} ${long}`));
    const bytes = Buffer.byteLength(JSON.stringify(data));
    ok(bytes <= MAX_REPLY_BYTES && bytes > MAX_REPLY_BYTES * 0.9, `${bytes} bytes`);
    ok(data.lines.at(-1)?.text.startsWith('99 '));
    ok(data.lines[0]?.text.startsWith(`${100 - data.lines.length} `));
    equal(data.truncated, true);
    equal(
      data.notes[0],
      `the oldest ${100 - data.lines.length} lines were left out: the answer is limited to 1 MiB`,
    );
  });

  it('cuts a line at 16 KiB between two characters, and leaves one of 16 KiB whole (LV-11)', async () => {
    const whole = 'word '.repeat(4000).slice(0, MAX_LINE_BYTES);
    for (const start of ['', 'a', 'ab']) {
      const data = await read([`${start}${'äöü '.repeat(4000)}`, whole, 'short']);
      const texts = data.lines.map(({ text }) => text);
      equal(texts.length, 3);
      const bytes = Buffer.byteLength(texts[0] ?? '');
      ok(bytes <= MAX_LINE_BYTES && bytes > MAX_LINE_BYTES - 4, `${bytes} bytes`);
      ok(texts[0]?.endsWith('…') && !texts[0].includes('\ufffd'));
      equal(texts[1], whole);
      equal(texts[2], 'short');
      equal(data.truncated, false);
    }
  });
});
