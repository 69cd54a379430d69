import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import type { CollectOptions } from '../../../agent/collect/index.ts';
import { collect } from '../../../agent/collect/index.ts';
import { LIST_PATHS } from '../../../agent/collect/listings.ts';
import { KubeError } from '../../../agent/kubeApi.ts';
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

  beforeEach(async () => {
    server = await startListServer();
    server.refused[LIST_PATHS.node_metrics] = { status: 404 };
    server.objects['/version'] = { gitVersion: 'v1.29.3+rke2r1' };
    server.objects['/api/v1/namespaces/kube-system'] = {
      metadata: { name: 'kube-system', uid: 'uid-system' },
    };
  });
  afterEach(() => server.stop());

  const run = (options: Partial<CollectOptions> = {}) =>
    collect(server.api, {
      clusterName: 'Production Cluster',
      clusterSlug: 'k8s-prod-01',
      excludedNamespaces: new Set<string>(),
      podLimit: 5000,
      syncIntervalSeconds: 300,
      signal: AbortSignal.timeout(10_000),
      ...options,
    });

  it('keeps every kind of an excluded namespace out of the payload, and the namespace itself (AG-20, AG-21)', async () => {
    for (const [, path] of NAMESPACED) server.lists[path] = [object('hidden', 'a'), object('shop', 'b')];
    server.lists[LIST_PATHS.namespaces] = [object('', 'hidden'), object('', 'shop')];
    const { data, coverage } = await run({ excludedNamespaces: new Set(['hidden']) });
    const { cluster, ...arrays } = data;
    ok(!JSON.stringify(arrays).includes('hidden'));
    deepEqual(cluster.excluded_namespaces, ['hidden']);
    deepEqual(names(data.namespaces), ['shop']);
    for (const [resource] of NAMESPACED)
      equal(coverage[resource as keyof typeof LIST_PATHS]?.listed, 1, resource);
    deepEqual(names(data.workloads), ['b', 'b', 'b']);
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
    const { coverage } = await run({ metricsTimeoutMs: 50 });
    equal(coverage.node_metrics?.state, 'error');
    await rejects(run({ signal: AbortSignal.timeout(500) }), KubeError);
  });

  it('publishes nothing of a cycle in which any other list fails', async () => {
    for (const [resource, path] of Object.entries(LIST_PATHS)) {
      if (resource === 'node_metrics') continue;
      server.refused[path] = { status: 403, reason: 'Forbidden' };
      await rejects(run(), (error) => error instanceof KubeError && error.status === 403, resource);
      delete server.refused[path];
    }
  });

  it('ends the other lists when one fails, without waiting for their answers', async () => {
    server.silent.add(LIST_PATHS.events);
    server.refused[LIST_PATHS.services] = { status: 400, reason: 'BadRequest' };
    const startedAt = performance.now();
    await rejects(run(), (error) => error instanceof KubeError && error.status === 400);
    ok(performance.now() - startedAt < 5000);
  });

  it('ends with its signal', async () => {
    server.silent.add(LIST_PATHS.events);
    await rejects(run({ signal: AbortSignal.timeout(100) }), KubeError);
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

  it('leaves the cluster’s uid null when kube-system may not be read or is not there, and fails on anything else', async () => {
    const path = '/api/v1/namespaces/kube-system';
    server.refused[path] = { status: 403, reason: 'Forbidden' };
    equal((await run()).data.cluster.uid, null);
    server.refused[path] = { status: 404, reason: 'NotFound' };
    equal((await run()).data.cluster.uid, null);
    server.refused[path] = { status: 500, reason: 'InternalError' };
    await rejects(run(), (error) => error instanceof KubeError && error.status === 500);
  });

  it('cuts a text that would make the backend refuse the snapshot', async () => {
    server.lists[LIST_PATHS.events] = [object('shop', 'e', { reason: 'x'.repeat(100_000) })];
    equal((await run()).data.events[0]?.reason?.length, MAX_TEXT_CHARS);
  });

  it('makes a snapshot that the backend takes, and that names no resource it did not read', async () => {
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
