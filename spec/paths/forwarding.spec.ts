import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SimCluster } from '../../sim/cluster.ts';
import type { SimServer } from '../../sim/server.ts';
import { startSimServer } from '../../sim/server.ts';
import type { Row } from '../support/apiReads.ts';
import { inventoryOf, syncedAfter } from '../support/apiReads.ts';
import { eventually } from '../support/ingest.ts';
import { spansOf } from '../support/otlp.ts';
import type { RecordingStore } from '../support/recordingStore.ts';
import { startRecordingStore } from '../support/recordingStore.ts';
import type { WholeSystem } from '../support/wholeSystem.ts';
import { startWholeSystem } from '../support/wholeSystem.ts';

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';

describe('the path from agent to the stores beside PostgreSQL', function () {
  this.timeout(60_000);
  let system: WholeSystem;
  let sim: SimServer;
  let [logs, metrics, collector]: RecordingStore[] = [];
  let api: Awaited<ReturnType<WholeSystem['admin']>>;
  let stopBackend: () => Promise<void>;
  const given = process.env[ENDPOINT];

  before(async () => {
    [system, logs, metrics, collector] = await Promise.all([
      startWholeSystem(),
      startRecordingStore(),
      startRecordingStore(),
      startRecordingStore(),
    ]);
    sim = await startSimServer(new SimCluster({ argo: true, seed: 7, pods: 60, now: new Date() }));
    const kubeconfig = join(system.dir, 'sim.kubeconfig');
    await writeFile(kubeconfig, sim.kubeconfig());
    // The exporter of spans reads its variables itself.
    process.env[ENDPOINT] = collector.url;
    const backend = await system.startBackend({
      VICTORIA_LOGS_URL: logs.url,
      VICTORIA_METRICS_URL: metrics.url,
      [ENDPOINT]: collector.url,
    });
    stopBackend = () => backend.stop();
    api = await system.admin(backend.url);
    await system.startAgent({ url: backend.url, kubeconfig, slug: 'forwarded' });
  });
  after(async () => {
    if (given === undefined) delete process.env[ENDPOINT];
    else process.env[ENDPOINT] = given;
    await system?.stop();
    await Promise.all([sim, logs, metrics, collector].map((part) => part?.stop()));
  });

  it('copies what the API lists: its events, and two samples of each of its workloads (IN-28, IN-31)', async () => {
    const { id } = await syncedAfter(api, 'forwarded', new Date());
    const inventory = await inventoryOf(api, id);
    const newest = (store: RecordingStore | undefined): string[] =>
      store?.requests.at(-1)?.body.trimEnd().split('\n') ?? [];
    await eventually('both got something', () => newest(logs).length > 0 && newest(metrics).length > 0);
    const lines = newest(logs).map((line) => JSON.parse(line) as Row);
    assert.ok(lines.length > 0);
    assert.deepEqual(
      lines
        .map((line) => [line._time, line.k8s_event_reason, line.k8s_involved_name, line.k8s_cluster_id])
        .sort(),
      (inventory.events ?? [])
        .filter(({ last_seen_at: seen }) => seen !== null)
        .map((event) => [event.last_seen_at, event.reason, event.involved_name, id])
        .sort(),
    );
    assert.equal(newest(metrics).length, 2 * (inventory.workloads ?? []).length);
  });

  it('goes on when they are away', async () => {
    await Promise.all([logs?.stop(), metrics?.stop()]);
    await syncedAfter(api, 'forwarded', new Date());
    await syncedAfter(api, 'forwarded', new Date());
  });

  it('shows each message as a trace of its steps', async () => {
    await stopBackend();
    const spans = collector?.requests.flatMap(({ bytes }) => spansOf(bytes)) ?? [];
    const tops = spans.filter(({ name }) => name === 'k8s.process_message');
    assert.ok(tops.length > 0);
    const stored = tops.filter(({ spanId }) =>
      spans.some(({ name, parentId }) => name === 'k8s.sync_workloads' && parentId === spanId),
    );
    assert.ok(stored.length > 0);
  });
});
