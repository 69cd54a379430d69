import type { ResourceKey } from './objects.ts';

/** What discovery and the routes know of one resource. */
export interface ResourceRow {
  readonly key: ResourceKey;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  /** Whether the API counts `metadata.generation` for it. */
  readonly generation: boolean;
  /** Custom resources come as unstructured objects: items keep `kind` and `apiVersion`, keys are sorted. */
  readonly custom: boolean;
  readonly subresources: readonly string[];
}

function row(
  group: string,
  version: string,
  key: ResourceKey,
  kind: string,
  shortNames: string,
  options: {
    cluster?: boolean;
    generation?: boolean;
    custom?: boolean;
    singular?: string;
    subresources?: string;
  } = {},
): ResourceRow {
  return {
    key,
    group,
    version,
    kind,
    singular: options.singular ?? kind.toLowerCase(),
    namespaced: options.cluster !== true,
    shortNames: shortNames === '' ? [] : shortNames.split(' '),
    generation: options.generation === true,
    custom: options.custom === true,
    subresources: (options.subresources ?? 'status').split(' ').filter((name) => name !== ''),
  };
}

/** Every stored resource; `nodes` of metrics.k8s.io is computed and has its own route. */
export const resourceRows: readonly ResourceRow[] = [
  row('', 'v1', 'nodes', 'Node', 'no', { cluster: true, subresources: 'proxy status' }),
  row('', 'v1', 'namespaces', 'Namespace', 'ns', { cluster: true, subresources: 'finalize status' }),
  row('', 'v1', 'pods', 'Pod', 'po', { generation: true, subresources: 'eviction log status' }),
  row('', 'v1', 'services', 'Service', 'svc', { subresources: 'proxy status' }),
  row('', 'v1', 'persistentvolumeclaims', 'PersistentVolumeClaim', 'pvc'),
  row('', 'v1', 'events', 'Event', 'ev', { subresources: '' }),
  row('', 'v1', 'resourcequotas', 'ResourceQuota', 'quota'),
  row('', 'v1', 'endpoints', 'Endpoints', 'ep', { subresources: '' }),
  row('apps', 'v1', 'deployments', 'Deployment', 'deploy', {
    generation: true,
    subresources: 'scale status',
  }),
  row('apps', 'v1', 'statefulsets', 'StatefulSet', 'sts', { generation: true, subresources: 'scale status' }),
  row('apps', 'v1', 'daemonsets', 'DaemonSet', 'ds', { generation: true }),
  row('apps', 'v1', 'replicasets', 'ReplicaSet', 'rs', { generation: true, subresources: 'scale status' }),
  row('apps', 'v1', 'controllerrevisions', 'ControllerRevision', '', { subresources: '' }),
  row('batch', 'v1', 'jobs', 'Job', '', { generation: true }),
  row('batch', 'v1', 'cronjobs', 'CronJob', 'cj', { generation: true }),
  row('networking.k8s.io', 'v1', 'ingresses', 'Ingress', 'ing', { generation: true }),
  row('networking.k8s.io', 'v1', 'networkpolicies', 'NetworkPolicy', 'netpol', {
    generation: true,
    subresources: '',
  }),
  row('autoscaling', 'v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', 'hpa'),
  row('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice', '', {
    generation: true,
    subresources: '',
  }),
  row('coordination.k8s.io', 'v1', 'leases', 'Lease', '', { subresources: '' }),
  row('argoproj.io', 'v1alpha1', 'rollouts', 'Rollout', 'ro', {
    generation: true,
    custom: true,
    subresources: 'status scale',
  }),
  row('argoproj.io', 'v1alpha1', 'applications', 'Application', 'app apps', {
    generation: true,
    custom: true,
    subresources: '',
  }),
];

const rowsByKey = new Map(resourceRows.map((each) => [each.key, each]));

/** The row of a resource. */
export function resourceRow(key: ResourceKey): ResourceRow {
  const found = rowsByKey.get(key);
  if (found === undefined) throw new Error(`no resource ${key}`);
  return found;
}

/** `v1`, `apps/v1`: the `apiVersion` of a resource's objects. */
export function apiVersionOf(row: { readonly group: string; readonly version: string }): string {
  return row.group === '' ? row.version : `${row.group}/${row.version}`;
}
