import { by, defineKind, integer, list, map, name, nullable, text } from './define.ts';
import { condition, namespacedIdentity, templateContainer } from './shapes.ts';

/** Deployments, StatefulSets, DaemonSets (AppsV1) and Argo Rollouts, SC-11 to SC-15. */
export const workloads = defineKind({
  name: 'workloads',
  table: 'k8s_workloads',
  path: 'workloads',
  kubernetesKinds: ['Deployment', 'StatefulSet', 'DaemonSet', 'Rollout'],
  key: ['kind', 'namespace', 'name'],
  order: ['namespace', 'kind', 'name'],
  coverage: {
    Deployment: 'deployments',
    StatefulSet: 'statefulsets',
    DaemonSet: 'daemonsets',
    Rollout: 'rollouts',
  },
  fields: {
    kind: name(),
    ...namespacedIdentity,
    replicas_desired: integer(),
    replicas_ready: integer(),
    replicas_available: integer(),
    conditions: list(condition),
    /** `RollingUpdate`, `Recreate`, `OnDelete`, `canary` or `blueGreen`. */
    strategy: nullable(text()),
    service_account: nullable(text()),
    containers: list(templateContainer),
    labels: map(),
    annotations: map(),
    helm_release: nullable(text()),
    helm_chart: nullable(text()),
    helm_chart_version: nullable(text()),
  },
  sortKeys: { kind: by('kind'), replicas: by('replicas_desired'), helm: by('helm_release') },
});
