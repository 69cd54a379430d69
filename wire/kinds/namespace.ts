import { defineKind, keptCount, map, name, nullable, text, time } from './define.ts';

/** Namespaces (CoreV1), SC-09; counts after exclusion, pods before the cap. */
export const namespaces = defineKind({
  name: 'namespaces',
  table: 'k8s_namespaces',
  path: 'namespaces',
  kubernetesKinds: ['Namespace'],
  key: ['name'],
  order: ['name'],
  paged: false,
  namespaced: false,
  coverage: 'namespaces',
  fields: {
    name: name(),
    uid: text(),
    /** `Active` or `Terminating`. */
    status: text(),
    labels: map(),
    workload_count: keptCount(),
    pod_count: keptCount(),
    service_count: keptCount(),
    created_at: nullable(time()),
  },
});
