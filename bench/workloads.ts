/** Workloads, and what follows from them: pods, a service and an endpoint slice each. */

import type { Arrays } from '../wire/kinds/index.ts';
import type { SentWorkload } from '../wire/snapshot.ts';
import type { WorkloadSpecFacts } from '../wire/specFacts.ts';
import type { Seeded } from './seeded.ts';

const CREATED = '2026-03-04T05:06:07Z';
const STARTED = '2026-11-29T08:09:10Z';

export interface WorkloadPlan {
  readonly pods: number;
  readonly podsPerWorkload: number;
  readonly nodes: readonly string[];
  readonly namespaces: readonly string[];
  readonly labelsOf: (app: string, namespace: string) => Record<string, string>;
}

interface WorkloadArrays {
  readonly workloads: SentWorkload[];
  readonly pods: Arrays['pods'];
  readonly services: Arrays['services'];
  readonly endpointSlices: Arrays['endpoint_slices'];
}

export function workloadRecords(random: Seeded, plan: WorkloadPlan): WorkloadArrays {
  const arrays: WorkloadArrays = { workloads: [], pods: [], services: [], endpointSlices: [] };
  const count = Math.ceil(plan.pods / plan.podsPerWorkload);
  for (let i = 0; i < count; i += 1) {
    const namespace = plan.namespaces[i % plan.namespaces.length] ?? 'default';
    const app = `service-${i}`;
    const labels = plan.labelsOf(app, namespace);
    const replicas = Math.min(plan.podsPerWorkload, plan.pods - arrays.pods.length);
    const workload = workloadRecord(random, i, app, namespace, labels, replicas);
    arrays.workloads.push(workload);
    const pods = Array.from({ length: replicas }, () => podRecord(random, workload, labels, plan.nodes));
    arrays.pods.push(...pods);
    arrays.services.push(serviceRecord(random, i, app, namespace, labels));
    arrays.endpointSlices.push(sliceRecord(random, app, namespace, pods));
  }
  return arrays;
}

function workloadRecord(
  random: Seeded,
  index: number,
  app: string,
  namespace: string,
  labels: Record<string, string>,
  replicas: number,
): SentWorkload {
  return {
    kind: index % 5 === 1 ? 'StatefulSet' : index % 5 === 3 ? 'DaemonSet' : 'Deployment',
    namespace,
    name: app,
    uid: random.uuid(),
    created_at: CREATED,
    replicas_desired: replicas,
    replicas_ready: replicas,
    replicas_available: replicas,
    conditions: ['Available', 'Progressing'].map((type) => ({
      type,
      status: 'True',
      reason: 'MinimumReplicasAvailable',
      message: null,
      last_transition_at: CREATED,
    })),
    strategy: 'RollingUpdate',
    service_account: app,
    containers: [
      {
        name: app,
        image: `registry.example.com/${namespace}/${app}:1.${index}.0`,
        role: 'main',
        requests: { cpu: '250m', memory: '512Mi' },
        limits: { memory: '1Gi' },
        ports: [{ name: 'http', container_port: 8080, protocol: 'TCP' }],
      },
    ],
    labels,
    annotations: {},
    helm_release: index % 2 === 0 ? app : null,
    helm_chart: index % 2 === 0 ? app : null,
    helm_chart_version: index % 2 === 0 ? '4.2.1' : null,
    spec_facts: specFacts(app, replicas, `registry.example.com/${namespace}/${app}:1.${index}.0`),
  };
}

/** 1 KB, as a workload with a sidecar, an init container and 17 variables has. */
const specFacts = (app: string, replicas: number, image: string): WorkloadSpecFacts => ({
  facts_version: 1,
  replicas,
  strategy: { type: 'RollingUpdate', max_surge: '25%', max_unavailable: '25%' },
  containers: [
    containerFacts(app, image, 17),
    containerFacts('proxy', 'registry.example.com/mesh/proxy:1.29.0', 4),
    { ...containerFacts('schema', image, 2), init: true },
  ],
});

const containerFacts = (name: string, image: string, variables: number) => ({
  name,
  image,
  requests: { cpu: '250m', memory: '512Mi' },
  limits: { memory: '1Gi' },
  env_names: Array.from({ length: variables }, (_, i) => `SETTING_NUMBER_${i}`).sort(),
  env_from: [`configmap:${name}-config`],
  volume_refs: [`secret:${name}-tls`],
});

function podRecord(
  random: Seeded,
  workload: SentWorkload,
  labels: Record<string, string>,
  nodes: readonly string[],
): Arrays['pods'][number] {
  const { namespace, name: app } = workload;
  const template = random.hex(10);
  return {
    namespace,
    name: `${app}-${template}-${random.hex(5)}`,
    uid: random.uuid(),
    created_at: STARTED,
    phase: 'Running',
    reason: null,
    node_name: random.pick(nodes),
    workload_kind: workload.kind,
    workload: app,
    owner_kind: 'ReplicaSet',
    owner_name: `${app}-${template}`,
    containers: workload.containers.map((container) => ({
      ...container,
      ports: [],
      ready: true,
      restart_count: random.below(3),
      state: 'running',
      reason: null,
      exit_code: null,
      last_reason: null,
      last_exit_code: null,
    })),
    containers_total: 1,
    containers_ready: 1,
    restart_count: 0,
    cpu_requests_millicores: 250,
    cpu_limits_millicores: null,
    memory_requests_bytes: 536870912,
    memory_limits_bytes: 1073741824,
    qos_class: 'Burstable',
    priority_class: null,
    service_account: app,
    pod_ip: `10.42.${random.below(256)}.${random.below(256)}`,
    host_ip: `10.1.0.${random.below(256)}`,
    conditions: ['Ready'].map((type) => ({
      type,
      status: 'True',
      reason: null,
      message: null,
      last_transition_at: STARTED,
    })),
    labels: {
      'app.kubernetes.io/name': app,
      'app.kubernetes.io/instance': labels['app.kubernetes.io/instance'] ?? app,
      'pod-template-hash': template,
    },
    started_at: STARTED,
  };
}

function serviceRecord(
  random: Seeded,
  index: number,
  app: string,
  namespace: string,
  labels: Record<string, string>,
): Arrays['services'][number] {
  const address = `10.43.${index >> 8}.${index & 255}`;
  return {
    namespace,
    name: app,
    uid: random.uuid(),
    created_at: CREATED,
    type: 'ClusterIP',
    cluster_ip: address,
    cluster_ips: [address],
    external_ips: [],
    external_name: null,
    session_affinity: 'None',
    ports: [
      { name: 'http', protocol: 'TCP', port: 80, target_port: 'http', node_port: null, app_protocol: null },
    ],
    selector: { 'app.kubernetes.io/name': app },
    load_balancer: [],
    labels,
    annotations: {},
  };
}

function sliceRecord(
  random: Seeded,
  app: string,
  namespace: string,
  pods: Arrays['pods'],
): Arrays['endpoint_slices'][number] {
  return {
    namespace,
    name: `${app}-${random.hex(5)}`,
    uid: random.uuid(),
    created_at: CREATED,
    address_type: 'IPv4',
    service: app,
    endpoints: pods.map((pod) => ({
      addresses: pod.pod_ip === null ? [] : [pod.pod_ip],
      ready: true,
      serving: true,
      terminating: false,
      node_name: pod.node_name,
      zone: null,
      target_kind: 'Pod',
      target_name: pod.name,
    })),
    ports: [{ name: 'http', protocol: 'TCP', port: 8080, app_protocol: null }],
    labels: { 'kubernetes.io/service-name': app },
  };
}
