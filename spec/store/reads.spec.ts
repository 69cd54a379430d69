import { deepEqual, equal, ok } from 'node:assert/strict';
import { syncCluster } from '../../actors/syncCluster.ts';
import type { EnrolledAgent } from '../../store/agents.ts';
import { acceptClusterUid } from '../../store/clusterSync.ts';
import type { ClusterFilter } from '../../store/clusters.ts';
import { getCluster, listClusters } from '../../store/clusters.ts';
import { getObject, listAll, listWindow } from '../../store/inventory/read.ts';
import type { Scope } from '../../store/scope.ts';
import { mintClusterInScope, mintScopeFilter } from '../../store/scope.ts';
import { markStale, markStaleClusters } from '../../store/staleness.ts';
import { recordKey } from '../../wire/inventory.ts';
import { kinds } from '../../wire/kinds/index.ts';
import type { Snapshot } from '../../wire/snapshot.ts';
import { enrollAgent, snapshotOf } from '../support/enrolled.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { freshDatabase } from '../support/postgres.ts';

const everything: Scope = { everything: true, clientIds: [], environmentIds: [] };
const noFilter: ClusterFilter = { client_id: null, environment_id: null, status: null, search: null };

describe('reads of the store', () => {
  let database: FreshDatabase;
  let agents: EnrolledAgent[];
  let snapshot: Snapshot;
  let clusterId: string;

  async function sync(agent: EnrolledAgent, sent: Snapshot): Promise<string> {
    const input = { agent, snapshot: sent, folded: 0, publishedAt: new Date() };
    const outcome = await syncCluster(database.pool, input, { now: () => new Date(), timeoutMs: 10_000 });
    ok(outcome.outcome === 'stored');
    return outcome.clusterId;
  }

  before(async () => {
    database = await freshDatabase();
    agents = [
      await enrollAgent(database.pool, { slug: 'k8s-prod-01' }),
      await enrollAgent(database.pool, { slug: 'k8s-stage', environment: 'stage' }),
      await enrollAgent(database.pool, { slug: 'K8S-other', client: 'globex' }),
    ];
    const [first, ...rest] = agents;
    ok(first);
    snapshot = snapshotOf(first, 0, { pods: 130, events: 20 });
    clusterId = await sync(first, snapshot);
    for (const agent of rest) await sync(agent, snapshotOf(agent, 0, { pods: 1, events: 1 }));
  });
  after(() => database.drop());

  const inScope = () => {
    const [agent] = agents;
    ok(agent);
    const { client_id, environment_id } = agent;
    return mintClusterInScope({ id: clusterId, client_id, environment_id });
  };

  const ofPage = (page: number) => ({
    filters: {},
    labels: null,
    search: null,
    sort: null,
    window: { page, perPage: 50 },
  });

  for (const kind of kinds) {
    it(`lists ${kind.name} as they were sent, in the order of the kind, numbers as numbers (X-50)`, async () => {
      const rows = await listAll(database.pool, inScope(), kind);
      const sent = (snapshot.data as unknown as Record<string, Record<string, unknown>[]>)[kind.name] ?? [];
      equal(rows.length, sent.length);
      const orderOf = (row: Readonly<Record<string, unknown>>) =>
        kind.order.map((column) => row[column]).join('\0');
      const listed = rows.map(orderOf);
      deepEqual(listed, [...listed].sort());
      const byKey = new Map(rows.map((row) => [recordKey(kind, row), row]));
      for (const record of sent) {
        const row = byKey.get(recordKey(kind, record));
        ok(row);
        const { spec_facts: _, ...fields } = record;
        for (const [column, value] of Object.entries(fields)) {
          const time = kind.fields[column as keyof typeof kind.fields] as { column: string };
          const expected =
            time.column === 'timestamptz' && typeof value === 'string' ? value.replace('.000Z', 'Z') : value;
          deepEqual(row[column], expected, `${kind.name} ${column}`);
        }
      }
      deepEqual(JSON.parse(JSON.stringify(rows)), rows);
    });
  }

  it('meets each pod once over all pages, and counts the whole list on each', async () => {
    const [kind] = kinds.filter(({ name }) => name === 'pods');
    ok(kind);
    const names = new Set<unknown>();
    for (let page = 1; page <= 3; page += 1) {
      const { rows, total } = await listWindow(database.pool, inScope(), kind, ofPage(page));
      equal(total, 130);
      for (const row of rows) names.add(row.name);
    }
    equal(names.size, 130);
    deepEqual(await listWindow(database.pool, inScope(), kind, ofPage(4)), {
      rows: [],
      total: 130,
      nextCursor: null,
    });
  });

  it('gets one object by id, and none of another cluster', async () => {
    const [nodes] = kinds;
    const rows = await listAll(database.pool, inScope(), nodes);
    const id = String(rows[0]?.id);
    deepEqual(await getObject(database.pool, inScope(), nodes, id), rows[0]);
    const other = { ...inScope(), id: '00000000-0000-4000-8000-000000000000' };
    equal(await getObject(database.pool, other, nodes, id), null);
  });

  const slugs = async (scope: Scope, filter: Partial<ClusterFilter> = {}) => {
    const page = { page: 1, perPage: 20 };
    const found = await listClusters(database.pool, mintScopeFilter(scope), { ...noFilter, ...filter }, page);
    equal(found.total, found.rows.length);
    return found.rows.map((row) => row.slug);
  };

  it('lists the clusters of the scope only', async () => {
    const [acme, , globex] = agents;
    ok(acme && globex);
    deepEqual(await slugs(everything), ['K8S-other', 'k8s-prod-01', 'k8s-stage']);
    deepEqual(await slugs({ ...everything, everything: false }), []);
    const scoped = (clientIds: string[], environmentIds: string[]) => ({
      everything: false,
      clientIds,
      environmentIds,
    });
    deepEqual(await slugs(scoped([acme.client_id], [])), ['k8s-prod-01', 'k8s-stage']);
    deepEqual(await slugs(scoped([], [acme.environment_id])), ['k8s-prod-01']);
    deepEqual(await slugs(scoped([globex.client_id], [acme.environment_id])), ['K8S-other', 'k8s-prod-01']);
  });

  it('narrows the cluster list by each filter (AP-02)', async () => {
    const [acme] = agents;
    ok(acme);
    deepEqual(await slugs(everything, { client_id: acme.client_id }), ['k8s-prod-01', 'k8s-stage']);
    deepEqual(await slugs(everything, { environment_id: acme.environment_id }), ['k8s-prod-01']);
    deepEqual(await slugs(everything, { status: 'healthy' }), ['K8S-other', 'k8s-prod-01', 'k8s-stage']);
    deepEqual(await slugs(everything, { status: 'degraded' }), []);
    deepEqual(await slugs(everything, { search: 'PROD' }), ['k8s-prod-01']);
    deepEqual(await slugs(everything, { search: 'k8s-OTHER' }), ['K8S-other']);
    deepEqual(await slugs(everything, { search: '%' }), []);
  });

  it('answers a cluster with every column of its table (AP-07)', async () => {
    const row = await getCluster(database.pool, clusterId);
    ok(row);
    const { rows } = await database.pool.query<{ name: string }>(
      `select column_name as name from information_schema.columns where table_name = 'clusters' and table_schema = 'public'`,
    );
    deepEqual(Object.keys(row).sort(), rows.map(({ name }) => name).sort());
    equal(row.snapshot_at, '2026-11-30T12:00:00Z');
    equal(await getCluster(database.pool, '00000000-0000-4000-8000-000000000000'), null);
  });

  it('has the indexes that the requirements name (SC-04, SC-08, SC-10, SC-15, SC-19, U-17, U-20)', async () => {
    const { rows } = await database.pool.query<{ definition: string }>(
      `select regexp_replace(indexdef, '^CREATE (UNIQUE )?INDEX (\\w+) ON public\\.', '\\1') as definition
       from pg_indexes where schemaname = 'public'`,
    );
    const definitions = new Set(rows.map((row) => row.definition));
    for (const expected of [
      ...['client_id', 'environment_id', 'asset_id', 'status', 'agent_status', 'last_seen_at'].map(
        (column) => `clusters USING btree (${column})`,
      ),
      'UNIQUE clusters USING btree (environment_id, slug)',
      ...['cluster_id', 'host_id', 'status'].map((column) => `k8s_nodes USING btree (${column})`),
      'UNIQUE k8s_nodes USING btree (cluster_id, name)',
      'UNIQUE k8s_nodes USING btree (cluster_id, uid)',
      'k8s_namespaces USING btree (cluster_id)',
      'k8s_namespaces USING gin (labels)',
      'UNIQUE k8s_namespaces USING btree (cluster_id, name)',
      ...['cluster_id', 'namespace_id', 'kind'].map((column) => `k8s_workloads USING btree (${column})`),
      'k8s_workloads USING gin (labels)',
      'k8s_workloads USING btree (helm_release) WHERE (helm_release IS NOT NULL)',
      'UNIQUE k8s_workloads USING btree (cluster_id, kind, namespace, name)',
      'change_events USING btree (client_id, COALESCE(scanned_at, created_at))',
    ]) {
      ok(definitions.has(expected), expected);
    }
    const { rows: names } = await database.pool.query<{ name: string }>(
      'select indexname as name from pg_indexes',
    );
    const all = new Set(names.map(({ name }) => name));
    for (const name of [
      'idx_change_events_client_effective',
      'idx_change_events_source',
      'idx_alert_groups_status',
      'idx_alert_groups_client',
    ]) {
      ok(all.has(name), name);
    }
  });

  it('marks a silent cluster disconnected, once, and changes nothing else of it (ST-01, ST-02)', async () => {
    const before = await getCluster(database.pool, clusterId);
    const then = new Date('2026-11-30T11:00:00Z');
    const later = new Date('2026-11-30T12:15:01Z');
    deepEqual(await markStale(database.pool, clusterId, then), { status: 'connected', changed: false });
    deepEqual(await markStale(database.pool, clusterId, later), { status: 'disconnected', changed: true });
    deepEqual(await markStale(database.pool, clusterId, later), { status: 'disconnected', changed: false });
    const others = (await markStaleClusters(database.pool, later)).map(({ id }) => id);
    ok(!others.includes(clusterId));
    const after = await getCluster(database.pool, clusterId);
    ok(before && after);
    deepEqual({ ...after, updated_at: '' }, { ...before, agent_status: 'disconnected', updated_at: '' });
  });

  it('takes a rebuilt cluster after its uid was accepted, whatever the stamp of the old one', async () => {
    const [first] = agents;
    ok(first);
    equal(await acceptClusterUid(database.pool, clusterId, 'rebuilt'), true);
    const rebuilt = await enrollAgent(database.pool, {
      slug: first.cluster_slug,
      uid: 'rebuilt',
      name: 'agent-1',
    });
    equal(await sync(rebuilt, snapshotOf(rebuilt, -60, { pods: 1, events: 0 })), clusterId);
    equal((await getCluster(database.pool, clusterId))?.uid, 'rebuilt');
  });
});
