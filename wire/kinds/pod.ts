import { bigint, by, defineKind, integer, list, map, nullable, text, time } from './define.ts';
import { condition, namespacedIdentity, podContainer } from './shapes.ts';

/** Pods (CoreV1). Request and limit sums follow the scheduler; null when no container sets any (contracts.md section 1). */
export const pods = defineKind({
  name: 'pods',
  table: 'k8s_pods',
  path: 'pods',
  kubernetesKinds: ['Pod'],
  coverage: 'pods',
  fields: {
    ...namespacedIdentity,
    phase: text(),
    /** `status.reason`, such as Evicted. */
    reason: nullable(text()),
    node_name: nullable(text()),
    /** The workload behind the pod, its ReplicaSet resolved (AG-33); null for a bare pod. */
    workload_kind: nullable(text()),
    workload: nullable(text()),
    owner_kind: nullable(text()),
    owner_name: nullable(text()),
    containers: list(podContainer),
    containers_total: integer(),
    containers_ready: integer(),
    restart_count: integer(),
    cpu_requests_millicores: nullable(integer()),
    cpu_limits_millicores: nullable(integer()),
    memory_requests_bytes: nullable(bigint()),
    memory_limits_bytes: nullable(bigint()),
    qos_class: nullable(text()),
    priority_class: nullable(text()),
    service_account: nullable(text()),
    pod_ip: nullable(text()),
    host_ip: nullable(text()),
    conditions: list(condition),
    labels: map(),
    started_at: nullable(time()),
  },
  sortKeys: {
    phase: by('phase'),
    ready: by('containers_ready'),
    restarts: by('restart_count'),
    cpu: by('cpu_requests_millicores'),
    memory: by('memory_requests_bytes'),
    node: by('node_name'),
    age: { columns: ['started_at', 'created_at'], as: 'age' },
  },
});
