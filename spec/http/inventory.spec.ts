import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { kinds } from '../../wire/kinds/index.ts';
import type { BackendUnderTest } from './backendUnderTest.ts';
import { startBackend } from './backendUnderTest.ts';

describe('inventory routes', () => {
  let backend: BackendUnderTest;
  let here: string;
  let there: string;
  let token: string;

  before(async () => {
    backend = await startBackend();
    here = await backend.cluster({ slug: 'here' });
    there = await backend.cluster({ slug: 'there' });
    token = await backend.tokenFor({ role: 'viewer' });
  });
  after(() => backend.stop());

  const get = (path: string, cluster = here) => backend.ask(`/api/v1/clusters/${cluster}/${path}`, { token });
  const count = async (table: string, more = ''): Promise<number> => {
    const { rows } = await backend.pool.query<{ total: number }>(
      `select count(*) as total from ${table} where cluster_id = $1 ${more}`,
      [here],
    );
    return rows[0]?.total ?? 0;
  };

  for (const kind of kinds) {
    it(`lists ${kind.path} as the table holds them, with the time of the snapshot (AP-08, AP-17, AP-41, D10)`, async () => {
      const { status, json } = await get(`${kind.path}?per_page=100`);
      equal(status, 200);
      const total = await count(kind.table);
      ok(total > 0, 'the sample has none of this kind');
      equal(json.meta.total, total);
      equal(json.data.length, Math.min(total, kind.paged ? 100 : total));
      equal(json.meta.as_of, '2026-11-30T12:00:00Z');
      const paging = kind.paged ? { page: 1, per_page: 100, next_cursor: null } : {};
      const { coverage, ...meta } = json.meta;
      deepEqual(meta, { total, as_of: '2026-11-30T12:00:00Z', ...paging });
      ok(coverage === undefined || typeof coverage === 'object');
    });
  }

  it('pages other lists by 50 and clamps at 100; nodes and namespaces come whole (X-05, X-45)', async () => {
    equal((await get('pods')).json.meta.per_page, 50);
    equal((await get('pods?per_page=1000')).json.meta.per_page, 100);
    const { json } = await get('nodes?per_page=1&page=7');
    equal(json.data.length, await count('k8s_nodes'));
    equal(json.meta.page, undefined);
  });

  it('returns each pod once over the pages', async () => {
    const seen: unknown[] = [];
    for (let page = 1; page <= 6; page += 1) {
      seen.push(...(await get(`pods?per_page=7&page=${page}`)).json.data.map((row) => row.id));
    }
    equal(new Set(seen).size, seen.length);
    equal(seen.length, await count('k8s_pods'));
  });

  it('gives a single node and a single workload as their lists do (AP-14, AP-18)', async () => {
    for (const path of ['nodes', 'workloads']) {
      const [first] = (await get(path)).json.data;
      deepEqual((await get(`${path}/${first?.id}`)).json, { data: first });
    }
  });

  it("answers 404 to another cluster's node and workload under this cluster (AP-14, AP-18, AU-06)", async () => {
    for (const [path, noun] of [
      ['nodes', 'node'],
      ['workloads', 'workload'],
    ] as const) {
      const [foreign] = (await get(path, there)).json.data;
      const { status, json } = await get(`${path}/${foreign?.id}`);
      equal(status, 404);
      equal(json.error.message, `${noun} not found`);
    }
  });

  it("lists a node's and a workload's pods, and none for an id of another cluster (AP-40)", async () => {
    const pods = (await get('pods?per_page=100')).json.data;
    const onNode = pods.find((pod) => pod.node_id !== null);
    const nodePods = (await get(`nodes/${onNode?.node_id}/pods?per_page=100`)).json;
    deepEqual(
      nodePods.data,
      pods.filter((pod) => pod.node_id === onNode?.node_id),
    );
    equal(nodePods.meta.total, nodePods.data.length);

    const owned = pods.find((pod) => pod.workload !== null);
    const workloads = (await get('workloads?per_page=100')).json.data;
    const same = (row: typeof owned, kind: string, name: string) =>
      row?.namespace === owned?.namespace &&
      row?.[kind] === owned?.workload_kind &&
      row?.[name] === owned?.workload;
    const workload = workloads.find((row) => same(row, 'kind', 'name'));
    ok(workload);
    const workloadPods = (await get(`workloads/${workload.id}/pods?per_page=100`)).json.data;
    deepEqual(
      workloadPods,
      pods.filter((row) => same(row, 'workload_kind', 'workload')),
    );

    for (const path of [`nodes/${onNode?.node_id}/pods`, `workloads/${workload.id}/pods`]) {
      const { status, json } = await get(path, there);
      equal(status, 200);
      deepEqual(json.data, []);
      equal(json.meta.total, 0);
    }
  });

  it('answers bytes and counts as JSON numbers (X-50)', async () => {
    const [node] = (await get('nodes')).json.data;
    equal(typeof node?.capacity_memory_bytes, 'number');
    const { rows } = await backend.pool.query<{ text: string }>(
      'select capacity_memory_bytes::text as text from k8s_nodes where id = $1',
      [node?.id],
    );
    equal(String(node?.capacity_memory_bytes), rows[0]?.text);
  });

  it('says what a list lacks and since when, and nothing when it is whole (D9, D10)', async () => {
    const note = { pods: { state: 'truncated', listed: 7000, sent: 5000, reason: 'pod_limit' } };
    const coverage = Object.fromEntries(
      ['pods', 'deployments', 'statefulsets', 'daemonsets', 'services'].map((name) => [
        name,
        { state: 'complete', listed: 1, sent: 1 },
      ]),
    );
    await backend.pool.query('update clusters set coverage = $2, unverified_since = $3 where id = $1', [
      there,
      JSON.stringify({ ...coverage, ...note, rollouts: { state: 'forbidden', listed: 0, sent: 0 } }),
      JSON.stringify({ rollouts: '2026-11-30T11:00:00Z' }),
    ]);
    deepEqual((await get('pods', there)).json.meta.coverage, note);
    deepEqual((await get('workloads', there)).json.meta.coverage, {
      rollouts: { state: 'forbidden', listed: 0, sent: 0, since: '2026-11-30T11:00:00Z' },
    });
    equal((await get('services', there)).json.meta.coverage, undefined);
    deepEqual((await get('hpas', there)).json.meta.coverage, {
      horizontalpodautoscalers: { state: 'error', listed: 0, sent: 0 },
    });
  });

  const searched = kinds.filter((kind) => Object.keys(kind.sortKeys).length > 0);
  const refusal = async (path: string, cluster = here) => {
    const { status, json } = await get(path, cluster);
    return { status, code: json.error.code, message: json.error.message };
  };

  for (const kind of searched) {
    it(`takes q and every sort key on ${kind.path}, and names the keys to whoever asks for another (AP-20, AP-23, AP-29 to AP-34)`, async () => {
      for (const key of Object.keys(kind.sortKeys)) {
        for (const sort of [key, `-${key}`]) equal((await get(`${kind.path}?q=a&sort=${sort}`)).status, 200);
      }
      for (const sort of ['foo', '', '-', '--name', 'name;drop', 'name,age', '__proto__']) {
        const { status, code, message } = await refusal(`${kind.path}?sort=${encodeURIComponent(sort)}`);
        equal(status, 400);
        equal(code, 'invalid_param');
        for (const key of Object.keys(kind.sortKeys)) ok(message.includes(key), message);
      }
    });
  }

  it('has the sort keys of the documentation, no more and no fewer (AP-29 to AP-34)', () => {
    const documented = {
      workloads: 'name namespace kind replicas helm age',
      pods: 'name namespace phase ready restarts cpu memory node age',
      services: 'name namespace type cluster_ip endpoints age',
      ingresses: 'name namespace class age',
      pvcs: 'name namespace phase storage_class capacity age',
      jobs: 'name namespace kind schedule status completions age',
      hpas: 'name namespace target min max current age',
      'network-policies': 'name namespace age',
      'resource-quotas': 'name namespace age',
      'endpoint-slices': 'name namespace address_type service age',
    };
    const sorted = (keys: string[]) => keys.sort().join(' ');
    deepEqual(
      Object.fromEntries(searched.map((kind) => [kind.path, sorted(Object.keys(kind.sortKeys))])),
      Object.fromEntries(Object.entries(documented).map(([path, keys]) => [path, sorted(keys.split(' '))])),
    );
  });

  it('says what is wrong with a search text (AP-22), and trims a good one (AP-21)', async () => {
    match((await refusal('pods?q=%00')).message, /control character/);
    match((await refusal('pods?q=a%0Ab')).message, /control character/);
    match((await refusal('pods?q=%FF')).message, /UTF-8/);
    match((await refusal(`pods?q=${'a'.repeat(101)}`)).message, /100 characters/);
    equal((await get(`pods?q=${'a'.repeat(100)}`)).status, 200);
    equal((await get(`pods?q=${encodeURIComponent('😀'.repeat(100))}`)).status, 200);
    const [first] = (await get('pods')).json.data;
    const found = await get(`pods?q=%20${first?.name}%20`);
    deepEqual(
      found.json.data.map((row) => row.id),
      [first?.id],
    );
    deepEqual((await get('pods?q=%20&per_page=3')).json, (await get('pods?per_page=3')).json);
  });

  it('refuses a parameter that is given twice (AP-28)', async () => {
    for (const query of ['sort=name&sort=age', 'q=a&q=a', 'page=1&page=2', 'cursor=a&cursor=b']) {
      const { status, code } = await refusal(`pods?${query}`);
      deepEqual({ status, code }, { status: 400, code: 'invalid_param' }, query);
    }
  });

  it('answers 404 for an invisible cluster whatever the parameters (AP-35)', async () => {
    const stranger = await backend.tokenFor({ role: 'viewer', ...(await backend.place('globex', 'prod')) });
    for (const query of ['sort=foo', 'q=%00', 'page=0', 'cursor=x', 'labels=,', 'q=a&q=b']) {
      const { status } = await backend.ask(`/api/v1/clusters/${here}/pods?${query}`, { token: stranger });
      equal(status, 404, query);
    }
  });

  it('follows next_cursor to the end and takes it with no other order and no page', async () => {
    const ids: unknown[] = [];
    let { json } = await get('pods?per_page=7');
    const total = json.meta.total;
    for (;;) {
      ids.push(...json.data.map((row) => row.id));
      if (json.meta.next_cursor === null) break;
      json = (await get(`pods?per_page=7&cursor=${json.meta.next_cursor}`)).json;
      equal(json.meta.page, undefined);
      equal(json.meta.total, total);
    }
    deepEqual(
      ids,
      (await get('pods?per_page=100')).json.data.map((row) => row.id),
    );
    const { next_cursor } = (await get('pods?per_page=7')).json.meta;
    for (const query of [
      `cursor=${next_cursor}&sort=name`,
      `cursor=${next_cursor}&page=2`,
      'cursor=',
      'cursor=bm8',
    ]) {
      equal((await refusal(`pods?${query}`)).code, 'invalid_param', query);
    }
    equal((await refusal(`services?cursor=${next_cursor}`)).code, 'invalid_param');
  });

  it('filters workloads, pods, events and jobs by their columns (AP-38, AP-39, AP-42)', async () => {
    for (const [path, column] of [
      ['workloads', 'namespace'],
      ['workloads', 'kind'],
      ['pods', 'namespace'],
      ['pods', 'phase'],
      ['events', 'type'],
      ['jobs', 'kind'],
    ] as const) {
      const rows = (await get(`${path}?per_page=100`)).json.data;
      const value = String(rows.at(-1)?.[column]);
      const { json } = await get(`${path}?per_page=100&${column}=${value}`);
      const expected = rows.filter((row) => row[column] === value);
      deepEqual(json.data, expected, `${path} ${column}`);
      equal(json.meta.total, expected.length);
      deepEqual((await get(`${path}?${column}=nowhere`)).json.data, []);
    }
  });

  it('hides secrets in messages of events that came before today’s rules (AP-42)', async () => {
    const { rows } = await backend.pool.query<{ id: string }>(
      "update k8s_events set message = 'login with password=hunter2 failed' where cluster_id = $1 returning id",
      [here],
    );
    ok(rows.length > 0);
    const { text, json } = await get('events');
    ok(!text.includes('hunter2'));
    equal(json.data[0]?.message, 'login with password=[REDACTED] failed');
  });
});
