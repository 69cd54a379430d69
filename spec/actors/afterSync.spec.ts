import { deepEqual, equal, ok } from 'node:assert/strict';
import { createVictoriaLogs } from '../../store/victoriaLogs.ts';
import { createVictoriaMetrics } from '../../store/victoriaMetrics.ts';
import type { Snapshot } from '../../wire/snapshot.ts';
import type { AgentUnderTest, IngestUnderTest } from '../support/ingest.ts';
import { eventually, metric, startIngest } from '../support/ingest.ts';
import type { RecordingStore } from '../support/recordingStore.ts';
import { startRecordingStore } from '../support/recordingStore.ts';

const FORWARDED = 'proxima_forwarded_total';
const LOGS = { store: 'victoria_logs' };
const METRICS = { store: 'victoria_metrics' };
/** As patient as production, in tenths of seconds. */
const OUTBOX = { deadlineMs: 200, retryPausesMs: [50, 50], lanes: 2, maxBytes: 1024 ** 2 };

const EVENT = {
  namespace: 'shop',
  name: 'api.1',
  uid: 'event-1',
  type: 'Warning',
  reason: 'BackOff',
  message: 'Back-off, password=hunter2secret',
  involved_kind: 'Pod',
  involved_namespace: 'shop',
  involved_name: 'api-6f7-x2k',
  source_component: 'kubelet',
  count: 4,
  first_seen_at: null,
  last_seen_at: '2026-11-30T21:59:58.123456Z',
  created_at: null,
};
const WORKLOAD = {
  kind: 'Deployment',
  namespace: 'shop',
  name: 'api',
  uid: 'workload-1',
  created_at: null,
  replicas_desired: 3,
  replicas_ready: 2,
  replicas_available: 2,
  conditions: [],
  strategy: null,
  service_account: null,
  containers: [],
  labels: {},
  annotations: {},
  helm_release: null,
  helm_chart: null,
  helm_chart_version: null,
};

describe('after a sync', function () {
  this.timeout(30_000);
  let ingest: IngestUnderTest;
  let agent: AgentUnderTest;
  let logs: RecordingStore;
  let metrics: RecordingStore;
  let minutes = 0;

  before(async () => {
    ingest = await startIngest();
  });
  after(() => ingest?.stop());
  beforeEach(async () => {
    [logs, metrics] = await Promise.all([startRecordingStore(), startRecordingStore()]);
    ingest.logged.length = 0;
  });
  afterEach(() => Promise.all([logs.stop(), metrics.stop()]));

  const start = (outbox = {}) =>
    ingest.start({ outbox: { ...OUTBOX, ...outbox } }, undefined, {
      logs: createVictoriaLogs(`${logs.url.replace('http://', 'http://proxima:s%40crane@')}/`),
      metrics: createVictoriaMetrics(`${metrics.url}/insert/{tenant}/prometheus`),
    });

  /** One minute later than the one before, with these events and the workload. */
  const snapshot = (events: Partial<typeof EVENT>[] = [{}]): Snapshot => {
    minutes += 1;
    const plain = agent.snapshot({ timestamp: new Date(Date.UTC(2026, 10, 30, 22, minutes)).toISOString() });
    const changed = events.map((change) => ({ ...EVENT, ...change }));
    return { ...plain, data: { ...plain.data, events: changed, workloads: [WORKLOAD] } };
  };
  const stored = async (sent: Snapshot): Promise<void> => {
    await agent.publish(sent);
    await eventually('the snapshot is stored', async () => {
      const { rows } = await ingest.database.pool.query<{ snapshot_at: Date }>(
        'select snapshot_at from clusters where slug = $1',
        [sent.data.cluster.slug],
      );
      return rows[0]?.snapshot_at.getTime() === Date.parse(sent.timestamp);
    });
  };
  const tenant = async (): Promise<string> => {
    const { rows } = await ingest.database.pool.query<{ tenant: number }>('select tenant from clients');
    return String(rows[0]?.tenant);
  };
  const counted = (labels: Record<string, string>) => metric(FORWARDED, labels);

  describe('of stores that answer', () => {
    it("the events with a last-seen time lie in the client's account, sanitized (IN-31, IN-32)", async () => {
      agent = await ingest.enroll('events');
      const system = await start();
      await stored(snapshot([{}, { uid: 'event-2', last_seen_at: null as unknown as string }]));
      await eventually('the lines are there', () => logs.requests.length === 1);
      const [request] = logs.requests;
      equal(
        request?.path,
        '/insert/jsonline?_stream_fields=source,environment_id&_time_field=_time&_msg_field=_msg',
      );
      equal(request?.headers.accountid, await tenant());
      equal(request?.headers.authorization, `Basic ${Buffer.from('proxima:s@crane').toString('base64')}`);
      const lines = request?.body
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, string>);
      equal(lines?.length, 1);
      equal(lines?.[0]?._time, EVENT.last_seen_at);
      equal(lines?.[0]?.source, 'k8s-event');
      ok(!request?.body.includes('hunter2secret'));
      const { rows } = await ingest.database.pool.query<{
        message: string;
        id: string;
        environment_id: string;
      }>(`select c.id, c.environment_id from clusters c where slug = 'events'`);
      deepEqual(
        [lines?.[0]?.k8s_cluster_id, lines?.[0]?.environment_id],
        [rows[0]?.id, rows[0]?.environment_id],
      );
      const { rows: listed } = await ingest.database.pool.query('select from k8s_events');
      equal(listed.length, 2);
      await system.stop();
    });

    it('copies of an unchanged event are equal byte by byte, whatever snapshot brought them (EV-23, X-44)', async () => {
      agent = await ingest.enroll('copies');
      const system = await start();
      for (let n = 0; n < 3; n += 1) await stored(snapshot());
      await eventually('all copies are there', () => logs.requests.length === 3);
      equal(new Set(logs.requests.map(({ body }) => body)).size, 1);
      await stored(snapshot([{ count: 5, last_seen_at: '2026-11-30T22:09:00Z' }]));
      await eventually('the next sighting is there', () => logs.requests.length === 4);
      equal(new Set(logs.requests.map(({ body }) => body)).size, 2);
      await system.stop();
    });

    it("the replicas lie in the client's tenant, at the time of the snapshot (IN-28)", async () => {
      agent = await ingest.enroll('replicas');
      const system = await start();
      const sent = snapshot();
      await stored(sent);
      await eventually('the samples are there', () => metrics.requests.length === 1);
      const [request] = metrics.requests;
      equal(request?.path, `/insert/${await tenant()}/prometheus/api/v1/import/prometheus`);
      const samples = request?.body.trimEnd().split('\n') ?? [];
      deepEqual(
        samples.map((line) => line.replace(/\{type="(\w+)".*\}/, ' $1')),
        [3, 2].map(
          (n, i) => `k8s_workload_replicas ${['desired', 'ready'][i]} ${n} ${Date.parse(sent.timestamp)}`,
        ),
      );
      ok(!request?.body.includes('host_id'));
      await system.stop();
    });

    it('a replayed snapshot is forwarded again, an older one is not (X-44)', async () => {
      agent = await ingest.enroll('replayed');
      const system = await start();
      const sent = snapshot();
      await stored(sent);
      await agent.publish(sent);
      await eventually('twice', () => logs.requests.length === 2);
      await agent.publish({ ...sent, timestamp: '2026-11-30T21:00:00Z' });
      await eventually('it is settled', async () => (await ingest.kept()) === 0);
      await system.stop();
      equal(logs.requests.length, 2);
    });

    it('nothing is sent of a snapshot without events and workloads', async () => {
      agent = await ingest.enroll('empty');
      const system = await start();
      await stored(agent.snapshot());
      await system.stop();
      deepEqual([logs.requests, metrics.requests], [[], []]);
    });
  });

  describe('of stores that do not', () => {
    it('a store that answers 503 is asked three times; the sync is stored all the same', async () => {
      agent = await ingest.enroll('busy');
      logs.answer(503);
      const failed = await counted({ ...LOGS, result: 'failed' });
      const sent = await counted({ ...METRICS, result: 'sent' });
      const system = await start();
      await stored(snapshot());
      await eventually(
        'it is given up',
        async () => (await counted({ ...LOGS, result: 'failed' })) === failed + 1,
      );
      equal(logs.requests.length, 3);
      equal(await counted({ ...METRICS, result: 'sent' }), sent + 1);
      logs.answer(204);
      await stored(snapshot());
      await eventually('it is back', () => logs.requests.length === 4);
      await system.stop();
      const lines = ingest.logged.filter(({ message }) => message.startsWith('a store is'));
      deepEqual(
        lines.map(({ message }) => message),
        ['a store is away; lines for it will be lost', 'a store is back'],
      );
      deepEqual(lines[0]?.fields, { store: 'victoria_logs', cause: 'HTTP 503' });
    });

    it('a store that refuses, or sends us elsewhere, is not asked twice', async () => {
      agent = await ingest.enroll('refused');
      const system = await start();
      for (const status of [400, 302]) {
        logs.answer(status);
        const refused = await counted({ ...LOGS, result: 'refused' });
        await stored(snapshot());
        await eventually(
          'it is counted',
          async () => (await counted({ ...LOGS, result: 'refused' })) === refused + 1,
        );
      }
      await system.stop();
      equal(logs.requests.length, 2);
      deepEqual(
        ingest.logged.filter(({ message }) => message.startsWith('a store')).map(({ fields }) => fields),
        [{ store: 'victoria_logs', status: 400 }],
      );
    });

    it('a store that never answers holds up no sync, and its lines wait within bounds', async () => {
      agent = await ingest.enroll('silent');
      logs.answer(null);
      const dropped = await counted({ ...LOGS, result: 'dropped' });
      // Room for a handful of bodies of this size, each of which waits for minutes.
      const system = await start({ maxBytes: 6_000, deadlineMs: 600_000 });
      for (let n = 0; n < 12; n += 1) await stored(snapshot());
      const queued = await metric('proxima_forward_queued_bytes', LOGS);
      ok(queued > 0 && queued <= 6_000, `${queued} bytes wait`);
      ok((await counted({ ...LOGS, result: 'dropped' })) > dropped);
      equal(metrics.requests.length, 12);
      await system.stop();
      equal(await metric('proxima_forward_queued_bytes', LOGS), 0);
      ok(logs.requests.length <= 2);
    });

    it('each attempt at a store that does not answer ends at its deadline', async () => {
      agent = await ingest.enroll('late');
      logs.answer(null);
      const failed = await counted({ ...LOGS, result: 'failed' });
      const retries = await metric('proxima_forward_retries_total', LOGS);
      const system = await start({ deadlineMs: 100, retryPausesMs: [10, 10] });
      await stored(snapshot());
      await eventually(
        'it is given up',
        async () => (await counted({ ...LOGS, result: 'failed' })) === failed + 1,
      );
      equal(logs.requests.length, 3);
      equal(await metric('proxima_forward_retries_total', LOGS), retries + 2);
      const [line] = ingest.logged.filter(({ message }) => message.startsWith('a store is away'));
      deepEqual(line?.fields, { store: 'victoria_logs', cause: 'TimeoutError' });
      await system.stop();
    });

    it('a store that is not there is away, and what waits for it ends with the process', async () => {
      agent = await ingest.enroll('gone');
      await logs.stop();
      const dropped = await counted({ ...LOGS, result: 'dropped' });
      const system = await start({ retryPausesMs: [600_000] });
      await stored(snapshot());
      await eventually('it is noticed', () =>
        ingest.logged.some(({ message }) => message.startsWith('a store is away')),
      );
      await system.stop();
      equal(await counted({ ...LOGS, result: 'dropped' }), dropped + 1);
    });
  });
});
