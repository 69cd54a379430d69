import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Collected } from '../../agent/collect/index.ts';
import { createCollector } from '../../agent/collect/index.ts';
import { openKubeAccess } from '../../agent/kubeAccess.ts';
import { createKubeApi } from '../../agent/kubeApi.ts';
import type { CoveredResource } from '../../wire/coverage.ts';
import { COVERED_RESOURCES } from '../../wire/coverage.ts';
import { temporaryFolder } from '../agent/scripted.ts';
import type { ControlPlane } from '../support/kubernetes.ts';
import { clusterKubeconfig, startControlPlane } from '../support/kubernetes.ts';

const root = join(import.meta.dirname, '../..');
const NAMESPACE = 'proxima-system';

interface Rule {
  readonly apiGroups: string[];
  readonly resources: string[];
  readonly verbs: string[];
}

const shipped = parse(readFileSync(join(root, 'deploy/k8s/cluster-agent/clusterrole.yaml'), 'utf8')) as {
  rules: Rule[];
};

/** Resource and API group of each coverage entry. */
const GRANTED: Readonly<Record<CoveredResource, readonly [group: string, resource: string]>> = {
  nodes: ['', 'nodes'],
  node_metrics: ['metrics.k8s.io', 'nodes'],
  namespaces: ['', 'namespaces'],
  deployments: ['apps', 'deployments'],
  statefulsets: ['apps', 'statefulsets'],
  daemonsets: ['apps', 'daemonsets'],
  rollouts: ['argoproj.io', 'rollouts'],
  replicasets: ['apps', 'replicasets'],
  pods: ['', 'pods'],
  services: ['', 'services'],
  ingresses: ['networking.k8s.io', 'ingresses'],
  persistentvolumeclaims: ['', 'persistentvolumeclaims'],
  events: ['', 'events'],
  jobs: ['batch', 'jobs'],
  cronjobs: ['batch', 'cronjobs'],
  horizontalpodautoscalers: ['autoscaling', 'horizontalpodautoscalers'],
  networkpolicies: ['networking.k8s.io', 'networkpolicies'],
  resourcequotas: ['', 'resourcequotas'],
  endpointslices: ['discovery.k8s.io', 'endpointslices'],
  applications: ['argoproj.io', 'applications'],
};

/** The shipped rules without one resource. */
const rulesWithout = ([group, resource]: readonly [string, string]): Rule[] =>
  shipped.rules
    .map((rule) =>
      rule.apiGroups.includes(group)
        ? { ...rule, resources: rule.resources.filter((name) => name !== resource) }
        : rule,
    )
    .filter(({ resources }) => resources.length > 0);

const accountFor = (resource: string): string => `without-${resource.replaceAll('_', '-')}`;

/** An account with the shipped ClusterRole but for one resource, as three objects. */
function grants(resource: CoveredResource): object[] {
  const name = accountFor(resource);
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: NAMESPACE } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name },
      rules: rulesWithout(GRANTED[resource]),
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace: NAMESPACE }],
    },
  ];
}

describe('collecting a real cluster', function () {
  this.timeout(240_000);
  let kube: ControlPlane;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;

  const start = async (flags: readonly string[]): Promise<ControlPlane> => {
    const started = await startControlPlane(flags);
    for (const name of ['namespace', 'serviceaccount', 'clusterrole', 'clusterrolebinding']) {
      await started.kubectl(['apply', '-f', join(root, `deploy/k8s/cluster-agent/${name}.yaml`)]);
    }
    return started;
  };
  /** One cycle as this ServiceAccount; what was warned of comes along. */
  async function collectAs(
    at: ControlPlane,
    account: string,
  ): Promise<Collected & { warned: { resource: unknown; message: string }[] }> {
    const token = await at.kubectl(['-n', NAMESPACE, 'create', 'token', account]);
    const path = join(folder.path, `${account}.kubeconfig`);
    await writeFile(path, clusterKubeconfig(at, token.trim()), { mode: 0o600 });
    const access = await openKubeAccess(path);
    const warned: { resource: unknown; message: string }[] = [];
    try {
      const collector = createCollector(createKubeApi(access, 'proxima-agent/spec'), {
        clusterName: 'Real',
        clusterSlug: 'real',
        excludedNamespaces: new Set(),
        podLimit: 5000,
        syncIntervalSeconds: 300,
        inClusterNames: [],
        log: {
          warn: (fields, message) =>
            void warned.push({ resource: (fields as { resource?: unknown }).resource, message }),
        },
      });
      return { ...(await collector.collect(AbortSignal.timeout(60_000))), warned };
    } finally {
      access.close();
    }
  }
  const states = ({ coverage }: Collected): Record<string, string> =>
    Object.fromEntries(
      Object.entries(coverage).flatMap(([resource, { state }]) =>
        state === 'complete' ? [] : [[resource, state]],
      ),
    );

  before(async () => {
    folder = await temporaryFolder();
    kube = await start(['--nodes', '2', '--metrics']);
    await kube.kubectl(['apply', '-f', join(root, 'spec/fixtures/namespace-shop-everyKind.yaml')]);
    const items = COVERED_RESOURCES.flatMap(grants);
    await kube.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    await kube.kubectl(['-n', 'shop', 'rollout', 'status', 'deployment/api', '--timeout=60s']);
  });
  after(async () => {
    await kube?.stop();
    await folder.remove();
  });

  it('reads everything with the ClusterRole that we ship, and warns of nothing', async () => {
    for (let attempt = 1; ; attempt += 1) {
      const collected = await collectAs(kube, 'proxima-cluster-agent');
      // metrics-server needs a moment until it has figures.
      if (attempt < 30 && states(collected).node_metrics !== undefined) continue;
      deepEqual([states(collected), collected.warned], [{}, []]);
      ok(collected.data.nodes.length > 0 && collected.data.pods.length > 0);
      return;
    }
  });

  for (const resource of COVERED_RESOURCES) {
    it(`says that ${resource} are forbidden where the ClusterRole lacks them, and reads the rest whole`, async () => {
      const collected = await collectAs(kube, accountFor(resource));
      deepEqual(states(collected), { [resource]: 'forbidden' });
      deepEqual(
        collected.warned.map((warning) => warning.resource),
        [resource],
      );
      equal(collected.coverage[resource]?.sent, 0);
      if (resource !== 'pods') ok(collected.data.pods.length > 0);
      if (resource === 'applications') equal(collected.data.argocd?.state, 'forbidden');
    });
  }

  it('finds no Argo where none is installed, in silence (AR-03, AA-02)', async () => {
    const bare = await start(['--nodes', '1', '--no-argo']);
    try {
      const collected = await collectAs(bare, 'proxima-cluster-agent');
      deepEqual(states(collected), { rollouts: 'absent', applications: 'absent', node_metrics: 'absent' });
      equal(collected.data.argocd?.state, 'crd_absent');
      deepEqual(collected.warned, []);
    } finally {
      await bare.stop();
    }
  });
});
