import { deepEqual, equal } from 'node:assert/strict';
import type { BackendUnderTest, PlaceIds } from './backendUnderTest.ts';
import { startBackend } from './backendUnderTest.ts';

const CLUSTERS = '/api/v1/clusters';

describe('cluster lists', () => {
  let backend: BackendUnderTest;
  let prod: PlaceIds;
  let staging: PlaceIds;
  let other: PlaceIds;
  let everyone: string;

  before(async () => {
    backend = await startBackend();
    prod = await backend.place('acme', 'prod');
    staging = await backend.place('acme', 'staging');
    other = await backend.place('globex', 'prod');
    for (const [place, count] of [
      [prod, 250],
      [staging, 3],
      [other, 2],
    ] as const) {
      await backend.pool.query(
        `with a as (
           insert into assets (client_id, environment_id, asset_type, name, status)
           select $1, $2, 'cluster', 'k' || n, 'active' from generate_series(1, $3::integer) n returning id, name)
         insert into clusters (asset_id, client_id, environment_id, name, display_name, slug, status)
         select id, $1, $2, name, name, name, case when name = 'k1' then 'degraded' else 'healthy' end from a`,
        [place.client_id, place.environment_id, count],
      );
    }
    everyone = await backend.tokenFor({ role: 'viewer' });
  });
  after(() => backend.stop());

  const list = async (path: string, token = everyone) => {
    const { status, json } = await backend.ask(path, { token });
    equal(status, 200);
    return json;
  };

  it('returns each of 250 clusters exactly once to a loop over the pages (AP-05)', async () => {
    const path = `/api/v1/environments/${prod.environment_id}/clusters?per_page=60`;
    const seen: unknown[] = [];
    for (let page = 1; ; page += 1) {
      const { data, meta } = await list(`${path}&page=${page}`);
      deepEqual(Object.keys(meta).sort(), ['page', 'per_page', 'total']);
      seen.push(...data.map((row) => row.id));
      if (page * Number(meta.per_page) >= Number(meta.total)) break;
    }
    equal(seen.length, 250);
    equal(new Set(seen).size, 250);
  });

  it('pages by 20 and clamps per_page to 100, echoing the clamped one (AP-04)', async () => {
    deepEqual((await list(CLUSTERS)).meta, { total: 255, page: 1, per_page: 20 });
    const { data, meta } = await list(`${CLUSTERS}?per_page=500`);
    deepEqual(meta, { total: 255, page: 1, per_page: 100 });
    equal(data.length, 100);
    deepEqual((await list(`${CLUSTERS}?page=99`)).data, []);
    deepEqual((await list(`${CLUSTERS}?page=99999999999999999999999`)).data, []);
  });

  for (const query of [
    'page=0',
    'page=-1',
    'page=x',
    'page=1.5',
    'page=',
    'per_page=0',
    'page=1&page=2',
    'client_id=1',
    'environment_id=',
  ]) {
    it(`refuses ?${query} as invalid_param`, async () => {
      const { status, json } = await backend.ask(`${CLUSTERS}?${query}`, { token: everyone });
      equal(status, 400);
      equal(json.error.code, 'invalid_param');
      equal(json.error.details?.parameter, query.split('=')[0]);
    });
  }

  it('ignores a parameter that it does not know (X-16)', async () => {
    equal((await list(`${CLUSTERS}?colour=blue`)).meta.total, 255);
  });

  it('filters by client, environment, status and part of the name in any case (AP-02)', async () => {
    equal((await list(`${CLUSTERS}?client_id=${prod.client_id}`)).meta.total, 253);
    equal((await list(`${CLUSTERS}?environment_id=${staging.environment_id}`)).meta.total, 3);
    equal((await list(`${CLUSTERS}?status=degraded`)).meta.total, 3);
    equal((await list(`${CLUSTERS}?status=nonsense`)).meta.total, 0);
    equal((await list(`${CLUSTERS}?search=K25`)).meta.total, 2);
    equal((await list(`${CLUSTERS}?search=${encodeURIComponent('k%')}`)).meta.total, 0);
    equal((await list(`${CLUSTERS}?search=K2&environment_id=${other.environment_id}`)).meta.total, 1);
  });

  it("shows a client's and an environment's clusters under their own paths (AP-43)", async () => {
    equal((await list(`/api/v1/clients/${prod.client_id}/clusters`)).meta.total, 253);
    equal((await list(`/api/v1/environments/${staging.environment_id}/clusters`)).meta.total, 3);
  });

  it('gives an environment grant that environment and never its client (AU-03)', async () => {
    const token = await backend.tokenFor({ role: 'viewer', ...staging });
    equal((await list(CLUSTERS, token)).meta.total, 3);
    equal((await list(`/api/v1/clients/${prod.client_id}/clusters`, token)).meta.total, 3);
    equal((await list(`${CLUSTERS}?environment_id=${prod.environment_id}`, token)).meta.total, 0);
    equal((await backend.ask(`/api/v1/environments/${prod.environment_id}/clusters`, { token })).status, 404);
  });

  it('adds up grants on different scopes', async () => {
    const token = await backend.tokenFor(
      { role: 'viewer', ...staging },
      { role: 'operator', client_id: other.client_id },
    );
    equal((await list(CLUSTERS, token)).meta.total, 5);
  });

  it('narrows a client path to that client, and refuses a foreign one (AU-04)', async () => {
    const token = await backend.tokenFor({ role: 'viewer', client_id: other.client_id });
    equal((await list(`/api/v1/clients/${other.client_id}/clusters`, token)).meta.total, 2);
    equal((await backend.ask(`/api/v1/clients/${prod.client_id}/clusters`, { token })).status, 404);
  });

  it('lists the fields of the sample and whether the agent is there (AP-06, X-32)', async () => {
    const [item] = (await list(CLUSTERS)).data;
    deepEqual(Object.keys(item ?? {}).sort(), [
      'agent_status',
      'agent_version',
      'asset_id',
      'client_id',
      'display_name',
      'environment_id',
      'id',
      'last_seen_at',
      'name',
      'namespace_count',
      'node_count',
      'platform',
      'slug',
      'status',
      'version',
      'workload_count',
    ]);
  });

  it('gives a cluster with every column of its table (AP-07)', async () => {
    const [item] = (await list(CLUSTERS)).data;
    const { json } = await backend.ask(`${CLUSTERS}/${item?.id}`, { token: everyone });
    const { rows } = await backend.pool.query<{ name: string }>(
      `select column_name as name from information_schema.columns where table_name = 'clusters' order by 1`,
    );
    deepEqual(Object.keys(json.data).sort(), rows.map((row) => row.name).sort());
  });
});
