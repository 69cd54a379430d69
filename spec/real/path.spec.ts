import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterRow } from '../support/apiReads.ts';
import { inventoryOf, syncedAfter } from '../support/apiReads.ts';
import type { Raw } from '../support/expectations.ts';
import { assertInventory, at } from '../support/expectations.ts';
import type { ControlPlane } from '../support/kubernetes.ts';
import { clusterKubeconfig, startControlPlane } from '../support/kubernetes.ts';
import type { WholeSystem } from '../support/wholeSystem.ts';
import { startWholeSystem } from '../support/wholeSystem.ts';

const root = join(import.meta.dirname, '../..');
const MANIFESTS = ['namespace', 'serviceaccount', 'clusterrole', 'clusterrolebinding'];
const ACCOUNT = 'system:serviceaccount:proxima-system:proxima-cluster-agent';

describe('the path against a real control plane', function () {
  this.timeout(240_000);
  let kube: ControlPlane;
  let system: WholeSystem;
  let api: Awaited<ReturnType<WholeSystem['admin']>>;

  /** Waits until `args` is true of the cluster, then for a snapshot taken after that. */
  async function settled(...args: string[]): Promise<ClusterRow> {
    if (args.length > 0) await kube.kubectl([...args, '--timeout=60s']);
    return syncedAfter(api, 'real', new Date(), 60_000);
  }

  /**
   * The API equals what kubectl says. Controllers keep writing for a while, so a difference is looked at again with a
   * newer snapshot; the last one decides.
   */
  async function assertEqual(clusterId: string): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const lister = async (resource: string) =>
          (await kube.get<{ items: Raw[] }>(resource, '--all-namespaces')).items;
        return await assertInventory(await inventoryOf(api, clusterId), lister);
      } catch (error) {
        if (attempt === 12 || !(error instanceof assert.AssertionError)) throw error;
        await syncedAfter(api, 'real', new Date(), 60_000);
      }
    }
  }

  before(async () => {
    [kube, system] = await Promise.all([
      startControlPlane(['--nodes', '3', '--metrics']),
      startWholeSystem(),
    ]);
    for (const name of MANIFESTS) {
      await kube.kubectl(['apply', '-f', join(root, `deploy/k8s/cluster-agent/${name}.yaml`)]);
    }
    await kube.kubectl(['apply', '-f', join(root, 'spec/fixtures/namespace-shop-everyKind.yaml')]);
    const token = await kube.kubectl(['-n', 'proxima-system', 'create', 'token', 'proxima-cluster-agent']);
    const kubeconfig = join(system.dir, 'agent.kubeconfig');
    await writeFile(kubeconfig, clusterKubeconfig(kube, token.trim()), { mode: 0o600 });
    const { url } = await system.startBackend();
    api = await system.admin(url);
    await system.startAgent({ url, kubeconfig, slug: 'real' });
  });
  after(async () => {
    await Promise.all([system?.stop(), kube?.stop()]);
  });

  it('answers for every kind what kubectl says', async () => {
    const cluster = await settled('-n', 'shop', 'rollout', 'status', 'deployment/api');
    await assertEqual(cluster.id);
    const { items } = await kube.get<{ items: Raw[] }>('nodes');
    assert.equal((await settled()).node_count, items.length);
  });

  it('knows the cluster by the uid of kube-system and the version that the server reports', async () => {
    const cluster = await api.get<Raw>(`/api/v1/clusters/${(await settled()).id}`);
    assert.equal(cluster.uid, at(await kube.get<Raw>('namespace', 'kube-system'), 'metadata.uid'));
    assert.match(String(cluster.version), /^v1\.37\./);
    assert.equal(cluster.status, 'healthy');
  });

  it('sums requests as the scheduler does and links pods through ReplicaSets (AG-33)', async () => {
    const { id } = await settled();
    const { pods = [] } = await inventoryOf(api, id);
    const mine = pods.filter((pod) => pod.workload === 'api' && pod.namespace === 'shop');
    assert.equal(mine.length, 3);
    for (const pod of mine) {
      assert.equal(pod.workload_kind, 'Deployment');
      assert.equal(pod.cpu_requests_millicores, 250);
      assert.equal(pod.memory_requests_bytes, 128 * 1024 ** 2);
      assert.equal(pod.memory_limits_bytes, 512 * 1024 ** 2);
    }
  });

  it('takes node usage from metrics-server (AG-06)', async () => {
    for (let attempt = 1; ; attempt += 1) {
      const { nodes = [] } = await inventoryOf(api, (await settled()).id);
      if (nodes.length > 0 && nodes.every((node) => Number(node.usage_memory_bytes) > 0)) break;
      assert.ok(attempt < 60, 'no usage was reported within a minute');
    }
  });

  it('shows a rollout', async () => {
    await kube.kubectl(['-n', 'shop', 'set', 'image', 'deployment/api', 'api=registry.example/api:2.0.0']);
    const { id } = await settled('-n', 'shop', 'rollout', 'status', 'deployment/api');
    await assertEqual(id);
    const { workloads = [] } = await inventoryOf(api, id);
    const row = workloads.find((w) => w.name === 'api' && w.kind === 'Deployment');
    const containers = (row?.containers ?? []) as Raw[];
    assert.deepEqual(
      containers.filter((c) => c.role === 'main').map((c) => c.image),
      ['registry.example/api:2.0.0'],
    );
  });

  it('shows a scale-down', async () => {
    await kube.kubectl(['-n', 'shop', 'scale', 'deployment/api', '--replicas=1']);
    await assertEqual((await settled('-n', 'shop', 'rollout', 'status', 'deployment/api')).id);
  });

  it('drops everything of a deleted namespace, and nothing else', async () => {
    await kube.kubectl(['delete', 'namespace', 'shop', '--timeout=90s']);
    const { id } = await settled();
    await assertEqual(id);
    const inventory = await inventoryOf(api, id);
    const left = Object.values(inventory).flatMap((rows) => rows.filter((row) => row.namespace === 'shop'));
    // An event may outlive its namespace for a moment only; the comparison above has waited for that.
    assert.deepEqual(left, []);
    assert.ok((inventory.namespaces ?? []).some((row) => row.name === 'kube-system'));
  });

  it('needs exactly the rights of the ClusterRole that we ship', async () => {
    // kubectl exits 1 with its "no".
    const may = (...what: string[]): Promise<string> =>
      kube.kubectl(['auth', 'can-i', ...what, '--as', ACCOUNT, '--all-namespaces']).then(
        (said) => said.trim(),
        (error: { stdout?: string }) => error.stdout?.trim() ?? '',
      );
    assert.equal(await may('list', 'pods'), 'yes');
    for (const what of [
      ['get', 'secrets'],
      ['list', 'configmaps'],
      ['create', 'pods'],
      ['delete', 'deployments.apps'],
      ['get', 'pods', '--subresource=log'],
      ['get', 'applications.argoproj.io'],
    ]) {
      assert.equal(await may(...what), 'no', what.join(' '));
    }
  });
});
