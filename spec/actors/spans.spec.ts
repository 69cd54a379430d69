import { deepEqual, equal, ok } from 'node:assert/strict';
import { inSpan } from '../../actors/spans.ts';
import { syncCluster } from '../../actors/syncCluster.ts';
import type { Tracing } from '../../actors/tracing.ts';
import { startTracing } from '../../actors/tracing.ts';
import type { IngestUnderTest } from '../support/ingest.ts';
import { eventually, startIngest } from '../support/ingest.ts';
import type { SentSpan } from '../support/otlp.ts';
import { spansOf } from '../support/otlp.ts';
import type { RecordingStore } from '../support/recordingStore.ts';
import { startRecordingStore } from '../support/recordingStore.ts';

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const STEPS = [
  'k8s.sync_namespaces',
  'k8s.sync_nodes',
  'k8s.sync_workloads',
  'k8s.upsert_cluster',
  'worker.KubernetesPruneUnseen',
];

describe('spans', function () {
  this.timeout(30_000);
  let ingest: IngestUnderTest;
  let collector: RecordingStore;
  const given = process.env[ENDPOINT];

  before(async () => {
    [ingest, collector] = await Promise.all([startIngest(), startRecordingStore()]);
    process.env[ENDPOINT] = collector.url;
  });
  after(async () => {
    if (given === undefined) delete process.env[ENDPOINT];
    else process.env[ENDPOINT] = given;
    await Promise.all([ingest?.stop(), collector?.stop()]);
  });

  /** The spans of what `work` does, once they were sent. */
  async function traced(work: () => Promise<void>, sampledShare = 1): Promise<SentSpan[]> {
    collector.requests.length = 0;
    const tracing: Tracing = startTracing({ sampledShare });
    try {
      await work();
    } finally {
      await tracing.stop();
    }
    return collector.requests.flatMap(({ bytes }) => spansOf(bytes));
  }

  const settled = () => eventually('all is settled', async () => (await ingest.kept()) === 0);
  const childrenOf = (spans: readonly SentSpan[], top: SentSpan): string[] =>
    spans
      .filter(({ parentId }) => parentId === top.spanId)
      .map(({ name }) => name)
      .sort();
  const topOf = (spans: readonly SentSpan[]): SentSpan[] =>
    spans.filter(({ name }) => name === 'k8s.process_message');

  it('of every step lie inside that of their message, though it waited for another one (BO-07 to BO-12)', async () => {
    const agent = await ingest.enroll('traced');
    const spans = await traced(async () => {
      // Both lanes hold a message of this cluster: the second begins when the first one ends.
      const system = await ingest.start({}, async (...input) => {
        await new Promise((resolve) => setTimeout(resolve, 200));
        return syncCluster(...input);
      });
      await agent.publish(agent.snapshot({ timestamp: '2026-11-30T22:00:00Z' }));
      await agent.publish(agent.snapshot({ timestamp: '2026-11-30T22:01:00Z' }));
      await settled();
      await system.stop();
    });
    const tops = topOf(spans);
    equal(tops.length, 2);
    equal(spans.length, 2 + 2 * STEPS.length);
    for (const top of tops) {
      equal(top.parentId, '');
      deepEqual(childrenOf(spans, top), STEPS);
      ok(spans.every(({ traceId, parentId }) => parentId !== top.spanId || traceId === top.traceId));
    }
    deepEqual(
      collector.requests.map(({ path }) => path),
      ['/v1/traces'],
    );
    ok(collector.requests[0]?.body.includes('proxima'), 'names the service');
  });

  it('show which step failed, by the name of the error alone', async () => {
    const spans = await traced(async () => {
      const failing = inSpan('k8s.sync_nodes', {}, () => Promise.reject(new RangeError('password=hunter2')));
      await failing.catch(() => undefined);
    });
    deepEqual(
      spans.map(({ name, failed }) => [name, failed]),
      [['k8s.sync_nodes', true]],
    );
    ok(collector.requests[0]?.body.includes('RangeError'));
    ok(!collector.requests[0]?.body.includes('hunter2'));
  });

  it('are as many as the sampler lets through', async () => {
    const work = () => inSpan('k8s.sync_nodes', {}, () => Promise.resolve());
    equal((await traced(work, 0)).length, 0);
  });

  it('are not made while nobody traces', async () => {
    collector.requests.length = 0;
    equal(await inSpan('k8s.sync_nodes', {}, () => Promise.resolve(7)), 7);
    deepEqual(collector.requests, []);
  });

  it('hold up no stop when the collector never answers', async () => {
    collector.answer(null);
    const startedAt = performance.now();
    await traced(() => inSpan('k8s.sync_nodes', {}, () => Promise.resolve()));
    ok(performance.now() - startedAt < 5_000);
    collector.answer(204);
  });
});
