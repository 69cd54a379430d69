import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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

/** Objects of Argo's kinds; the Application's secrets stay in the cluster. */
const ARGO_OBJECTS = [
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: { namespace: 'shop', name: 'checkout' },
    spec: {
      selector: { matchLabels: { app: 'checkout' } },
      strategy: { canary: {} },
      template: {
        metadata: { labels: { app: 'checkout' } },
        spec: {
          containers: [
            { name: 'main', image: 'shop/checkout:1', env: [{ name: 'TOKEN', value: 'planted-secret' }] },
          ],
        },
      },
    },
  },
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { namespace: 'shop', name: 'shop' },
    spec: {
      project: 'default',
      destination: { name: 'production', namespace: 'shop' },
      source: {
        repoURL: 'https://bot:planted-secret@git.example/shop.git?token=planted-secret',
        path: 'deploy',
        helm: { values: 'password: planted-secret' },
      },
    },
    status: {
      sync: { status: 'OutOfSync', revision: 'abc' },
      health: { status: 'Healthy' },
      resources: [
        {
          group: 'apps',
          version: 'v1',
          kind: 'Deployment',
          namespace: 'shop',
          name: 'api',
          status: 'Synced',
        },
        { version: 'v1', kind: 'Service', namespace: 'shop', name: 'api', status: 'Synced' },
      ],
    },
  },
];

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
    const items = [...COVERED_RESOURCES.flatMap(grants), ...ARGO_OBJECTS];
    await kube.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    await kube.kubectl(['-n', 'shop', 'rollout', 'status', 'deployment/api', '--timeout=60s']);
  });
  after(async () => {
    await kube?.stop();
    await folder.remove();
  });

  it('reads everything with the ClusterRole that we ship, node usage too, and warns of nothing (AG-04 to AG-18)', async () => {
    // metrics-server needs a moment until it is there, and another until it has figures.
    const patience = performance.now() + 90_000;
    const hasUsage = ({ data }: Collected): boolean =>
      data.nodes.some(({ usage_cpu_millicores: cpu, usage_memory_bytes: memory }) => cpu && memory);
    let collected = await collectAs(kube, 'proxima-cluster-agent');
    while (!hasUsage(collected) && performance.now() < patience) {
      await sleep(500);
      collected = await collectAs(kube, 'proxima-cluster-agent');
    }
    ok(hasUsage(collected));
    deepEqual([states(collected), collected.warned], [{}, []]);
    ok(collected.data.pods.length > 0);
  });

  it('reads a Rollout and an Application, and leaves their secrets where they are (AR-01, AR-07, AR-08, AA-01, AA-05 to AA-07)', async () => {
    const { data } = await collectAs(kube, 'proxima-cluster-agent');
    const rollout = data.workloads.find(({ kind }) => kind === 'Rollout');
    deepEqual(
      [rollout?.name, rollout?.replicas_desired, rollout?.strategy, rollout?.containers[0]?.image],
      ['checkout', 1, 'canary', 'shop/checkout:1'],
    );
    ok(rollout?.spec_facts);
    const [application] = data.argocd?.applications ?? [];
    deepEqual(
      [
        data.argocd?.state,
        application?.destination_name,
        application?.sync_status,
        application?.sources,
        application?.resources?.map(({ kind, name }) => `${kind} ${name}`),
        application?.resources_total,
      ],
      [
        'ok',
        'production',
        'OutOfSync',
        [{ repo_url: 'https://git.example/shop.git', path: 'deploy' }],
        ['Deployment api'],
        2,
      ],
    );
    ok(!JSON.stringify(data).includes('planted-secret'));
  });

  it('may only list what it reads of Argo, and nothing of Secrets and ConfigMaps (AA-08, AG-19)', async () => {
    const as = `--as=system:serviceaccount:${NAMESPACE}:proxima-cluster-agent`;
    // kubectl answers no with exit code 1.
    const can = (verb: string, resource: string): Promise<string> =>
      kube.kubectl(['auth', 'can-i', verb, resource, as, '-A']).then(
        (printed) => printed.trim(),
        (error: { stdout?: string }) => error.stdout?.trim() ?? '',
      );
    for (const resource of ['applications.argoproj.io', 'rollouts.argoproj.io'])
      deepEqual(
        await Promise.all(['list', 'get', 'watch', 'update'].map((verb) => can(verb, resource))),
        ['yes', 'no', 'no', 'no'],
        resource,
      );
    for (const resource of ['secrets', 'configmaps'])
      deepEqual(
        await Promise.all(['list', 'get', 'watch'].map((verb) => can(verb, resource))),
        ['no', 'no', 'no'],
        resource,
      );
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
