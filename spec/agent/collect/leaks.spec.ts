import { deepEqual, equal, ok } from 'node:assert/strict';
import { createCollector } from '../../../agent/collect/index.ts';
import { LIST_PATHS } from '../../../agent/collect/listings.ts';
import type { FactsKind } from '../../../rules/facts/build.ts';
import { encodeSnapshot } from '../../../wire/inventory.ts';
import type { SnapshotBody } from '../../../wire/snapshot.ts';
import { plant } from '../../rules/facts/plant.ts';
import { rawSpecOf } from '../../rules/facts/workloads.ts';
import { snapshotOf } from '../../support/snapshots.ts';
import { readFixtures } from './fixtures.ts';
import type { ListServer } from './listServer.ts';
import { startListServer } from './listServer.ts';

const KINDS: Readonly<Record<FactsKind, string>> = {
  Deployment: LIST_PATHS.deployments,
  StatefulSet: LIST_PATHS.statefulsets,
  DaemonSet: LIST_PATHS.daemonsets,
  Rollout: LIST_PATHS.rollouts,
};

/** Places of a workload's spec whose text may be anywhere in the payload: names, images, amounts and references. */
const SENT: readonly RegExp[] = [
  /^template\.spec\.(serviceAccountName|priorityClassName)$/,
  // Of the rows: the API server takes nothing but quantities here, save in a Rollout. Facts hold only quantities anyway.
  /^template\.spec\.\w+\.\d+\.resources\.(requests|limits)\./,
  /^template\.spec\.(containers|initContainers|ephemeralContainers)\.\d+\.(name|image)$/,
  /^template\.spec\.(containers|initContainers|ephemeralContainers)\.\d+\.ports\.\d+\.(name|protocol)$/,
  /^template\.spec\.(containers|initContainers)\.\d+\.env\.\d+\.name$/,
  /^template\.spec\.(containers|initContainers)\.\d+\.envFrom\.\d+\.(prefix|configMapRef\.name|secretRef\.name)$/,
  /^template\.spec\.volumes\.\d+\.(configMap\.name|secret\.secretName|persistentVolumeClaim\.claimName)$/,
  /^template\.spec\.volumes\.\d+\.projected\.sources\.\d+\.(configMap|secret)\.name$/,
  /^template\.spec\.volumes\.\d+\.csi\.nodePublishSecretRef\.name$/,
  /^(strategy|updateStrategy)\.(type|(rollingUpdate|canary)\.(maxSurge|maxUnavailable))$/,
  // By this name a mount finds its claim template, so all of them carry one marker.
  /^template\.spec\.(volumes|\w+\.\d+\.volumeMounts)\.\d+\.name$|^volumeClaimTemplates\.\d+\.metadata\.name$/,
];

/** List path by kind. */
const PATHS: Readonly<Record<string, string>> = {
  ...KINDS,
  Node: LIST_PATHS.nodes,
  Namespace: LIST_PATHS.namespaces,
  Pod: LIST_PATHS.pods,
  Service: LIST_PATHS.services,
  Ingress: LIST_PATHS.ingresses,
  PersistentVolumeClaim: LIST_PATHS.persistentvolumeclaims,
  Event: LIST_PATHS.events,
  Job: LIST_PATHS.jobs,
  CronJob: LIST_PATHS.cronjobs,
  HorizontalPodAutoscaler: LIST_PATHS.horizontalpodautoscalers,
  NetworkPolicy: LIST_PATHS.networkpolicies,
  ResourceQuota: LIST_PATHS.resourcequotas,
  EndpointSlice: LIST_PATHS.endpointslices,
  Application: LIST_PATHS.applications,
};

const MARKER = 'm4rker';
const marker = (): string => `${MARKER}7x9q`;

const annotationsWithSecrets = () => ({
  'example.com/db-password': marker(),
  'example.com/note': `connect with password=${marker()} please`,
  'example.com/url': `https://user:${marker()}@host.example/path`,
  'kubectl.kubernetes.io/last-applied-configuration': `{"env":[{"value":"${marker()}"}]}`,
  'qbec.io/last-applied': marker(),
  'meta.helm.sh/release-name': `token=${marker()}`,
  'kubernetes.io/ingress.class': `password=${marker()}`,
});

/** What a container may have beside its names and amounts. */
const containerWithSecrets = () => ({
  command: [marker()],
  args: [`--token=${marker()}`],
  workingDir: marker(),
  env: [
    { name: 'DB_PASSWORD', value: marker() },
    { name: 'REF', valueFrom: { secretKeyRef: { name: 'ref', key: marker() } } },
  ],
  volumeMounts: [{ name: 'data', mountPath: marker(), subPath: marker() }],
  livenessProbe: { httpGet: { path: marker(), httpHeaders: [{ name: 'Authorization', value: marker() }] } },
  lifecycle: { preStop: { exec: { command: [marker()] } } },
});

const podWithSecrets = (containers: Record<string, unknown>) => ({
  ...containers,
  volumes: [
    { name: 'data', csi: { driver: marker(), volumeAttributes: { token: marker() } } },
    { name: 'map', configMap: { name: 'map', items: [{ key: marker(), path: marker() }] } },
  ],
});

const CONTAINERS = ['containers', 'initContainers', 'ephemeralContainers'];

/** The object with secrets wherever one can stand: in annotations, containers, volumes, messages and reasons. */
function withSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSecrets);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, child]): [string, unknown] => {
    if (key === 'message' || key === 'reason' || key === 'component')
      return [key, `failed with password=${marker()}`];
    if (key === 'metadata') {
      const managedFields = [{ manager: 'kubectl', fieldsV1: { [marker()]: {} } }];
      return [key, { ...(child as object), managedFields, annotations: annotationsWithSecrets() }];
    }
    if (!CONTAINERS.includes(key)) return [key, withSecrets(child)];
    return [key, (child as object[]).map((container) => ({ ...container, ...containerWithSecrets() }))];
  });
  const copy = Object.fromEntries(entries);
  return 'containers' in copy ? podWithSecrets(copy) : copy;
}

const application = {
  kind: 'Application',
  metadata: { namespace: 'argocd', name: 'shop', uid: 'a', creationTimestamp: '2026-11-30T10:00:00Z' },
  spec: {
    destination: { server: `https://user:${marker()}@10.0.0.1/?${marker()}#${marker()}`, name: 'production' },
    source: {
      repoURL: `https://bot:${marker()}@git.example/repo?token=${marker()}#${marker()}`,
      path: `deploy/password=${marker()}`,
      helm: {
        values: `password: ${marker()}`,
        valuesObject: { password: marker() },
        parameters: [{ name: marker(), value: marker() }],
      },
      plugin: { env: [{ name: 'TOKEN', value: marker() }] },
      kustomize: { patches: [{ patch: marker() }] },
    },
  },
  status: {
    sync: { status: 'Synced', revision: '1', comparedTo: { source: marker() } },
    health: { status: 'Healthy', message: marker() },
    history: [{ source: { helm: { values: marker() } } }],
    conditions: [{ message: marker() }],
    operationState: { message: marker() },
    resources: [{ group: 'apps', kind: 'Deployment', name: 'api', health: { message: marker() } }],
  },
};

describe('the whole payload', () => {
  let server: ListServer;
  beforeEach(async () => {
    server = await startListServer();
    server.objects['/apis/argoproj.io/v1alpha1'] = {
      resources: [{ name: 'rollouts' }, { name: 'applications' }],
    };
    server.objects['/version'] = { gitVersion: 'v1.37.2' };
    server.objects['/api/v1/namespaces/kube-system'] = { metadata: { name: 'kube-system', uid: 'uid' } };
  });
  afterEach(() => server.stop());

  /** A cycle's data, and its whole snapshot as text. */
  async function payload(): Promise<{ data: SnapshotBody; text: string }> {
    const collector = createCollector(server.api, {
      clusterName: 'shop',
      clusterSlug: 'shop',
      excludedNamespaces: new Set<string>(),
      podLimit: 5000,
      syncIntervalSeconds: 300,
      inClusterNames: [],
      log: { warn: () => undefined },
    });
    const { data, coverage } = await collector.collect(AbortSignal.timeout(10_000));
    return { data, text: encodeSnapshot({ ...snapshotOf(), coverage, data }).toString() };
  }

  it('holds no secret of any kind of object, in annotations, containers, volumes, messages, reasons and URLs (AG-30 to AG-32, X-29, AA-05 to AA-07)', async () => {
    for (const object of [...readFixtures().map((fixture) => fixture.object), application]) {
      const path = PATHS[object.kind] ?? '';
      server.lists[path] = [...(server.lists[path] ?? []), withSecrets(object) as object];
    }
    deepEqual(Object.keys(server.lists).sort(), Object.values(PATHS).sort());
    ok(JSON.stringify(server.lists).split(MARKER).length > 300);
    const { data, text } = await payload();
    const at = text.indexOf(MARKER);
    equal(at, -1, text.slice(Math.max(0, at - 200), at + 50));
    // The scan sees what there is: every kind travelled, and what stood beside the secrets.
    for (const [array, records] of Object.entries(data))
      if (Array.isArray(records)) ok(records.length > 0, array);
    equal(data.argocd?.applications.length, 1);
    ok(text.split('failed with password=').length > 10 && text.includes('"DB_PASSWORD"'));
  });

  for (const [kind, path] of Object.entries(KINDS) as [FactsKind, string][]) {
    it(`holds no planted value of a ${kind}, nor of its pods (SF-16, SF-20)`, async () => {
      const { spec, places } = plant(rawSpecOf(kind));
      const metadata = {
        namespace: 'shop',
        name: 'api',
        uid: 'u',
        creationTimestamp: '2026-11-30T10:00:00Z',
      };
      const { template } = spec as { template: { spec: object } };
      server.lists[path] = [{ metadata, spec }];
      server.lists[LIST_PATHS.pods] = [{ metadata, spec: template.spec, status: { phase: 'Running' } }];
      const { data, text } = await payload();
      const found = [...places].filter(([marker]) => text.includes(marker)).flatMap(([, from]) => from);
      deepEqual(
        found.filter((place) => !SENT.some((sent) => sent.test(place))),
        [],
      );
      // The scan sees what there is: names and images did travel.
      ok(text.includes('"spec_facts"') && found.length > 20);
      ok(data.pods.length === 1);
    });
  }
});
