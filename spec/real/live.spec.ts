import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncedAfter } from '../support/apiReads.ts';
import type { ControlPlane } from '../support/kubernetes.ts';
import { clusterKubeconfig, startControlPlane } from '../support/kubernetes.ts';
import { ask } from '../support/liveAsk.ts';
import type { WholeSystem } from '../support/wholeSystem.ts';
import { startWholeSystem } from '../support/wholeSystem.ts';

const root = join(import.meta.dirname, '../..');
const ACCOUNT = 'system:serviceaccount:proxima-system:proxima-cluster-agent';
const UID_OF_ANOTHER = 'uid-of-another-rollout';

interface Named {
  readonly metadata: { readonly name: string; readonly uid: string; readonly namespace: string };
  readonly status?: { readonly phase?: string };
}

const rollout = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'canary', namespace: 'shop' },
  spec: { selector: { matchLabels: { app: 'canary' } } },
};

/** The ReplicaSet that the Argo controller would have made for a revision. */
const rolloutReplicaSet = (revision: number, uid: string): object => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: {
    name: `canary-${revision}`,
    namespace: 'shop',
    labels: { app: 'canary', 'rollouts-pod-template-hash': `hash-${revision}` },
    annotations: { 'rollout.argoproj.io/revision': String(revision) },
    ownerReferences: [
      { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', name: 'canary', uid, controller: true },
    ],
  },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: 'canary', 'rollouts-pod-template-hash': `hash-${revision}` } },
    template: {
      metadata: { labels: { app: 'canary', 'rollouts-pod-template-hash': `hash-${revision}` } },
      spec: { containers: [{ name: 'main', image: `registry.example/canary:${revision}` }] },
    },
  },
});

const unschedulable = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'nowhere', namespace: 'shop' },
  spec: { nodeSelector: { no: 'node' }, containers: [{ name: 'main', image: 'registry.example/nowhere:1' }] },
};

describe('live reads of a real control plane', function () {
  this.timeout(240_000);
  let kube: ControlPlane;
  let system: WholeSystem;
  let base: string;
  let token: string;

  const apply = (object: object): Promise<string> =>
    kube.kubectl(['apply', '-f', '-'], JSON.stringify(object));
  const bind = (): Promise<string> =>
    kube.kubectl(['apply', '-f', join(root, 'deploy/k8s/cluster-agent/readonly-clusterrolebinding.yaml')]);
  const read = (route: string, query: Record<string, string>) =>
    ask(`${base}/${route}?${new URLSearchParams(query)}`, token);
  const shop = async (route: string, query: Record<string, string>) => {
    const { status, body } = await read(route, { namespace: 'shop', ...query });
    equal(status, 200, JSON.stringify(body));
    return body.data;
  };
  const podOf = async (app: string): Promise<Named> => {
    const { items } = await kube.get<{ items: Named[] }>('pods', '-n', 'shop', '-l', `app=${app}`);
    const [pod] = items;
    ok(pod, `no pod of ${app}`);
    return pod;
  };

  before(async () => {
    [kube, system] = await Promise.all([startControlPlane(['--nodes', '2']), startWholeSystem()]);
    for (const name of [
      'namespace',
      'serviceaccount',
      'clusterrole',
      'clusterrolebinding',
      'readonly-clusterrole',
    ]) {
      await kube.kubectl(['apply', '-f', join(root, `deploy/k8s/cluster-agent/${name}.yaml`)]);
    }
    await kube.kubectl(['apply', '-f', join(root, 'spec/fixtures/namespace-shop-everyKind.yaml')]);
    await apply(unschedulable);
    for (const workload of ['deployment/api', 'statefulset/db', 'daemonset/node-log']) {
      await kube.kubectl(['-n', 'shop', 'rollout', 'status', workload, '--timeout=60s']);
    }
    const credential = await kube.kubectl([
      '-n',
      'proxima-system',
      'create',
      'token',
      'proxima-cluster-agent',
    ]);
    const kubeconfig = join(system.dir, 'agent.kubeconfig');
    await writeFile(kubeconfig, clusterKubeconfig(kube, credential.trim()), { mode: 0o600 });
    const { url } = await system.startBackend();
    const api = await system.admin(url);
    token = api.token;
    await system.startAgent({ url, kubeconfig, slug: 'live' });
    const { id } = await syncedAfter(api, 'live', new Date(), 60_000);
    base = `${url}/api/v1/clusters/${id}/live`;
  });
  after(async () => {
    await Promise.all([system?.stop(), kube?.stop()]);
  });

  it('opens nothing until the read-only tier is bound, then at once (X-09)', async () => {
    const closed = await read('manifest', { kind: 'Deployment', namespace: 'shop', name: 'api' });
    deepEqual([closed.status, closed.body.error.code], [502, 'agent_error']);
    match(closed.body.error.message, /read-only tier is not bound/);
    await bind();
    for (let attempt = 1; ; attempt += 1) {
      // The authorizer learns of a binding through its watch.
      const { status } = await read('manifest', { kind: 'Deployment', namespace: 'shop', name: 'api' });
      if (status === 200) return;
      ok(attempt < 100, 'the tier stayed closed');
    }
  });

  it('grants reads of what is shown, and neither Secrets nor ConfigMaps nor writes', async () => {
    // kubectl exits 1 with its "no".
    const may = (...what: string[]): Promise<string> =>
      kube.kubectl(['auth', 'can-i', ...what, '--as', ACCOUNT, '-n', 'shop']).then(
        (said) => said.trim(),
        (error: { stdout?: string }) => error.stdout?.trim() ?? '',
      );
    for (const what of [
      ['get', 'deployments.apps'],
      ['get', 'pods', '--subresource=log'],
      ['list', 'controllerrevisions.apps'],
      ['get', 'rollouts.argoproj.io'],
    ]) {
      equal(await may(...what), 'yes', what.join(' '));
    }
    for (const what of [
      ['get', 'secrets'],
      ['list', 'secrets'],
      ['get', 'configmaps'],
      ['create', 'pods', '--subresource=exec'],
      ['delete', 'pods'],
      ['patch', 'deployments.apps'],
      ['get', 'nodes', '--subresource=proxy'],
      ['create', 'serviceaccounts', '--subresource=token'],
    ]) {
      equal(await may(...what), 'no', what.join(' '));
    }
  });

  it('shows the manifest as the server has it, without managed fields and values (LV-04, LV-06)', async () => {
    const { object } = await shop('manifest', { kind: 'Deployment', name: 'api' });
    const raw = await kube.get<Named>('deployment', '-n', 'shop', 'api');
    equal(object.metadata.uid, raw.metadata.uid);
    equal(object.metadata.managedFields, undefined);
    ok(
      object.spec.template.spec.containers[0].env.some(
        ({ name }: { name: string }) => name === 'DB_PASSWORD',
      ),
    );
    ok(!JSON.stringify(object).includes('planted-value-of-env'));
  });

  it('shows every kind that may be shown', async () => {
    const names: Record<string, string> = {};
    for (const [kind, resource] of [
      ['StatefulSet', 'statefulsets'],
      ['DaemonSet', 'daemonsets'],
      ['ReplicaSet', 'replicasets'],
      ['Pod', 'pods'],
      ['Job', 'jobs'],
      ['CronJob', 'cronjobs'],
      ['Service', 'services'],
      ['Ingress', 'ingresses'],
      ['PersistentVolumeClaim', 'persistentvolumeclaims'],
      ['HorizontalPodAutoscaler', 'horizontalpodautoscalers'],
      ['NetworkPolicy', 'networkpolicies'],
    ] as const) {
      const { items } = await kube.get<{ items: Named[] }>(resource, '-n', 'shop');
      const [first] = items;
      ok(first, `the fixture has no ${kind}`);
      names[kind] = first.metadata.name;
    }
    for (const [kind, name] of Object.entries(names)) {
      const { object } = await shop('manifest', { kind, name });
      deepEqual([object.kind, object.metadata.name], [kind, name]);
    }
  });

  it('shows the history of a Deployment after a real rollout (LV-07)', async () => {
    await kube.kubectl(['-n', 'shop', 'set', 'image', 'deployment/api', 'api=registry.example/api:2.0.0']);
    await kube.kubectl(['-n', 'shop', 'rollout', 'status', 'deployment/api', '--timeout=60s']);
    const { revisions } = await shop('revisions', { kind: 'Deployment', name: 'api' });
    deepEqual(
      revisions.map(({ revision, replicas }: { revision: number; replicas: number }) => [revision, replicas]),
      [
        [2, 3],
        [1, 0],
      ],
    );
    deepEqual(
      revisions.map(({ containers }: { containers: { image: string }[] }) => containers.at(-1)?.image),
      ['registry.example/api:2.0.0', 'registry.example/api:1.0.0'],
    );
    ok(!JSON.stringify(revisions).includes('planted-value-of-env'));
  });

  for (const [kind, name, container] of [
    ['StatefulSet', 'db', 'db'],
    ['DaemonSet', 'node-log', 'log'],
  ] as const) {
    it(`shows the history of a ${kind} from its ControllerRevisions (LV-08)`, async () => {
      const image = `registry.example/${name}:next`;
      await kube.kubectl(['-n', 'shop', 'set', 'image', `${kind}/${name}`, `${container}=${image}`]);
      await kube.kubectl(['-n', 'shop', 'rollout', 'status', `${kind}/${name}`, '--timeout=60s']);
      const { revisions } = await shop('revisions', { kind, name });
      deepEqual(
        revisions.map(({ revision }: { revision: number }) => revision),
        [2, 1],
      );
      equal(revisions[0].containers[0].image, image);
      equal(revisions[0].pod_template.spec.containers[0].image, image);
      equal(revisions[0].pod_template.$patch, undefined);
      ok(revisions[0].template_hash);
    });
  }

  it('shows the history of a Rollout from the ReplicaSets that it owns (LV-07, AR-13)', async () => {
    await apply(rollout);
    const { metadata } = await kube.get<Named>('rollouts.argoproj.io', '-n', 'shop', 'canary');
    for (const revision of [1, 2]) await apply(rolloutReplicaSet(revision, metadata.uid));
    await apply(rolloutReplicaSet(3, UID_OF_ANOTHER));
    const { revisions } = await shop('revisions', { kind: 'Rollout', name: 'canary' });
    deepEqual(
      revisions.map((item: { revision: number; template_hash: string }) => [
        item.revision,
        item.template_hash,
      ]),
      [
        [2, 'hash-2'],
        [1, 'hash-1'],
      ],
    );
  });

  it('reads the newest lines of a log through the kubelet, sanitized (LV-11 to LV-17)', async () => {
    await writeFile(
      kube.podLog,
      [
        '2026-11-30T22:00:00.000000001Z stdout F first',
        '2026-11-30T22:00:01.000000002Z stderr F login password=hunter2',
        '2026-11-30T22:00:02.000000003Z stdout F last',
        '',
      ].join('\n'),
    );
    const pod = (await podOf('db')).metadata.name;
    deepEqual((await shop('logs', { pod })).lines, [
      { ts: '2026-11-30T22:00:00.000000001Z', text: 'first' },
      { ts: '2026-11-30T22:00:01.000000002Z', text: 'login password=[REDACTED]' },
      { ts: '2026-11-30T22:00:02.000000003Z', text: 'last' },
    ]);
    const one = await shop('logs', { pod, tail: '1' });
    deepEqual([one.lines.map(({ text }: { text: string }) => text), one.truncated], [['last'], true]);
    const since = await shop('logs', { pod, since_time: '2026-11-30T22:00:02Z' });
    equal(since.lines.length, 1);
    const several = await shop('logs', { pod: (await podOf('api')).metadata.name, container: 'migrate' });
    equal(several.container, 'migrate');
  });

  it('reads the run before a crash, and says where there was none', async () => {
    await writeFile(kube.previousLog, '2026-11-30T21:00:00.000000001Z stderr F out of memory\n');
    const crashed = await shop('logs', { pod: (await podOf('broken')).metadata.name, previous: 'true' });
    deepEqual(crashed.lines, [{ ts: '2026-11-30T21:00:00.000000001Z', text: 'out of memory' }]);
    const never = await shop('logs', { pod: (await podOf('db')).metadata.name, previous: 'true' });
    deepEqual([never.lines, never.notes], [[], ['the container has no previous run']]);
  });

  it('says that a pod without a node has no log yet', async () => {
    const { lines, notes } = await shop('logs', { pod: 'nowhere' });
    deepEqual([lines, notes], [[], ['the pod has not been scheduled to a node yet']]);
  });

  it('closes with the binding', async () => {
    await kube.kubectl(['delete', 'clusterrolebinding', 'proxima-cluster-agent-readonly']);
    for (let attempt = 1; ; attempt += 1) {
      const { status, body } = await read('logs', { namespace: 'shop', pod: 'nowhere' });
      if (status === 502) return match(body.error.message, /read-only tier is not bound/);
      ok(attempt < 100, 'the tier stayed open');
    }
  });
});
