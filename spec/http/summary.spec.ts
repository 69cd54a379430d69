import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Pool } from '../../store/pool.ts';
import { kinds } from '../../wire/kinds/index.ts';
import type { BackendUnderTest, Row } from './backendUnderTest.ts';
import { startBackend } from './backendUnderTest.ts';

const GI = 1024 ** 3;
const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

/** An answer's data, whose parts each test names as what it expects. */
type Shape = Record<string, unknown> & { nodes: Row & Row[]; name: string };

/** Rows of a table, each with its own values over the shared ones; jsonb columns take their values as JSON. */
async function put(
  pool: Pool,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  for (const row of rows) {
    const columns = Object.keys(row);
    await pool.query(
      `insert into ${table} (${columns.join(', ')}) values (${columns.map((_, i) => `$${i + 1}`).join(', ')})`,
      columns.map((column) => (column === 'containers' ? JSON.stringify(row[column]) : row[column])),
    );
  }
}

describe('summary, capacity and usage', () => {
  let backend: BackendUnderTest;
  let token: string;
  let busy: string;
  let empty: string;
  let serial = 0;

  const ask = (path: string, caller = token) => backend.ask(path, { token: caller });
  const dataOf = async (cluster: string, path: string) => {
    const { status, json } = await ask(`/api/v1/clusters/${cluster}/${path}`);
    equal(status, 200);
    return json.data as unknown as Shape;
  };
  const named = (cluster_id: string, prefix: string) => {
    serial += 1;
    return { cluster_id, name: `${prefix}-${String(serial).padStart(3, '0')}`, uid: `uid-${serial}` };
  };
  const node = (over: object = {}) => ({
    ...named(busy, 'node'),
    status: 'Ready',
    unschedulable: false,
    allocatable_cpu_millicores: 4000,
    allocatable_memory_bytes: 8 * GI,
    allocatable_pods: 110,
    ...over,
  });
  const pod = (over: object = {}) => ({
    ...named(busy, 'pod'),
    namespace: 'shop',
    phase: 'Running',
    created_at: minutesAgo(600),
    containers: [],
    containers_total: 1,
    containers_ready: 1,
    restart_count: 0,
    ...over,
  });
  const workload = (over: object = {}) => ({
    ...named(busy, 'workload'),
    kind: 'Deployment',
    namespace: 'shop',
    replicas_desired: 3,
    replicas_ready: 3,
    replicas_available: 3,
    ...over,
  });
  const event = (over: object = {}) => ({
    ...named(busy, 'event'),
    namespace: 'shop',
    type: 'Warning',
    reason: 'BackOff',
    count: 1,
    last_seen_at: minutesAgo(5),
    ...over,
  });

  before(async () => {
    backend = await startBackend();
    token = await backend.tokenFor({ role: 'viewer' });
    busy = await backend.cluster({ slug: 'busy' });
    empty = await backend.cluster({ slug: 'empty' });
  });
  after(() => backend.stop());
  beforeEach(async () => {
    for (const kind of kinds) await backend.pool.query(`delete from ${kind.table}`);
  });

  it('has zeros, nulls for usage and no null list for a cluster without objects (SM-18, SM-22)', async () => {
    const summary = await dataOf(empty, 'summary');
    deepEqual(summary.nodes, { total: 0, ready: 0, not_ready: 0, with_metrics: 0 });
    deepEqual(summary.pods, { total: 0, running: 0, pending: 0, succeeded: 0, failed: 0, unknown: 0 });
    for (const list of [
      'not_ready_nodes',
      'waiting',
      'pending_long',
      'top_restarters',
      'workloads_not_ready',
      'top_warning_reasons',
    ]) {
      deepEqual(summary[list], [], list);
    }
    const capacity = summary.capacity as Record<string, unknown>;
    equal(capacity.cpu_used_millicores, null);
    equal(capacity.mem_used_bytes, null);
    equal(capacity.cpu_requested_millicores, 0);
    deepEqual(await dataOf(empty, 'nodes/capacity'), { nodes: [], truncated: false, total: 0 });
    deepEqual(await dataOf(empty, 'namespaces/usage'), []);
  });

  it('counts nodes exactly and names ten that are not ready (SM-07, SM-08, SM-10)', async () => {
    await put(backend.pool, 'k8s_nodes', [
      node(),
      ...Array.from({ length: 11 }, () => node({ status: 'NotReady' })),
      node({ status: 'Unknown' }),
    ]);
    const summary = await dataOf(busy, 'summary');
    deepEqual(summary.nodes, { total: 13, ready: 1, not_ready: 12, with_metrics: 0 });
    equal((summary.not_ready_nodes as string[]).length, 10);
  });

  it("counts as monitored the nodes whose host is in the cluster's environment (SM-09, LK-05, LK-06)", async () => {
    const { rows } = await backend.pool.query<{ client_id: string; environment_id: string }>(
      'select client_id, environment_id from clusters where id = $1',
      [busy],
    );
    const host = async (environment_id: unknown, client_id: unknown): Promise<string> => {
      const made = await backend.pool.query<{ id: string }>(
        'insert into hosts (client_id, environment_id, hostname) values ($1, $2, $3) returning id',
        [client_id, environment_id, named(busy, 'host').name],
      );
      return made.rows[0]?.id ?? '';
    };
    const elsewhere = await backend.place('acme', 'elsewhere');
    const here = await host(rows[0]?.environment_id, rows[0]?.client_id);
    const moved = await host(elsewhere.environment_id, elsewhere.client_id);
    await put(backend.pool, 'k8s_nodes', [node({ host_id: here }), node({ host_id: moved }), node()]);
    equal((await dataOf(busy, 'summary')).nodes.with_metrics, 1);
  });

  it('splits pods into five numbers that add up, an odd phase being unknown (SM-11)', async () => {
    const phases = ['Running', 'Running', 'Pending', 'Succeeded', 'Failed', 'Unknown', 'Odd'];
    await put(
      backend.pool,
      'k8s_pods',
      phases.map((phase) => pod({ phase })),
    );
    deepEqual((await dataOf(busy, 'summary')).pods, {
      total: 7,
      running: 2,
      pending: 1,
      succeeded: 1,
      failed: 1,
      unknown: 2,
    });
  });

  it('counts waiting containers, not pods, by reason (SM-12)', async () => {
    const waiting = (reason: string | null) => ({ name: 'c', state: 'waiting', reason });
    const unready = { containers_total: 2, containers_ready: 0 };
    await put(backend.pool, 'k8s_pods', [
      pod({ ...unready, containers: [waiting('CrashLoopBackOff'), waiting('CrashLoopBackOff')] }),
      pod({
        ...unready,
        containers: [waiting('ImagePullBackOff'), { name: 'd', state: 'running', reason: null }],
      }),
      pod({ ...unready, containers: [waiting(null), { name: 'd', state: 'terminated', reason: 'Error' }] }),
      pod(),
    ]);
    deepEqual((await dataOf(busy, 'summary')).waiting, [
      { reason: 'CrashLoopBackOff', count: 2 },
      { reason: 'ImagePullBackOff', count: 1 },
      { reason: 'Unknown', count: 1 },
    ]);
  });

  it('lists pods that are pending for more than five minutes, the oldest first (SM-13)', async () => {
    const pending = (minutes: number) => pod({ phase: 'Pending', created_at: minutesAgo(minutes) });
    await put(backend.pool, 'k8s_pods', [
      pending(4.9),
      pending(5.1),
      ...Array.from({ length: 11 }, (_, i) => pending(20 + i)),
      pod({ created_at: minutesAgo(500) }),
    ]);
    const rows = (await dataOf(busy, 'summary')).pending_long as Row[];
    equal(rows.length, 10);
    const ages = rows.map((row) => Number(row.age_seconds));
    deepEqual(
      ages,
      [...ages].sort((a, b) => b - a),
    );
    equal(Math.floor((ages[0] ?? 0) / 60), 30);
    await backend.pool.query(`delete from k8s_pods where created_at < now() - interval '6 minutes'`);
    equal(((await dataOf(busy, 'summary')).pending_long as Row[]).length, 1);
  });

  it('lists the five pods with most restarts and none without any (SM-14)', async () => {
    await put(backend.pool, 'k8s_pods', [
      ...[0, 3, 9, 1, 5, 2, 7].map((restart_count) =>
        pod({ restart_count, workload_kind: 'Deployment', workload: 'api' }),
      ),
    ]);
    const rows = (await dataOf(busy, 'summary')).top_restarters as Row[];
    deepEqual(
      rows.map((row) => [row.restarts, row.workload_kind, row.workload, row.namespace]),
      [9, 7, 5, 3, 2].map((restarts) => [restarts, 'Deployment', 'api', 'shop']),
    );
  });

  it('lists workloads that lack replicas, the largest shortfall first (SM-15)', async () => {
    await put(backend.pool, 'k8s_workloads', [
      workload({ replicas_ready: 2 }),
      workload({ replicas_desired: 9, replicas_ready: 1 }),
      workload(),
      workload({ replicas_desired: 0, replicas_ready: 0 }),
      ...Array.from({ length: 10 }, () => workload({ replicas_desired: 4, replicas_ready: 2 })),
    ]);
    const rows = (await dataOf(busy, 'summary')).workloads_not_ready as Row[];
    equal(rows.length, 10);
    deepEqual([rows[0]?.desired, rows[0]?.ready], [9, 1]);
    const [first] = rows;
    equal((await dataOf(busy, `workloads/${first?.id}`)).name, first?.name);
  });

  it('sums what is asked for and what is used over the right pods and nodes (SM-16 to SM-19, X-17)', async () => {
    await put(backend.pool, 'k8s_nodes', [
      node({ usage_cpu_millicores: 1500, usage_memory_bytes: 3 * GI }),
      node({ allocatable_cpu_millicores: 2000, usage_cpu_millicores: 0, usage_memory_bytes: 0 }),
      node({ usage_cpu_millicores: null, usage_memory_bytes: 1 * GI }),
    ]);
    const asked = {
      cpu_requests_millicores: 250,
      cpu_limits_millicores: 500,
      memory_requests_bytes: GI,
      memory_limits_bytes: 2 * GI,
    };
    await put(backend.pool, 'k8s_pods', [
      pod(asked),
      pod({ ...asked, phase: 'Pending' }),
      pod({ ...asked, phase: 'Succeeded' }),
      pod({ ...asked, phase: 'Failed' }),
      pod(),
    ]);
    deepEqual((await dataOf(busy, 'summary')).capacity, {
      cpu_allocatable_millicores: 10_000,
      cpu_requested_millicores: 500,
      cpu_limits_millicores: 1000,
      cpu_used_millicores: 1500,
      cpu_allocatable_reporting_millicores: 4000,
      mem_allocatable_bytes: 24 * GI,
      mem_requested_bytes: 2 * GI,
      mem_limits_bytes: 4 * GI,
      mem_used_bytes: 4 * GI,
      mem_allocatable_reporting_bytes: 16 * GI,
      pods_allocatable: 330,
      pods_running: 2,
      nodes_total: 3,
      cpu_usage_nodes: 1,
      mem_usage_nodes: 2,
    });
  });

  it('counts warning objects of the past hour, not their repetitions (SM-03, SM-20, X-41)', async () => {
    await put(backend.pool, 'k8s_events', [
      event({ count: 40 }),
      event({ type: 'Normal' }),
      event({ last_seen_at: minutesAgo(61) }),
      event({ last_seen_at: null }),
      ...['a', 'b', 'c', 'd', 'e', 'e'].map((reason) => event({ reason })),
    ]);
    const summary = await dataOf(busy, 'summary');
    equal(summary.warning_events_1h, 7);
    deepEqual(summary.top_warning_reasons, [
      { reason: 'e', count: 2 },
      { reason: 'BackOff', count: 1 },
      ...['a', 'b', 'c'].map((reason) => ({ reason, count: 1 })),
    ]);
  });

  it('says when the database made it and how old the snapshot is (SM-21, D10)', async () => {
    const { json } = await ask(`/api/v1/clusters/${busy}/summary`);
    const { rows } = await backend.pool.query<{ now: Date }>('select now() as now');
    ok(Math.abs(Date.parse(String(json.data.generated_at)) - Number(rows[0]?.now)) < 5_000);
    equal(json.meta.as_of, '2026-11-30T12:00:00Z');
  });

  it('reads all parts in one read-only transaction that sees one state (SM-06)', async () => {
    await put(backend.pool, 'k8s_pods', [pod()]);
    const watcher = await backend.pool.connect();
    try {
      // The lock holds the summary between its first part and its events, while a pod comes and commits.
      await watcher.query('begin; lock table k8s_workloads in access exclusive mode');
      const asked = dataOf(busy, 'summary');
      const waiting = async (): Promise<boolean> => {
        const { rows } = await backend.pool.query(
          `select from pg_stat_activity where wait_event_type = 'Lock' and query ilike '%k8s_workloads%'`,
        );
        return rows.length > 0;
      };
      while (!(await waiting())) await new Promise((resolve) => setTimeout(resolve, 20));
      await put(backend.pool, 'k8s_events', [event()]);
      await watcher.query('commit');
      deepEqual((await asked).top_warning_reasons, []);
      equal(((await dataOf(busy, 'summary')).top_warning_reasons as Row[]).length, 1);
    } finally {
      watcher.release();
    }
  });

  it('answers what each node has, is asked for and uses (AP-09 to AP-12)', async () => {
    const [one, two] = [
      node({ usage_cpu_millicores: 10, usage_memory_bytes: 20, pod_count: 3, roles: ['worker'] }),
      node({ usage_cpu_millicores: 0, usage_memory_bytes: 0, unschedulable: true, status: 'NotReady' }),
    ];
    await put(backend.pool, 'k8s_nodes', [two, one]);
    const { rows } = await backend.pool.query<{ id: string; name: string }>(
      'select id, name from k8s_nodes where cluster_id = $1 order by name',
      [busy],
    );
    const asked = { cpu_requests_millicores: 100, memory_limits_bytes: 7, node_id: rows[0]?.id };
    await put(backend.pool, 'k8s_pods', [pod(asked), pod({ ...asked, phase: 'Succeeded' }), pod()]);
    const shared = {
      cpu_allocatable_millicores: 4000,
      mem_allocatable_bytes: 8 * GI,
      pods_allocatable: 110,
      cpu_limits_millicores: 0,
      mem_requested_bytes: 0,
    };
    deepEqual(await dataOf(busy, 'nodes/capacity'), {
      nodes: [
        {
          ...shared,
          id: rows[0]?.id,
          name: one?.name,
          status: 'Ready',
          roles: ['worker'],
          unschedulable: false,
          pod_count: 3,
          cpu_requested_millicores: 100,
          cpu_used_millicores: 10,
          mem_limits_bytes: 7,
          mem_used_bytes: 20,
        },
        {
          ...shared,
          id: rows[1]?.id,
          name: two?.name,
          status: 'NotReady',
          roles: [],
          unschedulable: true,
          pod_count: null,
          cpu_requested_millicores: 0,
          cpu_used_millicores: null,
          mem_limits_bytes: 0,
          mem_used_bytes: null,
        },
      ],
      truncated: false,
      total: 2,
    });
  });

  it('answers the first thousand nodes and says how many there are (AP-13)', async () => {
    await backend.pool.query(
      `insert into k8s_nodes (cluster_id, name, uid, status, unschedulable)
       select $1, 'n' || lpad(i::text, 4, '0'), 'u' || i, 'Ready', false from generate_series(1, 1001) i`,
      [busy],
    );
    const data = await dataOf(busy, 'nodes/capacity');
    const nodes = data.nodes as Row[];
    deepEqual([nodes.length, data.truncated, data.total], [1000, true, 1001]);
    deepEqual([nodes[0]?.name, nodes[999]?.name], ['n0001', 'n1000']);
  });

  it('answers the usage of every namespace by name, zeros where there are no pods (AP-15, AP-16)', async () => {
    const namespace = (name: string, workload_count: number) => ({
      ...named(busy, 'ns'),
      name,
      status: 'Active',
      workload_count,
    });
    await put(backend.pool, 'k8s_namespaces', [namespace('shop', 4), namespace('empty', 0)]);
    const asked = {
      cpu_requests_millicores: 100,
      cpu_limits_millicores: 200,
      memory_requests_bytes: 10,
      memory_limits_bytes: 20,
    };
    await put(backend.pool, 'k8s_pods', [
      pod({ ...asked, restart_count: 2 }),
      pod({ ...asked, restart_count: 3, phase: 'Failed' }),
      pod({ ...asked, namespace: 'gone' }),
    ]);
    deepEqual(await dataOf(busy, 'namespaces/usage'), [
      {
        name: 'empty',
        workload_count: 0,
        pods_total: 0,
        pods_running: 0,
        restarts: 0,
        cpu_requested_millicores: 0,
        cpu_limits_millicores: 0,
        mem_requested_bytes: 0,
        mem_limits_bytes: 0,
      },
      {
        name: 'shop',
        workload_count: 4,
        pods_total: 2,
        pods_running: 1,
        restarts: 5,
        cpu_requested_millicores: 100,
        cpu_limits_millicores: 200,
        mem_requested_bytes: 10,
        mem_limits_bytes: 20,
      },
    ]);
  });

  it("adds the summary's own figures to a list with include=capacity, in one more query (SM-01 to SM-05)", async () => {
    await put(
      backend.pool,
      'k8s_pods',
      ['Running', 'Pending', 'Failed', 'Unknown', 'Succeeded'].map((phase) => pod({ phase })),
    );
    await put(backend.pool, 'k8s_events', [event({ count: 40 })]);
    const [plain, loaded] = [await ask('/api/v1/clusters'), await ask('/api/v1/clusters?include=capacity')];
    const find = (answer: typeof plain, id: string) => answer.json.data.find((row) => row.id === id);
    for (const key of ['capacity', 'pods_not_running', 'warning_events_1h']) {
      ok(!(key in (find(plain, busy) ?? {})), key);
    }
    const item = find(loaded, busy);
    deepEqual(item?.capacity, (await dataOf(busy, 'summary')).capacity);
    equal(item?.pods_not_running, 3);
    equal(item?.warning_events_1h, 1);
    deepEqual([find(loaded, empty)?.pods_not_running, find(loaded, empty)?.warning_events_1h], [0, 0]);
    for (const include of ['foo', '', 'capacity,foo']) {
      const { status, json } = await ask(`/api/v1/clusters?include=${include}`);
      deepEqual([status, json.error.code], [400, 'invalid_param'], include);
    }
  });

  it('hides all three from a caller of another environment (SM-23, AP-19)', async () => {
    const stranger = await backend.tokenFor({ role: 'viewer', ...(await backend.place('globex', 'prod')) });
    for (const path of ['summary', 'nodes/capacity', 'namespaces/usage']) {
      equal((await ask(`/api/v1/clusters/${busy}/${path}`, stranger)).status, 404, path);
    }
  });
});
