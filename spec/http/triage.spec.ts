import { deepEqual, equal, ok } from 'node:assert/strict';
import type { BackendUnderTest, PlaceIds, Row } from './backendUnderTest.ts';
import { startBackend } from './backendUnderTest.ts';

const AT = '2026-11-30T22:00:00Z';
const MINUTE_MS = 60_000;

interface Written {
  readonly title: string;
  readonly minutesBefore: number;
  readonly source?: string;
  readonly type?: string;
  readonly cluster?: string | null;
  readonly place?: { readonly client_id: string; readonly environment_id: string | null };
}

describe('GET /api/v1/clusters/:clusterID/triage', () => {
  let backend: BackendUnderTest;
  let home: PlaceIds;
  let clusterId: string;
  let viewer: string;

  before(async () => {
    backend = await startBackend();
    home = await backend.place('acme', 'prod');
    clusterId = await backend.cluster({ client: 'acme', environment: 'prod', slug: 'home' });
    viewer = await backend.tokenFor({ role: 'viewer', ...home });
  });
  after(() => backend.stop());
  beforeEach(() => backend.pool.query('delete from change_events'));

  async function write({
    title,
    minutesBefore,
    source,
    type,
    cluster,
    place = home,
  }: Written): Promise<void> {
    await backend.pool.query(
      `insert into change_events (client_id, environment_id, source, event_type, severity, summary, details, scanned_at)
       values ($1, $2, $3, $4, 'info', $5, $6, $7)`,
      [
        place.client_id,
        place.environment_id,
        source ?? 'k8s-config',
        type ?? 'workload_changed',
        title,
        JSON.stringify(cluster === null ? {} : { cluster_id: cluster ?? clusterId }),
        new Date(Date.parse(AT) - minutesBefore * MINUTE_MS),
      ],
    );
  }
  const path = (query = `?at=${AT}`) => `/api/v1/clusters/${clusterId}/triage${query}`;
  const triage = async (token = viewer): Promise<Row[]> => {
    const { status, json } = await backend.ask(path(), { token });
    equal(status, 200);
    return json.data.items as unknown as Row[];
  };
  const titles = async (token?: string): Promise<unknown[]> =>
    (await triage(token)).map(({ title }) => title);

  it('answers what happened, the likeliest first, with weight, score and minimum', async () => {
    await write({ title: 'scaled', minutesBefore: 14, type: 'workload_scaled' });
    await write({ title: 'edited', minutesBefore: 28 });
    const { json } = await backend.ask(path(), { token: viewer });
    deepEqual(Object.keys(json.data).sort(), ['at', 'items', 'minimum']);
    equal(json.data.at, AT);
    equal(json.data.minimum, 0.25);
    const [first, second] = json.data.items as unknown as Row[];
    ok(first && second);
    const { id, ...rest } = first;
    ok(id);
    deepEqual(rest, {
      time: '2026-11-30T21:32:00Z',
      source: 'k8s-config',
      type: 'workload_changed',
      title: 'edited',
      weight: 0.9,
      score: 0.45,
    });
    equal(second.title, 'scaled');
    ok(Math.abs(Number(second.score) - 0.3536) < 0.0001);
  });

  it('finds the deploy behind 150 scales, of which it takes the newest 15 (TR-05, TR-06)', async () => {
    await write({
      title: 'deploy',
      minutesBefore: 20,
      source: 'deployment',
      type: 'deployed',
      cluster: null,
    });
    for (let n = 0; n < 150; n += 1) {
      await write({ title: `scale ${n}`, minutesBefore: n / 10, type: 'workload_scaled' });
    }
    const found = await titles();
    ok(found.includes('deploy'));
    deepEqual(
      found.filter((title) => title !== 'deploy'),
      Array.from({ length: 15 }, (_, n) => `scale ${n}`),
    );
  });

  it('weighs the newest 100 of the other changes', async () => {
    for (let n = 0; n < 101; n += 1) await write({ title: `edit ${n}`, minutesBefore: n / 10 });
    const found = await titles();
    equal(found.length, 100);
    ok(!found.includes('edit 100'));
  });

  it('stays with the cluster: no record of another one, no deploy to another environment', async () => {
    const staging = await backend.place('acme', 'staging');
    await write({
      title: 'other cluster',
      minutesBefore: 1,
      cluster: '00000000-0000-4000-8000-000000000000',
    });
    await write({ title: 'elsewhere', minutesBefore: 1, source: 'github', cluster: null, place: staging });
    await write({ title: 'after', minutesBefore: -1 });
    await write({ title: 'unrelated', minutesBefore: 1, source: 'host-agent', cluster: null });
    await write({ title: 'here', minutesBefore: 1, source: 'github', cluster: null });
    deepEqual(await titles(), ['here']);
  });

  it('shows what concerns the whole client to those alone who may see the client', async () => {
    const place = { ...home, environment_id: null };
    await write({ title: 'for all', minutesBefore: 1, source: 'gitlab', cluster: null, place });
    deepEqual(await titles(), []);
    const ofClient = await backend.tokenFor({ role: 'viewer', client_id: home.client_id });
    deepEqual(await titles(ofClient), ['for all']);
  });

  it('asks about now when no time is given, and refuses one that is none', async () => {
    const { json } = await backend.ask(path(''), { token: viewer });
    ok(Math.abs(Date.parse(String(json.data.at)) - backend.now().getTime()) < 60_000);
    for (const query of ['?at=yesterday', '?at=', '?at=2026-11-31T00:00:00Z']) {
      const { status, json: refused } = await backend.ask(path(query), { token: viewer });
      deepEqual([status, refused.error.code], [400, 'invalid_param']);
    }
  });
});
