import { deepEqual, equal, ok } from 'node:assert/strict';
import { createVictoriaLogs } from '../../store/victoriaLogs.ts';
import { createVictoriaMetrics } from '../../store/victoriaMetrics.ts';
import type { AgentUnderTest, IngestUnderTest } from '../support/ingest.ts';
import { eventually, startIngest } from '../support/ingest.ts';
import type { RunningService } from '../support/services.ts';
import { startService } from '../support/services.ts';

type Line = Record<string, string>;

/** One field of all that tells two sightings apart (U-26). */
const COLLAPSED = [
  ...['_time', '_msg', 'k8s_namespace', 'k8s_cluster_id', 'k8s_cluster_name', 'k8s_event_type'],
  ...['k8s_event_reason', 'k8s_event_count', 'k8s_involved_kind', 'k8s_involved_name'],
].join(', ');

describe('the stores of events and replica counts, as they are', function () {
  this.timeout(120_000);
  let victoria: RunningService;
  let ingest: IngestUnderTest;
  let agent: AgentUnderTest;
  let tenant: string;
  const hourAgo = new Date(Math.floor(Date.now() / 1000) * 1000 - 3_600_000);
  const seconds = (n: number): string => new Date(hourAgo.getTime() + n * 1000).toISOString();
  const event = (change: object) => ({
    namespace: 'shop',
    name: 'api.1',
    type: 'Warning',
    reason: 'BackOff',
    message: 'He said "stop"\u2028{env="x"} | delete \\ \u{1f6d1}\nsecond line',
    involved_kind: 'Pod',
    involved_namespace: 'shop',
    involved_name: 'api-6f7-x2k',
    source_component: null,
    count: 4,
    first_seen_at: null,
    last_seen_at: hourAgo.toISOString().replace('.000Z', '.123456789Z'),
    created_at: null,
    ...change,
  });
  const workload = {
    ...{ kind: 'Deployment', namespace: 'shop', name: 'api', uid: 'w', created_at: null },
    ...{ replicas_desired: 3, replicas_ready: 2, replicas_available: 2, conditions: [], strategy: null },
    ...{ service_account: null, containers: [], labels: {}, annotations: {} },
    ...{ helm_release: null, helm_chart: null, helm_chart_version: null },
  };

  const logs = async (query: string, account: string): Promise<Line[]> => {
    const answer = await fetch(`${victoria.found.VICTORIA_LOGS_URL}/select/logsql/query`, {
      method: 'POST',
      headers: { AccountID: account },
      body: new URLSearchParams({ query }),
    });
    equal(answer.status, 200);
    const text = (await answer.text()).trim();
    return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as Line);
  };

  before(async () => {
    [victoria, ingest] = await Promise.all([startService('victoria'), startIngest()]);
    const { rows } = await ingest.database.pool.query<{ tenant: number }>('select tenant from clients');
    tenant = String(rows[0]?.tenant);
    agent = await ingest.enroll('shop');
    const system = await ingest.start({ drainMs: 5_000 }, undefined, {
      logs: createVictoriaLogs(victoria.found.VICTORIA_LOGS_URL ?? ''),
      metrics: createVictoriaMetrics(victoria.found.VICTORIA_METRICS_URL ?? ''),
    });
    const unchanged = event({ uid: 'e1' });
    for (const [n, events] of [
      [unchanged, event({ uid: 'e2', last_seen_at: null })],
      [unchanged],
      [unchanged],
      [event({ uid: 'e1', count: 5, last_seen_at: seconds(60) })],
    ].entries()) {
      const plain = agent.snapshot({ timestamp: seconds(100 + n) });
      await agent.publish({ ...plain, data: { ...plain.data, events, workloads: [workload] } } as never);
      await eventually('it is stored', async () => (await ingest.kept()) === 0);
    }
    await system.stop();
  });
  after(async () => {
    await Promise.all([victoria?.stop(), ingest?.stop()]);
  });

  it("hold one line per sync in the client's account, which collapse into one per sighting (IN-31, EV-23)", async () => {
    const lines = 'source:="k8s-event"';
    await eventually('the lines can be read', async () => (await logs(lines, tenant)).length === 4);
    const sightings = await logs(`${lines} | uniq by (${COLLAPSED}) | sort by (_time)`, tenant);
    deepEqual(
      sightings.map(({ k8s_event_count: count, _time: time }) => [count, time]),
      [
        ['4', event({}).last_seen_at],
        ['5', seconds(60).replace('.000Z', 'Z')],
      ],
    );
    deepEqual(await logs('*', '0'), []);
  });

  it('hold the message as it was sent, letter by letter', async () => {
    const [line] = await logs('k8s_event_count:="4"', tenant);
    equal(line?._msg, event({}).message);
    equal(line?.k8s_namespace, 'shop');
    const stream = line?._stream ?? '';
    ok(stream.includes('source="k8s-event"') && stream.includes('environment_id='), stream);
  });

  it('hold the replicas at the time of each snapshot, without a host (IN-28)', async () => {
    const read = async (): Promise<{ metric: Line; values: number[]; timestamps: number[] }[]> => {
      const url = `${victoria.found.VICTORIA_METRICS_URL}/api/v1/export?match[]=k8s_workload_replicas`;
      const text = (await (await fetch(url)).text()).trim();
      return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line));
    };
    await eventually('they can be read', async () => {
      const all = await read();
      return all.length === 2 && all.every(({ values }) => values.length === 4);
    });
    const series = (await read()).sort((a, b) => ((a.metric.type ?? '') < (b.metric.type ?? '') ? -1 : 1));
    deepEqual(
      series.map(({ metric, values }) => [metric.type, values[0]]),
      [
        ['desired', 3],
        ['ready', 2],
      ],
    );
    deepEqual(
      series[0]?.timestamps,
      [100, 101, 102, 103].map((n) => Date.parse(seconds(n))),
    );
    const { metric } = series[0] ?? {};
    deepEqual(Object.keys(metric ?? {}).sort(), [
      ...['__name__', 'cluster_id', 'environment_id', 'namespace', 'type', 'workload', 'workload_kind'],
    ]);
  });
});
