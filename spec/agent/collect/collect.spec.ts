import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { READING_BOUNDS } from '../../../agent/collect/boundedReads.ts';
import type { Collector, CollectorOptions } from '../../../agent/collect/index.ts';
import { createCollector } from '../../../agent/collect/index.ts';
import { LIST_PATHS } from '../../../agent/collect/listings.ts';
import { KubeError } from '../../../agent/kubeApi.ts';
import type { CoveredResource } from '../../../wire/coverage.ts';
import { COVERED_RESOURCES } from '../../../wire/coverage.ts';
import { decodeSnapshot, encodeSnapshot } from '../../../wire/inventory.ts';
import { MAX_EVENTS, MAX_TEXT_CHARS } from '../../../wire/limits.ts';
import { readFixtures } from './fixtures.ts';
import type { ListServer } from './listServer.ts';
import { startListServer } from './listServer.ts';

const NAMESPACED = Object.entries(LIST_PATHS).filter(
  ([resource]) => !['nodes', 'node_metrics', 'namespaces'].includes(resource),
);

/** An object in the API's shape; `more` is spec, status and what else the kind has. */
const object = (namespace: string, name: string, more: object = {}) => ({
  metadata: { namespace, name, uid: `${namespace}/${name}`, creationTimestamp: '2026-11-30T10:00:00Z' },
  addressType: 'IPv4',
  ...more,
});
const pod = (namespace: string, name: string, phase = 'Running', restartCount = 0) =>
  object(namespace, name, {
    spec: { nodeName: 'worker-1', containers: [{ name: 'main', image: 'x:1' }] },
    status: { phase, containerStatuses: [{ name: 'main', restartCount }] },
  });
const names = (records: readonly { name: string }[]): string[] => records.map(({ name }) => name).sort();

describe('agent/collect', () => {
  let server: ListServer;

  /** The server's discovery names these of Argo's resources. */
  const serveArgo = (...names: string[]): void => {
    delete server.refused['/apis/argoproj.io/v1alpha1'];
    const served = names.length > 0 ? names : ['rollouts', 'applications', 'rollouts/status'];
    server.objects['/apis/argoproj.io/v1alpha1'] = { resources: served.map((name) => ({ name })) };
  };

  beforeEach(async () => {
    server = await startListServer();
    warnings.length = 0;
    server.refused[LIST_PATHS.node_metrics] = { status: 404 };
    server.refused['/apis/argoproj.io/v1alpha1'] = { status: 404 };
    server.objects['/version'] = { gitVersion: 'v1.29.3+rke2r1' };
    server.objects['/api/v1/namespaces/kube-system'] = {
      metadata: { name: 'kube-system', uid: 'uid-system' },
    };
  });
  afterEach(() => server.stop());

  const warnings: { resource: unknown; message: string }[] = [];
  const collector = (options: Partial<CollectorOptions> = {}): Collector =>
    createCollector(server.api, {
      clusterName: 'Production Cluster',
      clusterSlug: 'k8s-prod-01',
      excludedNamespaces: new Set<string>(),
      podLimit: 5000,
      syncIntervalSeconds: 300,
      inClusterNames: [],
      log: {
        warn: (fields, message) =>
          void warnings.push({ resource: (fields as { resource?: unknown }).resource, message }),
      },
      ...options,
    });
  const run = (options: Partial<CollectorOptions> = {}, signal = AbortSignal.timeout(10_000)) =>
    collector(options).collect(signal);

  it('keeps every kind of an excluded namespace out of the payload, and the namespace itself (AG-20, AG-21)', async () => {
    serveArgo();
    for (const [, path] of NAMESPACED) server.lists[path] = [object('hidden', 'a'), object('shop', 'b')];
    server.lists[LIST_PATHS.namespaces] = [object('', 'hidden'), object('', 'shop')];
    const { data, coverage } = await run({ excludedNamespaces: new Set(['hidden']) });
    const { cluster, ...arrays } = data;
    ok(!JSON.stringify(arrays).includes('hidden'));
    deepEqual(cluster.excluded_namespaces, ['hidden']);
    deepEqual(names(data.namespaces), ['shop']);
    for (const [resource] of NAMESPACED)
      equal(coverage[resource as keyof typeof LIST_PATHS]?.listed, 1, resource);
    deepEqual(names(data.workloads), ['b', 'b', 'b', 'b']);
    deepEqual(names(data.jobs), ['b', 'b']);
  });

  it('leaves nodes and the cluster’s identity alone whatever is excluded (AG-24)', async () => {
    server.lists[LIST_PATHS.nodes] = [object('', 'worker-1')];
    server.lists[LIST_PATHS.pods] = [pod('kube-system', 'dns'), pod('shop', 'api')];
    const { data } = await run({ excludedNamespaces: new Set(['kube-system']) });
    equal(data.nodes[0]?.pod_count, 2);
    equal(data.cluster.uid, 'uid-system');
  });

  it('gives excluded pods no part of the pod limit (AG-22)', async () => {
    const many = Array.from({ length: 1200 }, (_, i) => pod('hidden', `p${i}`, 'Failed'));
    server.lists[LIST_PATHS.pods] = [...many, pod('shop', 'a'), pod('shop', 'b')];
    const { data, coverage } = await run({ excludedNamespaces: new Set(['hidden']), podLimit: 2 });
    deepEqual(names(data.pods), ['a', 'b']);
    deepEqual(coverage.pods, { state: 'complete', listed: 2, sent: 2 });
  });

  it('cuts pods by trouble over all pages, and counts them before the cut (AG-26, X-42)', async () => {
    const calm = Array.from({ length: 700 }, (_, i) => pod('shop', `calm-${i}`));
    server.lists[LIST_PATHS.pods] = [
      ...calm,
      pod('shop', 'crashed', 'Running', 9),
      pod('shop', 'stuck', 'Pending'),
    ];
    server.lists[LIST_PATHS.namespaces] = [object('', 'shop'), object('', 'empty')];
    server.lists[LIST_PATHS.nodes] = [object('', 'worker-1'), object('', 'worker-2')];
    const { data, coverage } = await run({ podLimit: 3 });
    deepEqual(names(data.pods), ['calm-0', 'crashed', 'stuck']);
    deepEqual(coverage.pods, { state: 'truncated', listed: 702, sent: 3, reason: 'pod_limit' });
    deepEqual(
      data.namespaces.map(({ pod_count }) => pod_count),
      [702, 0],
    );
    deepEqual(
      data.nodes.map(({ pod_count }) => pod_count),
      [702, 0],
    );
  });

  it('sends the 1000 newest of 1200 events, excluded ones apart (AG-23, AG-27)', async () => {
    const at = (i: number): string => new Date(Date.UTC(2026, 10, 30) + i * 1000).toISOString();
    const about = { kind: 'Pod', namespace: 'hidden', name: 'x' };
    server.lists[LIST_PATHS.events] = [
      ...Array.from({ length: 1200 }, (_, i) => object('shop', `e${i}`, { eventTime: at(i) })),
      ...Array.from({ length: 50 }, (_, i) =>
        object('default', `h${i}`, { lastTimestamp: at(9999), involvedObject: about }),
      ),
    ];
    const { data, coverage } = await run({ excludedNamespaces: new Set(['hidden']) });
    equal(data.events.length, MAX_EVENTS);
    deepEqual([data.events[0]?.name, data.events.at(-1)?.name], ['e1199', 'e200']);
    deepEqual(coverage.events, { state: 'truncated', listed: 1200, sent: 1000, reason: 'event_limit' });
  });

  it('starts over when a list expires between two pages, and counts nothing twice', async () => {
    const pods = Array.from({ length: 600 }, (_, i) => pod('shop', `p${i}`));
    server.lists[LIST_PATHS.pods] = pods;
    server.lists[LIST_PATHS.namespaces] = [object('', 'shop')];
    server.lists[LIST_PATHS.nodes] = [object('', 'worker-1')];
    const sets = pods.map(({ metadata }) => ({ metadata }));
    server.lists[LIST_PATHS.replicasets] = sets;
    for (const [path, list] of [
      [LIST_PATHS.pods, pods],
      [LIST_PATHS.replicasets, sets],
    ] as const)
      server.secondPage.set(path, () => {
        list.shift();
        return { status: 410, reason: 'Expired' };
      });
    const { data, coverage } = await run();
    equal(data.pods.length, 599);
    deepEqual(coverage.replicasets, { state: 'complete', listed: 599, sent: 0 });
    deepEqual(coverage.pods, { state: 'complete', listed: 599, sent: 599 });
    deepEqual([data.namespaces[0]?.pod_count, data.nodes[0]?.pod_count], [599, 599]);
  });

  it('links pods to the controller of their ReplicaSet, of which it reads the metadata alone (AG-33)', async () => {
    const owned = (kind: string, name: string, uid: string) => ({
      ownerReferences: [{ kind, name, uid, controller: true }],
    });
    const set = object('shop', 'api-7d9c');
    const child = pod('shop', 'api-7d9c-x');
    server.lists[LIST_PATHS.replicasets] = [
      { metadata: { ...set.metadata, ...owned('Deployment', 'api', 'd') } },
    ];
    server.lists[LIST_PATHS.pods] = [
      { ...child, metadata: { ...child.metadata, ...owned('ReplicaSet', 'api-7d9c', set.metadata.uid) } },
    ];
    const { data } = await run();
    deepEqual([data.pods[0]?.workload_kind, data.pods[0]?.workload], ['Deployment', 'api']);
    deepEqual([data.pods[0]?.owner_kind, data.pods[0]?.owner_name], ['ReplicaSet', 'api-7d9c']);
    const asked = server.requests().find(({ path }) => path === LIST_PATHS.replicasets);
    ok(asked?.accept.includes('as=PartialObjectMetadataList'));
  });

  it('takes node usage from metrics-server by node name, null for a node without (AG-06)', async () => {
    delete server.refused[LIST_PATHS.node_metrics];
    server.lists[LIST_PATHS.nodes] = [object('', 'worker-1'), object('', 'worker-2')];
    server.lists[LIST_PATHS.node_metrics] = [
      { metadata: { name: 'worker-2' }, usage: { cpu: '1500000001n', memory: '2Gi' } },
    ];
    const { data, coverage } = await run();
    deepEqual(
      data.nodes.map((node) => [node.usage_cpu_millicores, node.usage_memory_bytes]),
      [
        [null, null],
        [1501, 2147483648],
      ],
    );
    deepEqual(coverage.node_metrics, { state: 'complete', listed: 1, sent: 1 });
  });

  it('goes on without node metrics, and says why they are missing', async () => {
    server.lists[LIST_PATHS.nodes] = [object('', 'worker-1')];
    for (const [refusal, state] of [
      [{ status: 404 }, 'absent'],
      [{ status: 403, reason: 'Forbidden' }, 'forbidden'],
      [{ status: 503, reason: 'x'.repeat(1000) }, 'error'],
    ] as const) {
      server.refused[LIST_PATHS.node_metrics] = refusal;
      const { data, coverage } = await run();
      equal(coverage.node_metrics?.state, state);
      ok((coverage.node_metrics?.reason?.length ?? 0) <= 256);
      equal(data.nodes[0]?.usage_cpu_millicores, null);
    }
  });

  it('takes no half of the node metrics, and does not wait for a metrics-server that hangs', async () => {
    delete server.refused[LIST_PATHS.node_metrics];
    server.lists[LIST_PATHS.nodes] = [object('', 'w0')];
    server.lists[LIST_PATHS.node_metrics] = Array.from({ length: 600 }, (_, i) => ({
      metadata: { name: `w${i}` },
      usage: { cpu: '1', memory: '1Gi' },
    }));
    server.secondPage.set(LIST_PATHS.node_metrics, () => ({ status: 403, reason: 'Forbidden' }));
    const { data } = await run();
    equal(data.nodes[0]?.usage_cpu_millicores, null);
    server.silent.add(LIST_PATHS.node_metrics);
    const { coverage } = await run({ bounds: { ...READING_BOUNDS, metricsSilenceMs: 50 } });
    equal(coverage.node_metrics?.state, 'error');
    await rejects(run({}, AbortSignal.timeout(500)), KubeError);
  });

  it('reads the others when one kind fails, sends nothing of it and says how (D9, AR-10, AA-04)', async () => {
    serveArgo();
    delete server.refused[LIST_PATHS.node_metrics];
    for (const path of Object.values(LIST_PATHS)) server.lists[path] = [object('shop', 'a')];
    for (const [resource, path] of Object.entries(LIST_PATHS) as [CoveredResource, string][]) {
      for (const [refusal, state] of [
        [{ status: 403, reason: 'Forbidden' }, 'forbidden'],
        [{ status: 500, reason: 'InternalError' }, 'error'],
        [{ status: 429 }, 'error'],
      ] as const) {
        server.refused[path] = refusal;
        const { data, coverage } = await run();
        deepEqual(
          Object.entries(coverage).flatMap(([name, { state: read }]) =>
            read === 'complete' ? [] : [[name, read]],
          ),
          [[resource, state]],
        );
        equal(coverage[resource]?.sent, 0);
        const counts = Object.entries(data).map(([key, value]) => [
          key,
          Array.isArray(value) ? value.length : null,
        ]);
        const expected = { workloads: 4, jobs: 2, nodes: 1, pods: 1 } as Record<string, number>;
        const arrays = counts.filter(([, count]) => count !== null) as [string, number][];
        equal(arrays.reduce((sum, [, count]) => sum + count, 0) >= 15, true);
        const whole = arrays.filter(([key, count]) => count === (expected[key] ?? 1)).length;
        ok(whole >= arrays.length - 1, `${resource}: ${JSON.stringify(counts)}`);
      }
      delete server.refused[path];
    }
    deepEqual(Object.keys(LIST_PATHS).sort(), [...COVERED_RESOURCES].sort());
  });

  it('calls nothing complete that broke between two pages: refused, expired twice, cut, malformed (D9)', async () => {
    const many = Array.from({ length: 1100 }, (_, i) => object('shop', `s${i}`));
    server.lists[LIST_PATHS.services] = many;
    server.lists[LIST_PATHS.namespaces] = [object('', 'shop')];
    for (const broken of [
      { status: 403, reason: 'Forbidden' },
      { status: 500, reason: 'InternalError' },
    ]) {
      server.secondPage.set(LIST_PATHS.services, () => {
        server.refused[LIST_PATHS.services] = broken;
        return broken;
      });
      const { data, coverage } = await run();
      equal(coverage.services?.state, broken.status === 403 ? 'forbidden' : 'error');
      equal(data.services.length, 0);
      // A count over a list that is not whole would be a lie.
      equal(data.namespaces[0]?.service_count, null);
      delete server.refused[LIST_PATHS.services];
    }
    const expire = (): { status: number; reason: string } => {
      server.secondPage.set(LIST_PATHS.services, expire);
      return { status: 410, reason: 'Expired' };
    };
    server.secondPage.set(LIST_PATHS.services, expire);
    const { data, coverage } = await run();
    deepEqual(coverage.services, { state: 'error', listed: 0, sent: 0, reason: 'Expired' });
    equal(data.services.length, 0);
    for (const broken of [
      'cut',
      { body: { items: 'none' } },
      { body: [] },
      { body: { items: [7] } },
    ] as const) {
      const again = () => {
        server.secondPage.set(LIST_PATHS.services, again);
        return broken;
      };
      again();
      const half = await run();
      equal(half.coverage.services?.state, 'error', JSON.stringify(broken));
      deepEqual([half.data.services.length, half.data.namespaces[0]?.service_count], [0, null]);
    }
  });

  it('lets a list that hangs cost the others time and nothing else (D9)', async () => {
    const hung = ['events', 'replicasets', 'deployments'] as const;
    for (const path of Object.values(LIST_PATHS)) server.lists[path] = [object('shop', 'a')];
    for (const resource of hung) server.silent.add(LIST_PATHS[resource]);
    const { data, coverage } = await run({ bounds: { ...READING_BOUNDS, silenceMs: 200 } });
    const failed = Object.entries(coverage).filter(([, { state }]) => state === 'error');
    deepEqual(failed.map(([resource]) => resource).sort(), [...hung].sort());
    for (const resource of hung)
      deepEqual(coverage[resource], { state: 'error', listed: 0, sent: 0, reason: 'timeout' });
    deepEqual([data.events.length, data.pods.length, data.workloads.length], [0, 1, 2]);
  });

  it('does not take a list for hung that is slow, one page after the other', async () => {
    server.lists[LIST_PATHS.services] = Array.from({ length: 2500 }, (_, i) => object('shop', `s${i}`));
    server.slow[LIST_PATHS.services] = 150;
    const { coverage } = await run({ bounds: { ...READING_BOUNDS, silenceMs: 400 } });
    deepEqual(coverage.services, { state: 'complete', listed: 2500, sent: 2500 });
  });

  it('sends what it has when the time for reading is up, and calls the rest unread', async () => {
    for (const path of Object.values(LIST_PATHS)) server.lists[path] = [object('shop', 'a')];
    server.lists[LIST_PATHS.events] = Array.from({ length: 5000 }, (_, i) => object('shop', `e${i}`));
    server.slow[LIST_PATHS.events] = 250;
    const { data, coverage } = await run({ bounds: { ...READING_BOUNDS, cycleMs: 1500 } });
    deepEqual(coverage.events, { state: 'error', listed: 0, sent: 0, reason: 'timeout' });
    deepEqual([data.events.length, data.pods.length], [0, 1]);
  });

  it('finds the workload of a pod by its labels while ReplicaSets cannot be read (AG-33, AR-11)', async () => {
    const owned = (set: string, labels: Record<string, string>) => {
      const child = pod('shop', `${set}-x`);
      const ownerReferences = [{ kind: 'ReplicaSet', name: set, uid: set, controller: true }];
      return { ...child, metadata: { ...child.metadata, labels, ownerReferences } };
    };
    server.lists[LIST_PATHS.pods] = [
      owned('api-7d9c', { 'pod-template-hash': '7d9c' }),
      owned('checkout-5f6d', { 'rollouts-pod-template-hash': '5f6d' }),
      owned('lone', {}),
    ];
    for (const status of [403, 500]) {
      server.refused[LIST_PATHS.replicasets] = { status, reason: 'Refused' };
      const { data, coverage } = await run();
      equal(coverage.replicasets?.state, status === 403 ? 'forbidden' : 'error');
      deepEqual(
        data.pods.map(({ workload_kind, workload }) => [workload_kind, workload]),
        [
          ['Deployment', 'api'],
          ['Rollout', 'checkout'],
          ['ReplicaSet', 'lone'],
        ],
      );
    }
  });

  it('calls a kind that is served and empty complete', async () => {
    const { coverage } = await run();
    deepEqual(coverage.ingresses, { state: 'complete', listed: 0, sent: 0 });
  });

  it('takes a 404 for a core kind as a fault, and for a later API as its absence', async () => {
    for (const [resource, state] of [
      ['pods', 'error'],
      ['deployments', 'error'],
      ['horizontalpodautoscalers', 'absent'],
      ['endpointslices', 'absent'],
    ] as const) {
      server.refused[LIST_PATHS[resource]] = { status: 404 };
      equal((await run()).coverage[resource]?.state, state);
      delete server.refused[LIST_PATHS[resource]];
    }
  });

  it('leaves counts open whose source was not read', async () => {
    server.lists[LIST_PATHS.nodes] = [object('', 'worker-1')];
    server.lists[LIST_PATHS.namespaces] = [object('', 'shop')];
    server.refused[LIST_PATHS.pods] = { status: 403, reason: 'Forbidden' };
    server.refused[LIST_PATHS.statefulsets] = { status: 403, reason: 'Forbidden' };
    const { data } = await run();
    equal(data.nodes[0]?.pod_count, null);
    const [namespace] = data.namespaces;
    deepEqual([namespace?.pod_count, namespace?.workload_count, namespace?.service_count], [null, null, 0]);
  });

  it('fails as a whole when the API server answers nothing, and sends no snapshot that knows nothing', async () => {
    for (const status of [500, 404]) {
      for (const path of Object.values(LIST_PATHS)) server.refused[path] = { status };
      await rejects(run(), (error) => error instanceof KubeError && error.status === status);
    }
  });

  it('sends what an agent without any rule may see: the cluster, and that everything is forbidden', async () => {
    for (const path of Object.values(LIST_PATHS)) server.refused[path] = { status: 403, reason: 'Forbidden' };
    server.refused['/apis/argoproj.io/v1alpha1'] = { status: 403, reason: 'Forbidden' };
    const { data, coverage } = await run();
    deepEqual([...new Set(Object.values(coverage).map(({ state }) => state))], ['forbidden']);
    equal(data.cluster.version, 'v1.29.3+rke2r1');
  });

  it('takes no kind whole in which one object cannot be read', async () => {
    server.lists[LIST_PATHS.services] = [object('shop', 'good'), { metadata: null }];
    server.lists[LIST_PATHS.pods] = [pod('shop', 'a')];
    const { data, coverage } = await run();
    deepEqual(coverage.services, { state: 'error', listed: 0, sent: 0, reason: 'bad_object' });
    deepEqual([data.services.length, data.pods.length], [0, 1]);
  });

  it('warns of a forbidden kind once, naming the remedy, and again only after it could be read (AR-05, AR-06)', async () => {
    serveArgo();
    const cycles = collector();
    const deny = () => {
      server.refused[LIST_PATHS.rollouts] = { status: 403, reason: 'Forbidden' };
    };
    const allow = () => {
      delete server.refused[LIST_PATHS.rollouts];
    };
    const counts: number[] = [];
    for (const step of [deny, deny, allow, deny, deny]) {
      step();
      await cycles.collect(AbortSignal.timeout(10_000));
      counts.push(warnings.length);
    }
    deepEqual(counts, [1, 1, 1, 2, 2]);
    equal(warnings[0]?.resource, 'rollouts');
    // A CRD that is gone for a while is no success.
    server.refused['/apis/argoproj.io/v1alpha1'] = { status: 404 };
    await cycles.collect(AbortSignal.timeout(10_000));
    serveArgo();
    await cycles.collect(AbortSignal.timeout(10_000));
    equal(warnings.length, 2);
  });

  it('warns once of each way to fail, whatever their order, until the kind was read (AR-06, U-40)', async () => {
    serveArgo();
    const cycles = collector();
    const counts: number[] = [];
    for (const status of [403, 500, 403, 500, null, 403]) {
      if (status === null) delete server.refused[LIST_PATHS.rollouts];
      else server.refused[LIST_PATHS.rollouts] = { status, reason: 'Refused' };
      await cycles.collect(AbortSignal.timeout(10_000));
      counts.push(warnings.length);
    }
    deepEqual(counts, [1, 2, 2, 2, 2, 3]);
  });

  it('leaves open what a discovery answer of another shape does not say, and fails nothing else (AR-10, U-40)', async () => {
    server.lists[LIST_PATHS.pods] = [pod('shop', 'a')];
    delete server.refused['/apis/argoproj.io/v1alpha1'];
    for (const [document, state] of [
      [{ resources: null }, 'absent'],
      [{ resources: [null, 'rollouts', { name: 7 }] }, 'absent'],
      [{}, 'error'],
      [[], 'error'],
      [{ resources: 'rollouts' }, 'error'],
    ] as const) {
      server.objects['/apis/argoproj.io/v1alpha1'] = document;
      const { data, coverage } = await run();
      deepEqual([coverage.rollouts?.state, coverage.applications?.state], [state, state]);
      equal(data.pods.length, 1);
    }
  });

  it('lists no Rollouts and says nothing where Argo is not installed, or only Argo CD is (AR-03, AR-04, AA-02)', async () => {
    server.lists[LIST_PATHS.rollouts] = [object('shop', 'r')];
    const { data, coverage } = await run();
    deepEqual([coverage.rollouts?.state, coverage.applications?.state], ['absent', 'absent']);
    equal(data.argocd?.state, 'crd_absent');
    serveArgo('applications');
    server.lists[LIST_PATHS.applications] = [object('argocd', 'shop')];
    const withArgoCd = await run();
    deepEqual(
      [withArgoCd.coverage.rollouts?.state, withArgoCd.coverage.applications?.state],
      ['absent', 'complete'],
    );
    ok(!server.requests().some(({ path }) => path === LIST_PATHS.rollouts));
    deepEqual(warnings, []);
  });

  it('finds a CRD that was installed while it runs, and misses one that was removed (AR-02)', async () => {
    const cycles = collector();
    server.lists[LIST_PATHS.rollouts] = [object('shop', 'r')];
    const kindsOf = async () =>
      (await cycles.collect(AbortSignal.timeout(10_000))).data.workloads.map(({ kind }) => kind);
    deepEqual(await kindsOf(), []);
    serveArgo();
    deepEqual(await kindsOf(), ['Rollout']);
    delete server.objects['/apis/argoproj.io/v1alpha1'];
    server.refused['/apis/argoproj.io/v1alpha1'] = { status: 404 };
    deepEqual(await kindsOf(), []);
  });

  it('reports Applications as forbidden or unavailable without harm to anything else (AA-03, AA-04, U-40)', async () => {
    serveArgo();
    server.lists[LIST_PATHS.pods] = [pod('shop', 'a')];
    server.refused[LIST_PATHS.applications] = { status: 403, reason: 'Forbidden' };
    const forbidden = await run();
    deepEqual(
      [forbidden.data.argocd?.state, forbidden.coverage.applications?.state],
      ['forbidden', 'forbidden'],
    );
    server.refused['/apis/argoproj.io/v1alpha1'] = { status: 503 };
    const unavailable = await run();
    deepEqual(
      [unavailable.data.argocd?.state, unavailable.coverage.rollouts?.state],
      ['unavailable', 'error'],
    );
    for (const { data } of [forbidden, unavailable]) equal(data.pods.length, 1);
  });

  it('reports the names that are this cluster’s beside the Applications (AA-12, AA-14)', async () => {
    equal((await run()).data.argocd?.in_cluster_names.length, 0);
    deepEqual((await run({ inClusterNames: ['production'] })).data.argocd?.in_cluster_names, ['production']);
  });

  it('keeps Applications and rows of excluded namespaces back (AG-20)', async () => {
    serveArgo();
    const rows = ['shop', 'hidden'].map((namespace) => ({
      group: 'apps',
      kind: 'Deployment',
      namespace,
      name: 'api',
    }));
    server.lists[LIST_PATHS.applications] = [
      object('argocd', 'kept', { status: { resources: rows } }),
      object('hidden', 'gone'),
    ];
    const { data } = await run({ excludedNamespaces: new Set(['hidden']) });
    deepEqual(
      data.argocd?.applications.map(({ name, resources, resources_total }) => [
        name,
        resources?.length,
        resources_total,
      ]),
      [['kept', 1, 2]],
    );
  });

  it('counts Rollouts among the workloads of their namespace', async () => {
    serveArgo();
    server.lists[LIST_PATHS.namespaces] = [object('', 'shop')];
    server.lists[LIST_PATHS.rollouts] = [object('shop', 'r')];
    server.lists[LIST_PATHS.deployments] = [object('shop', 'd')];
    equal((await run()).data.namespaces[0]?.workload_count, 2);
  });

  it('ends with its signal, in the middle of lists and in their waits', async () => {
    server.silent.add(LIST_PATHS.events);
    await rejects(run({}, AbortSignal.timeout(100)), (error) => error instanceof KubeError);
    server.silent.clear();
    server.silent.add('/apis/argoproj.io/v1alpha1');
    await rejects(run({}, AbortSignal.timeout(100)), (error) => error instanceof KubeError);
  });

  it('describes the cluster, null where nothing tells (AG-04, U-31)', async () => {
    server.lists[LIST_PATHS.nodes] = readFixtures()
      .filter((fixture) => fixture.object.kind === 'Node')
      .map((fixture) => fixture.object);
    const { data } = await run({ excludedNamespaces: new Set(['b', 'a']) });
    deepEqual(data.cluster, {
      name: 'k8s-prod-01',
      display_name: 'Production Cluster',
      slug: 'k8s-prod-01',
      uid: 'uid-system',
      version: 'v1.29.3+rke2r1',
      platform: 'rke2',
      distribution: 'rke2r1',
      api_server_url: server.url,
      cluster_cidr: null,
      service_cidr: null,
      dns_domain: null,
      cloud_provider: 'hetzner',
      cloud_region: null,
      cloud_account_id: null,
      status: 'degraded',
      sync_interval_seconds: 300,
      excluded_namespaces: ['a', 'b'],
    });
  });

  it('keeps the uid and version that it knows while the API server will not tell, and null before (AG-04)', async () => {
    const paths = ['/version', '/api/v1/namespaces/kube-system'];
    const cycles = collector();
    const told = async () => {
      const { cluster } = (await cycles.collect(AbortSignal.timeout(10_000))).data;
      return [cluster.version, cluster.uid];
    };
    for (const path of paths) server.refused[path] = { status: 403, reason: 'Forbidden' };
    deepEqual(await told(), [null, null]);
    for (const path of paths) delete server.refused[path];
    deepEqual(await told(), ['v1.29.3+rke2r1', 'uid-system']);
    for (const path of paths) server.refused[path] = { status: 500, reason: 'InternalError' };
    deepEqual(await told(), ['v1.29.3+rke2r1', 'uid-system']);
  });

  it('takes no version and uid from an answer that has none (AG-04)', async () => {
    server.objects['/version'] = { gitVersion: 7 };
    server.objects['/api/v1/namespaces/kube-system'] = [];
    const { cluster } = (await run()).data;
    deepEqual([cluster.version, cluster.uid], [null, null]);
  });

  it('cuts a text that would make the backend refuse the snapshot', async () => {
    server.lists[LIST_PATHS.events] = [object('shop', 'e', { reason: 'x'.repeat(100_000) })];
    equal((await run()).data.events[0]?.reason?.length, MAX_TEXT_CHARS);
  });

  it('makes a snapshot that the backend takes, and that names every resource', async () => {
    serveArgo();
    for (const { object: raw } of readFixtures()) {
      const path = Object.values(LIST_PATHS).find((p) => p.endsWith(`/${raw.kind.toLowerCase()}s`));
      const plural =
        { Ingress: LIST_PATHS.ingresses, NetworkPolicy: LIST_PATHS.networkpolicies }[raw.kind] ?? path;
      ok(plural, raw.kind);
      server.lists[plural] = [...(server.lists[plural] ?? []), raw];
    }
    const { data, coverage } = await run();
    for (const [array, records] of Object.entries(data))
      if (Array.isArray(records)) ok(records.length > 0, array);
    const bytes = encodeSnapshot({
      type: 'kubernetes',
      schema: 1,
      agent_id: '0190f1f0-0000-7000-8000-000000000001',
      agent_version: '0.9.0',
      timestamp: '2026-11-30T22:00:00.123Z',
      epoch: null,
      coverage,
      data,
    });
    const decoded = await decodeSnapshot(bytes, undefined);
    ok(decoded.ok, JSON.stringify(decoded));
    deepEqual(decoded.snapshot.data, JSON.parse(JSON.stringify(data)));
    equal(decoded.folded, 0);
    deepEqual(Object.keys(coverage).sort(), Object.keys(LIST_PATHS).sort());
  });

  it('asks with GET only, and never for secrets or configmaps (AG-19)', async () => {
    await run();
    const requests = server.requests();
    ok(requests.length >= Object.keys(LIST_PATHS).length);
    deepEqual([...new Set(requests.map(({ method }) => method))], ['GET']);
    ok(!requests.some(({ path }) => /secret|configmap/.test(path)));
  });
});
