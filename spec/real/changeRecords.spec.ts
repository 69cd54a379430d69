import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncedAfter } from '../support/apiReads.ts';
import type { ControlPlane } from '../support/kubernetes.ts';
import { clusterKubeconfig, startControlPlane } from '../support/kubernetes.ts';
import type { WholeSystem } from '../support/wholeSystem.ts';
import { startWholeSystem } from '../support/wholeSystem.ts';

const root = join(import.meta.dirname, '../..');
const MANIFESTS = ['namespace', 'serviceaccount', 'clusterrole', 'clusterrolebinding'];
const FIXTURE = join(root, 'spec/fixtures/namespace-records-twoDeployments.yaml');

describe('change records of a real control plane', function () {
  this.timeout(240_000);
  let kube: ControlPlane;
  let system: WholeSystem;
  let api: Awaited<ReturnType<WholeSystem['admin']>>;
  /** Summaries seen so far. */
  let seen = 0;

  const kubectl = (...args: string[]) => kube.kubectl(['-n', 'records', ...args]);

  /** Waits for a snapshot that was taken after now; answers the summaries that are new since the last call. */
  async function recorded(): Promise<string[]> {
    await syncedAfter(api, 'records', new Date(), 60_000);
    const { rows } = await system.database.pool.query<{ summary: string }>(
      `select summary from change_events where details->>'namespace' = 'records' order by scanned_at, summary`,
    );
    const added = rows.slice(seen).map(({ summary }) => summary);
    seen = rows.length;
    return added;
  }

  before(async () => {
    [kube, system] = await Promise.all([startControlPlane(['--nodes', '1']), startWholeSystem()]);
    for (const name of MANIFESTS) {
      await kube.kubectl(['apply', '-f', join(root, `deploy/k8s/cluster-agent/${name}.yaml`)]);
    }
    await kube.kubectl(['apply', '-f', FIXTURE]);
    const token = await kube.kubectl(['-n', 'proxima-system', 'create', 'token', 'proxima-cluster-agent']);
    const kubeconfig = join(system.dir, 'agent.kubeconfig');
    await writeFile(kubeconfig, clusterKubeconfig(kube, token.trim()), { mode: 0o600 });
    const { url } = await system.startBackend();
    api = await system.admin(url);
    await system.startAgent({ url, kubeconfig, slug: 'records' });
  });
  after(async () => {
    await Promise.all([system?.stop(), kube?.stop()]);
  });

  it('begin with nothing (CH-27)', async () => {
    assert.deepEqual(await recorded(), []);
  });

  it('tell an image bump, once for all its pods (CH-17, CH-40)', async () => {
    await kubectl('set', 'image', 'deployment/api', 'api=registry.example/shop/api:2.0.0');
    await kubectl('rollout', 'status', 'deployment/api', '--timeout=60s');
    assert.deepEqual(await recorded(), ['Deployment records/api: image api 1.0.0 → 2.0.0']);
  });

  it('tell an edit of the configuration by its names (CH-18, CH-19)', async () => {
    await kubectl('set', 'env', 'deployment/api', 'LOG_LEVEL=debug');
    assert.deepEqual(await recorded(), ['Deployment records/api: env LOG_LEVEL added']);
    await kubectl('set', 'resources', 'deployment/api', '--limits=memory=768Mi');
    assert.deepEqual(await recorded(), ['Deployment records/api: memory limit 1Gi → 768Mi']);
  });

  it('tell a scale by hand (CH-09)', async () => {
    await kubectl('scale', 'deployment/api', '--replicas=1');
    assert.deepEqual(await recorded(), ['Deployment records/api scaled 2 → 1']);
  });

  it('say nothing of what an HPA scales (CH-24)', async () => {
    await kubectl('patch', 'hpa/web', '--type=merge', '-p', '{"spec":{"minReplicas":2}}');
    await kubectl('wait', 'deployment/web', '--for=jsonpath={.spec.replicas}=2', '--timeout=60s');
    assert.deepEqual(await recorded(), []);
    const { rows } = await system.database.pool.query(
      `select spec_facts->'replicas' as replicas from k8s_workloads where name = 'web'`,
    );
    assert.deepEqual(rows, [{ replicas: 2 }]);
  });

  it('tell a rollback', async () => {
    await kubectl('rollout', 'undo', 'deployment/api');
    assert.deepEqual(await recorded(), ['Deployment records/api: memory limit 768Mi → 1Gi']);
  });

  it('tell an edit of a NetworkPolicy (CH-39)', async () => {
    const ingress = [{ from: [{ podSelector: { matchLabels: { app: 'web' } } }], ports: [{ port: 80 }] }];
    await kubectl('patch', 'networkpolicy/api', '--type=merge', '-p', JSON.stringify({ spec: { ingress } }));
    assert.deepEqual(await recorded(), [
      'NetworkPolicy records/api: ingress rules 0 → 1; ingress rule pods app=web: TCP/80 added',
    ]);
  });

  it('say nothing of a workload that is deleted and made anew (CH-36)', async () => {
    await kubectl('delete', 'deployment/api');
    assert.deepEqual(await recorded(), []);
    await kube.kubectl(['apply', '-f', '-'], await readFile(FIXTURE, 'utf8'));
    assert.deepEqual(await recorded(), []);
  });
});
