/**
 * What the API must answer for objects as `kubectl get -o json` shows them: a second, plainer reading of Kubernetes,
 * written from its API reference and not from our mappers, so that the two can disagree.
 */
import assert from 'node:assert/strict';
import type { Row } from './apiReads.ts';

/** An object of the Kubernetes API. */
export type Raw = Readonly<Record<string, unknown>>;

/** Lists a resource: `pods`, `deployments`, … */
export type Lister = (resource: string) => Promise<readonly Raw[]>;

/** The value at a dotted path; undefined where something on the way is missing. */
export function at(object: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], object);
}

const orNull = (value: unknown): unknown => (value === undefined || value === '' ? null : value);
const list = (object: unknown, path: string): Raw[] => (at(object, path) as Raw[] | undefined) ?? [];
const sum = (numbers: unknown[]): number => numbers.reduce<number>((total, n) => total + Number(n ?? 0), 0);
/** Whole milliseconds, as the API writes times. */
const time = (value: unknown): string | null =>
  typeof value === 'string' ? new Date(value).toISOString().replace('.000Z', 'Z') : null;

const identity = (o: Raw) => ({
  name: at(o, 'metadata.name'),
  uid: at(o, 'metadata.uid'),
  created_at: time(at(o, 'metadata.creationTimestamp')),
});
const namespaced = (o: Raw) => ({ namespace: at(o, 'metadata.namespace'), ...identity(o) });
const labels = (o: Raw) => ({ labels: at(o, 'metadata.labels') ?? {} });
const intOrNull = (value: unknown): string | null => (value === undefined ? null : String(value));

const images = (podSpec: unknown): unknown[] => [
  ...list(podSpec, 'containers').map((c) => [c.name, c.image]),
  ...list(podSpec, 'initContainers').map((c) => [c.name, c.image]),
];

const condition = (o: Raw, type: string): unknown =>
  list(o, 'status.conditions').find((c) => c.type === type)?.status;

/** A part of a row, by kind of object. Keys that start with `~` are compared after {@link seen} has derived them. */
type Expect = (o: Raw) => Row;

const workload =
  (kind: string, replicas: (o: Raw) => Row): Expect =>
  (o) => ({
    kind,
    ...namespaced(o),
    ...labels(o),
    ...replicas(o),
    strategy: strategyOf(kind, o),
    '~images': images(at(o, 'spec.template.spec')),
  });

function strategyOf(kind: string, o: Raw): unknown {
  if (kind === 'Rollout') return at(o, 'spec.strategy.canary') ? 'canary' : 'blueGreen';
  return orNull(at(o, kind === 'Deployment' ? 'spec.strategy.type' : 'spec.updateStrategy.type'));
}

const fromSpec = (o: Raw): Row => ({
  replicas_desired: at(o, 'spec.replicas') ?? 1,
  replicas_ready: at(o, 'status.readyReplicas') ?? 0,
  replicas_available: at(o, 'status.availableReplicas') ?? 0,
});

/** The kinds: resources of each, and what is expected of every object. */
const EXPECTED: Readonly<Record<string, Readonly<Record<string, Expect>>>> = {
  nodes: {
    nodes: (o) => ({
      ...identity(o),
      ...labels(o),
      status: { True: 'Ready', False: 'NotReady' }[String(condition(o, 'Ready'))] ?? 'Unknown',
      unschedulable: at(o, 'spec.unschedulable') ?? false,
      kubelet_version: orNull(at(o, 'status.nodeInfo.kubeletVersion')),
      os_image: orNull(at(o, 'status.nodeInfo.osImage')),
      allocatable_pods: Number(at(o, 'status.allocatable.pods')),
      // An address without a value says nothing.
      addresses: list(o, 'status.addresses')
        .filter(({ address }) => address !== '')
        .map(({ type, address }) => ({ type, address })),
    }),
  },
  namespaces: {
    namespaces: (o) => ({ ...identity(o), ...labels(o), status: at(o, 'status.phase') }),
  },
  workloads: {
    deployments: workload('Deployment', fromSpec),
    statefulsets: workload('StatefulSet', fromSpec),
    daemonsets: workload('DaemonSet', (o) => ({
      replicas_desired: at(o, 'status.desiredNumberScheduled') ?? 0,
      replicas_ready: at(o, 'status.numberReady') ?? 0,
      replicas_available: at(o, 'status.numberAvailable') ?? 0,
    })),
    rollouts: workload('Rollout', fromSpec),
  },
  pods: {
    pods: (o) => ({
      ...namespaced(o),
      ...labels(o),
      phase: at(o, 'status.phase'),
      node_name: orNull(at(o, 'spec.nodeName')),
      pod_ip: orNull(at(o, 'status.podIP')),
      qos_class: orNull(at(o, 'status.qosClass')),
      started_at: time(at(o, 'status.startTime')),
      restart_count: sum(
        ['containerStatuses', 'initContainerStatuses'].flatMap((key) =>
          list(o, `status.${key}`).map((c) => c.restartCount),
        ),
      ),
      '~images': images(o.spec),
    }),
  },
  services: {
    services: (o) => ({
      ...namespaced(o),
      ...labels(o),
      type: at(o, 'spec.type'),
      cluster_ip: orNull(at(o, 'spec.clusterIP')),
      selector: at(o, 'spec.selector') ?? {},
      '~ports': list(o, 'spec.ports').map((p) => [p.port, p.protocol, intOrNull(p.targetPort)]),
    }),
  },
  ingresses: {
    ingresses: (o) => ({
      ...namespaced(o),
      ...labels(o),
      class: orNull(at(o, 'spec.ingressClassName')),
      '~hosts': list(o, 'spec.rules').map((r) => orNull(r.host)),
      tls: list(o, 'spec.tls').map((t) => ({ hosts: t.hosts ?? [], secret_name: orNull(t.secretName) })),
    }),
  },
  pvcs: {
    persistentvolumeclaims: (o) => ({
      ...namespaced(o),
      ...labels(o),
      phase: at(o, 'status.phase'),
      storage_class: orNull(at(o, 'spec.storageClassName')),
      access_modes: at(o, 'status.accessModes') ?? at(o, 'spec.accessModes') ?? [],
      volume_name: orNull(at(o, 'spec.volumeName')),
    }),
  },
  events: {
    events: (o) => ({
      ...namespaced(o),
      type: at(o, 'type'),
      reason: orNull(o.reason),
      involved_kind: orNull(at(o, 'involvedObject.kind')),
      involved_name: orNull(at(o, 'involvedObject.name')),
      count: o.count ?? at(o, 'series.count') ?? 1,
      // None of the messages of these clusters holds a secret, so that all come through as they are.
      message: orNull(o.message),
    }),
  },
  jobs: {
    jobs: (o) => ({
      kind: 'Job',
      ...namespaced(o),
      ...labels(o),
      completions: orNull(at(o, 'spec.completions')),
      succeeded: at(o, 'status.succeeded') ?? 0,
      failed: at(o, 'status.failed') ?? 0,
      '~images': images(at(o, 'spec.template.spec')),
    }),
    cronjobs: (o) => ({
      kind: 'CronJob',
      ...namespaced(o),
      ...labels(o),
      schedule: at(o, 'spec.schedule'),
      status: at(o, 'spec.suspend') === true ? 'Suspended' : 'Active',
      last_schedule_at: time(at(o, 'status.lastScheduleTime')),
      '~images': images(at(o, 'spec.jobTemplate.spec.template.spec')),
    }),
  },
  hpas: {
    horizontalpodautoscalers: (o) => ({
      ...namespaced(o),
      ...labels(o),
      target_kind: at(o, 'spec.scaleTargetRef.kind'),
      target_name: at(o, 'spec.scaleTargetRef.name'),
      min_replicas: at(o, 'spec.minReplicas') ?? 1,
      max_replicas: at(o, 'spec.maxReplicas'),
      current_replicas: at(o, 'status.currentReplicas') ?? 0,
    }),
  },
  network_policies: {
    networkpolicies: (o) => ({
      ...namespaced(o),
      ...labels(o),
      policy_types: at(o, 'spec.policyTypes') ?? [],
      '~rules': [list(o, 'spec.ingress').length, list(o, 'spec.egress').length],
    }),
  },
  resource_quotas: {
    resourcequotas: (o) => ({
      ...namespaced(o),
      ...labels(o),
      hard: at(o, 'status.hard') ?? at(o, 'spec.hard') ?? {},
      used: at(o, 'status.used') ?? {},
    }),
  },
  endpoint_slices: {
    endpointslices: (o) => ({
      ...namespaced(o),
      ...labels(o),
      address_type: o.addressType,
      service: orNull((at(o, 'metadata.labels') as Raw | undefined)?.['kubernetes.io/service-name']),
      '~addresses': list(o, 'endpoints').map((e) => [e.addresses, at(e, 'conditions.ready') ?? true]),
    }),
  },
};

/** Nested parts of a row in the short form that the expectations use. */
const SEEN: Readonly<Record<string, (row: Row) => unknown>> = {
  '~images': (row) =>
    [...list(row, 'containers')]
      .sort((a, b) => Number(a.role !== 'main') - Number(b.role !== 'main'))
      .filter((c) => c.role !== 'ephemeral')
      .map((c) => [c.name, c.image]),
  '~ports': (row) => list(row, 'ports').map((p) => [p.port, p.protocol, p.target_port]),
  '~hosts': (row) => list(row, 'rules').map((r) => r.host),
  '~rules': (row) => [list(row, 'ingress').length, list(row, 'egress').length],
  '~addresses': (row) => list(row, 'endpoints').map((e) => [e.addresses, e.ready]),
};

/** Every resource that the expectations read. */
export const EXPECTED_RESOURCES = Object.values(EXPECTED).flatMap((resources) => Object.keys(resources));

/** Asserts that the thirteen lists hold exactly the objects that `lister` gives, and say of each what Kubernetes says. */
export async function assertInventory(
  inventory: Readonly<Record<string, readonly Row[]>>,
  lister: Lister,
): Promise<void> {
  for (const [kind, resources] of Object.entries(EXPECTED)) {
    const expected: Row[] = [];
    for (const [resource, expect] of Object.entries(resources)) {
      expected.push(...(await lister(resource)).map(expect));
    }
    const rows = inventory[kind] ?? [];
    const uids = (all: readonly Row[]): unknown[] => all.map((row) => row.uid).sort();
    assert.deepEqual(uids(rows), uids(expected), `${kind}: which objects are listed`);
    const byUid = new Map(rows.map((row) => [row.uid, row]));
    for (const want of expected) {
      const row = byUid.get(want.uid) ?? {};
      const seen = Object.fromEntries(
        Object.keys(want).map((key) => [key, (SEEN[key] ?? ((r: Row) => r[key]))(row)]),
      );
      assert.deepEqual(seen, want, `${kind} ${String(want.namespace ?? '')}/${String(want.name)}`);
    }
  }
}
