/** A cluster's snapshot of a chosen size, the same for the same seed; every kind, records as long as real ones. */

import type { Arrays } from '../wire/kinds/index.ts';
import type { ClusterBlock, Snapshot } from '../wire/snapshot.ts';
import type { Seeded } from './seeded.ts';
import { seeded } from './seeded.ts';
import { workloadRecords } from './workloads.ts';

const CREATED = '2026-03-04T05:06:07Z';
const PODS_PER_WORKLOAD = 20;
const PODS_PER_NODE = 50;
const WORKLOADS_PER_NAMESPACE = 10;

/** How much of it there is: everything else follows from the number of pods, but for the events' cap. */
export interface ClusterSize {
  readonly pods: number;
  readonly events: number;
}

/** 5,000 pods of 1.2 KB JSON each and what belongs to them: 8.3 MB, 7,050 records. */
export const LARGE: ClusterSize = { pods: 5000, events: 1000 };

/** Who sends it. */
export interface SnapshotSender {
  readonly agentId: string;
  readonly slug: string;
  readonly uid: string;
}

export const ago = (seconds: number): string =>
  new Date(Date.UTC(2026, 10, 30, 12) - seconds * 1000).toISOString();

const labelsOf = (app: string, namespace: string): Record<string, string> => ({
  'app.kubernetes.io/name': app,
  'app.kubernetes.io/instance': `${app}-${namespace}`,
  'app.kubernetes.io/managed-by': 'Helm',
  'helm.sh/chart': `${app}-4.2.1`,
});

/** The snapshot, stamped `timestamp`. */
export function largeSnapshot(
  sender: SnapshotSender,
  size: ClusterSize,
  timestamp: string,
  seed = 7,
): Snapshot {
  const random = seeded(seed);
  const nodes = nodeRecords(random, Math.max(1, Math.ceil(size.pods / PODS_PER_NODE)));
  const namespaces = namespaceRecords(
    random,
    Math.max(1, Math.ceil(size.pods / PODS_PER_WORKLOAD / WORKLOADS_PER_NAMESPACE)),
  );
  const { workloads, pods, services, endpointSlices } = workloadRecords(random, {
    pods: size.pods,
    podsPerWorkload: PODS_PER_WORKLOAD,
    nodes: nodes.map((node) => node.name),
    namespaces: namespaces.map((namespace) => namespace.name),
    labelsOf,
  });
  return {
    type: 'kubernetes',
    schema: 1,
    agent_id: sender.agentId,
    agent_version: '0.9.0',
    timestamp,
    epoch: null,
    data: {
      cluster: clusterBlock(sender),
      nodes,
      namespaces,
      workloads,
      pods,
      services,
      ingresses: ingressRecords(random, services),
      pvcs: pvcRecords(random, workloads),
      events: eventRecords(random, pods, size.events),
      jobs: jobRecords(random, namespaces),
      hpas: hpaRecords(random, workloads),
      network_policies: networkPolicyRecords(random, namespaces),
      resource_quotas: quotaRecords(random, namespaces),
      endpoint_slices: endpointSlices,
    },
  };
}

const clusterBlock = ({ slug, uid }: SnapshotSender): ClusterBlock => ({
  name: slug,
  display_name: 'Production, Frankfurt',
  slug,
  uid,
  version: 'v1.37.2',
  platform: 'rke2',
  distribution: 'rke2',
  api_server_url: 'https://10.0.0.1:6443',
  cluster_cidr: '10.42.0.0/16',
  service_cidr: '10.43.0.0/16',
  dns_domain: 'cluster.local',
  cloud_provider: 'hetzner',
  cloud_region: 'fsn1',
  cloud_account_id: null,
  status: 'healthy',
  sync_interval_seconds: 300,
  excluded_namespaces: [],
});

function nodeRecords(random: Seeded, count: number): Arrays['nodes'] {
  return Array.from({ length: count }, (_, i) => ({
    name: `worker-${i}`,
    uid: random.uuid(),
    roles: ['worker'],
    labels: {
      'kubernetes.io/hostname': `worker-${i}`,
      'topology.kubernetes.io/zone': `fsn1-dc${i % 3}`,
      'node.kubernetes.io/instance-type': 'cx52',
    },
    taints: [],
    status: 'Ready',
    conditions: ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
      type,
      status: type === 'Ready' ? 'True' : 'False',
      reason: 'KubeletReady',
      message: null,
      last_transition_at: CREATED,
    })),
    unschedulable: false,
    addresses: [{ type: 'InternalIP', address: `10.1.${i >> 8}.${i & 255}` }],
    kubelet_version: 'v1.37.2',
    container_runtime: 'containerd://2.1.4',
    os_image: 'Ubuntu 26.04 LTS',
    kernel_version: '7.0.0-14-generic',
    capacity_cpu_millicores: 16000,
    capacity_memory_bytes: 34359738368,
    capacity_pods: 110,
    allocatable_cpu_millicores: 15800,
    allocatable_memory_bytes: 33285996544,
    allocatable_pods: 110,
    usage_cpu_millicores: random.below(16000),
    usage_memory_bytes: random.below(1 << 30) * 16,
    pod_count: PODS_PER_NODE,
    provider_id: `hcloud://${random.below(1_000_000)}`,
    instance_type: 'cx52',
    zone: `fsn1-dc${i % 3}`,
    created_at: CREATED,
  }));
}

function namespaceRecords(random: Seeded, count: number): Arrays['namespaces'] {
  return Array.from({ length: count }, (_, i) => ({
    name: `team-${i}`,
    uid: random.uuid(),
    status: 'Active',
    labels: { 'kubernetes.io/metadata.name': `team-${i}`, owner: `owner-${i % 7}` },
    workload_count: WORKLOADS_PER_NAMESPACE,
    pod_count: WORKLOADS_PER_NAMESPACE * PODS_PER_WORKLOAD,
    service_count: WORKLOADS_PER_NAMESPACE,
    created_at: CREATED,
  }));
}

const identity = (random: Seeded, namespace: string, name: string) => ({
  namespace,
  name,
  uid: random.uuid(),
  created_at: CREATED,
});

const ingressRecords = (random: Seeded, services: Arrays['services']): Arrays['ingresses'] =>
  services
    .filter((_, i) => i % 5 === 0)
    .map(({ namespace, name }) => ({
      ...identity(random, namespace, name),
      class: 'nginx',
      rules: [
        {
          host: `${name}.${namespace}.example.com`,
          paths: [{ path: '/', path_type: 'Prefix', backend: { service: name, port: '80' } }],
        },
      ],
      tls: [{ hosts: [`${name}.${namespace}.example.com`], secret_name: `${name}-tls` }],
      default_backend: null,
      load_balancer: [{ ip: '192.0.2.10', hostname: null }],
      labels: labelsOf(name, namespace),
      annotations: {},
    }));

const pvcRecords = (random: Seeded, workloads: Arrays['workloads']): Arrays['pvcs'] =>
  workloads
    .filter((workload) => workload.kind === 'StatefulSet')
    .map(({ namespace, name }) => ({
      ...identity(random, namespace, `data-${name}-0`),
      phase: 'Bound',
      storage_class: 'longhorn',
      capacity_bytes: 10737418240,
      requested_bytes: 10737418240,
      access_modes: ['ReadWriteOnce'],
      volume_name: `pvc-${random.uuid()}`,
      volume_mode: 'Filesystem',
      labels: labelsOf(name, namespace),
      annotations: {},
    }));

const eventRecords = (random: Seeded, pods: Arrays['pods'], count: number): Arrays['events'] =>
  Array.from({ length: pods.length === 0 ? 0 : count }, (_, i) => {
    const { namespace, name } = random.pick(pods);
    return {
      ...identity(random, namespace, `${name}.${random.hex(16)}`),
      type: i % 4 === 0 ? 'Warning' : 'Normal',
      reason: random.pick(['BackOff', 'Pulled', 'Scheduled', 'Unhealthy']),
      message: null,
      involved_kind: 'Pod',
      involved_namespace: namespace,
      involved_name: name,
      source_component: 'kubelet',
      count: 1 + random.below(20),
      first_seen_at: ago(7200),
      last_seen_at: ago(random.below(7200)),
    };
  });

const jobRecords = (random: Seeded, namespaces: Arrays['namespaces']): Arrays['jobs'] =>
  namespaces.map(({ name: namespace }) => ({
    kind: 'CronJob',
    ...identity(random, namespace, 'nightly-report'),
    status: 'Active',
    completions: null,
    parallelism: null,
    active: 0,
    succeeded: null,
    failed: null,
    schedule: '0 3 * * *',
    time_zone: 'Etc/UTC',
    concurrency_policy: 'Forbid',
    suspended: false,
    last_schedule_at: ago(36000),
    last_successful_at: ago(35000),
    started_at: null,
    completed_at: null,
    owner_kind: null,
    owner_name: null,
    containers: [
      {
        name: 'report',
        image: 'registry.example.com/report:7',
        role: 'main',
        requests: {},
        limits: {},
        ports: [],
      },
    ],
    conditions: [],
    labels: labelsOf('report', namespace),
    annotations: {},
  }));

const hpaRecords = (random: Seeded, workloads: Arrays['workloads']): Arrays['hpas'] =>
  workloads
    .filter((_, i) => i % 10 === 0)
    .map(({ namespace, name, kind }) => ({
      ...identity(random, namespace, name),
      target_kind: kind,
      target_name: name,
      min_replicas: 2,
      max_replicas: 20,
      current_replicas: 10,
      desired_replicas: 10,
      metrics: [{ type: 'Resource', name: 'cpu', target_type: 'Utilization', target: '80', current: '41' }],
      conditions: [
        { type: 'AbleToScale', status: 'True', reason: 'Ready', message: null, last_transition_at: CREATED },
      ],
      last_scale_at: ago(9000),
      labels: labelsOf(name, namespace),
      annotations: {},
    }));

const networkPolicyRecords = (random: Seeded, namespaces: Arrays['namespaces']): Arrays['network_policies'] =>
  namespaces.map(({ name: namespace }) => ({
    ...identity(random, namespace, 'same-namespace'),
    pod_selector: { match_labels: {}, match_expressions: [] },
    policy_types: ['Ingress'],
    ingress: [
      {
        ports: [],
        peers: [
          {
            pod_selector: { match_labels: {}, match_expressions: [] },
            namespace_selector: null,
            ip_block: null,
          },
        ],
      },
    ],
    egress: [],
    labels: {},
    annotations: {},
  }));

const quotaRecords = (random: Seeded, namespaces: Arrays['namespaces']): Arrays['resource_quotas'] =>
  namespaces.map(({ name: namespace }) => ({
    ...identity(random, namespace, 'default'),
    hard: { 'requests.cpu': '40', 'requests.memory': '128Gi', pods: '200' },
    used: { 'requests.cpu': '21500m', 'requests.memory': '61Gi', pods: '100' },
    scopes: [],
    labels: {},
  }));
