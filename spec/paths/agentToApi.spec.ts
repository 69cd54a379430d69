import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunningAgent } from '../../agent/main.ts';
import { SimCluster } from '../../sim/cluster.ts';
import type { SimServer } from '../../sim/server.ts';
import { startSimServer } from '../../sim/server.ts';
import { kinds } from '../../wire/kinds/index.ts';
import type { ClusterRow, Row } from '../support/apiReads.ts';
import { inventoryOf, syncedAfter } from '../support/apiReads.ts';
import type { Raw } from '../support/expectations.ts';
import { assertInventory, EXPECTED_RESOURCES } from '../support/expectations.ts';
import type { WholeSystem } from '../support/wholeSystem.ts';
import { startWholeSystem } from '../support/wholeSystem.ts';

const MINUTE_MS = 60_000;

describe('the path from agent to API', function () {
  this.timeout(60_000);
  let system: WholeSystem;
  let cluster: SimCluster;
  let sim: SimServer;
  let api: Awaited<ReturnType<WholeSystem['admin']>>;
  let agent: RunningAgent;

  /** The row of a snapshot whose collection began after now. */
  const synced = (): Promise<ClusterRow> => syncedAfter(api, 'demo', new Date());
  const lister = (resource: string): Promise<readonly Raw[]> =>
    Promise.resolve(cluster.list(resource as 'pods') as unknown as readonly Raw[]);

  before(async () => {
    system = await startWholeSystem();
    cluster = new SimCluster({ argo: true, seed: 7, pods: 120, now: new Date() });
    cluster.live(30 * MINUTE_MS);
    sim = await startSimServer(cluster);
    const kubeconfig = join(system.dir, 'sim.kubeconfig');
    await writeFile(kubeconfig, sim.kubeconfig());
    const { url } = await system.startBackend();
    api = await system.admin(url);
    agent = await system.startAgent({ url, kubeconfig, slug: 'demo' });
  });
  after(async () => {
    await system?.stop();
    await sim?.stop();
  });

  it('answers for every kind exactly what the cluster holds (AG-01, AG-04 to AG-18, AR-01, AR-07)', async () => {
    const { id } = await synced();
    const inventory = await inventoryOf(api, id);
    await assertInventory(inventory, lister);
    const empty = kinds.filter((kind) => inventory[kind.name]?.length === 0);
    assert.deepEqual(
      empty.map((kind) => kind.name),
      [],
      'every kind has objects to compare',
    );
  });

  it('counts on the cluster what the lists hold (IN-22)', async () => {
    const { id, node_count, namespace_count, workload_count } = await synced();
    const { nodes = [], namespaces = [], workloads = [] } = await inventoryOf(api, id);
    assert.deepEqual(
      [node_count, namespace_count, workload_count],
      [nodes.length, namespaces.length, workloads.length],
    );
  });

  it('shows changes and deletions, exactly those, under the same ids (IN-03, IN-04)', async () => {
    const before = await inventoryOf(api, (await synced()).id);
    const versions = versionsOf(cluster);
    const [first, second, third] = cluster.list('deployments').filter((d) => (d.spec.replicas ?? 1) > 0);
    assert.ok(first && second && third);
    const place = (o: typeof first): [string, string] => [o.metadata.namespace ?? '', o.metadata.name];
    cluster.rolloutDeployment(...place(first));
    cluster.scale('deployments', ...place(second), 5);
    cluster.remove('deployments', ...place(third));
    cluster.advance(5 * MINUTE_MS);

    const after = await inventoryOf(api, (await synced()).id);
    await assertInventory(after, lister);
    for (const { name } of kinds) {
      const old = new Map((before[name] ?? []).map((row) => [row.uid, row]));
      for (const row of after[name] ?? []) {
        const was = old.get(row.uid);
        if (was === undefined) continue;
        assert.equal(row.id, was.id, `${name} ${String(row.name)} keeps its id`);
        // Node usage and the counts of nodes and namespaces change without their object.
        if (name === 'nodes' || name === 'namespaces' || name === 'services') continue;
        if (versions.get(row.uid) === versionsOf(cluster).get(row.uid)) assert.deepEqual(row, was);
      }
    }
  });

  it('drops a deleted namespace with everything in it', async () => {
    const { id } = await synced();
    const namespace = String((await inventoryOf(api, id)).workloads?.[0]?.namespace);
    cluster.deleteNamespace(namespace);
    cluster.advance(10 * MINUTE_MS);
    await synced();
    const inventory = await inventoryOf(api, id);
    await assertInventory(inventory, lister);
    const left = Object.values(inventory).flatMap((rows) =>
      rows.filter((row: Row) => row.namespace === namespace),
    );
    assert.deepEqual(left, []);
  });

  it('writes nothing in the thirteen tables when nothing changed (X-53)', async () => {
    await agent.stop();
    // Usage is measured anew at every read; without it the cluster stands still.
    cluster.serves.metrics = false;
    const again = await system.startAgent({
      url: api.url,
      kubeconfig: join(system.dir, 'sim.kubeconfig'),
      slug: 'demo',
    });
    await synced();
    const stamps = async (): Promise<unknown[]> => {
      const all: unknown[] = [];
      for (const { table } of kinds) {
        const { rows } = await system.database.pool.query(
          `select id, xmin::text, synced_at from ${table} order by id`,
        );
        all.push(...rows);
      }
      return all;
    };
    const then = await stamps();
    await synced();
    assert.deepEqual(await stamps(), then);
    await again.stop();
  });

  it('drops what lies in a namespace that is excluded from now on, and no node (AG-20, AG-24, AG-25)', async () => {
    const { rows } = await system.database.pool.query<{ namespace: string }>(
      'select namespace from k8s_pods group by namespace order by count(*) limit 1',
    );
    const namespace = rows[0]?.namespace ?? '';
    assert.notEqual(namespace, '');
    const excluding = await system.startAgent({
      url: api.url,
      kubeconfig: join(system.dir, 'sim.kubeconfig'),
      slug: 'demo',
      env: { PROXIMA_K8S_EXCLUDE_NAMESPACES: namespace },
    });
    const inventory = await inventoryOf(api, (await synced()).id);
    await excluding.stop();
    const { namespaces = [], nodes = [], pods = [] } = inventory;
    assert.ok(pods.length > 0 && namespaces.every(({ name }) => name !== namespace));
    assert.equal(nodes.length, cluster.list('nodes').length);
    const left = Object.values(inventory).flatMap((all) =>
      all.filter((row: Row) => row.namespace === namespace),
    );
    assert.deepEqual(left, []);
  });

  it('leaves the hosts table alone (EN-07)', async () => {
    const { rows } = await system.database.pool.query('select count(*)::int as hosts from hosts');
    assert.deepEqual(rows, [{ hosts: 0 }]);
  });

  it('never sends a value of the environment, an argument or a copy of the manifest (AG-19, AG-30, SF-17)', async () => {
    const templates = (['deployments', 'statefulsets', 'jobs'] as const).flatMap((resource) =>
      cluster.list(resource).map((object) => object.spec.template?.spec),
    );
    const containers = templates.flatMap((spec) => [
      ...(spec?.containers ?? []),
      ...(spec?.initContainers ?? []),
    ]) as readonly { env?: readonly { value?: string }[]; command?: string[]; args?: string[] }[];
    const values = containers.flatMap((container) => [
      ...(container.env ?? []).map(({ value = '' }) => value),
      ...(container.command ?? []),
      ...(container.args ?? []),
    ]);
    // Shorter ones are words that stand elsewhere too.
    const telling = new Set(values.filter((value) => value.length > 8));
    assert.ok(telling.size > 3);
    for (const { table } of kinds) {
      const { rows } = await system.database.pool.query<{ text: string }>(
        `select t::text as text from ${table} t`,
      );
      for (const { text } of rows) {
        for (const value of telling) assert.ok(!text.includes(value), `${table}: ${value}`);
        assert.ok(!text.includes('last-applied-configuration'), table);
      }
    }
    assert.ok(sim.requests.every(({ path }) => !/\/(secrets|configmaps)\b/.test(path)));
  });
});

/** uid to resourceVersion of everything in the cluster. */
function versionsOf(cluster: SimCluster): Map<unknown, unknown> {
  return new Map(
    EXPECTED_RESOURCES.flatMap((resource) =>
      cluster.list(resource as 'pods').map((o) => [o.metadata.uid, o.metadata.resourceVersion] as const),
    ),
  );
}
