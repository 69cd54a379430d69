/** Where each list of a cycle is read. */

import type { Coverage, CoveredResource } from '../../wire/coverage.ts';
import type { KubeError } from '../kubeApi.ts';
import type { Reads } from './boundedReads.ts';
import type { Sink } from './gather.ts';

/** API paths by the resource's coverage entry. */
export const LIST_PATHS = {
  nodes: '/api/v1/nodes',
  node_metrics: '/apis/metrics.k8s.io/v1beta1/nodes',
  namespaces: '/api/v1/namespaces',
  deployments: '/apis/apps/v1/deployments',
  statefulsets: '/apis/apps/v1/statefulsets',
  daemonsets: '/apis/apps/v1/daemonsets',
  replicasets: '/apis/apps/v1/replicasets',
  pods: '/api/v1/pods',
  services: '/api/v1/services',
  ingresses: '/apis/networking.k8s.io/v1/ingresses',
  persistentvolumeclaims: '/api/v1/persistentvolumeclaims',
  events: '/api/v1/events',
  jobs: '/apis/batch/v1/jobs',
  cronjobs: '/apis/batch/v1/cronjobs',
  horizontalpodautoscalers: '/apis/autoscaling/v2/horizontalpodautoscalers',
  networkpolicies: '/apis/networking.k8s.io/v1/networkpolicies',
  resourcequotas: '/api/v1/resourcequotas',
  endpointslices: '/apis/discovery.k8s.io/v1/endpointslices',
  rollouts: '/apis/argoproj.io/v1alpha1/rollouts',
  applications: '/apis/argoproj.io/v1alpha1/applications',
} as const satisfies Record<CoveredResource, string>;

/** Reads one list into a sink. Throws KubeError when it can't be read to its end. */
export async function readList<T>(
  api: Reads,
  resource: CoveredResource,
  sink: Sink<T>,
  signal: AbortSignal,
): Promise<void> {
  await api.list<T>(LIST_PATHS[resource], {
    signal,
    // Of a ReplicaSet only its owner is needed; ten old ones may lie behind each Deployment, templates and all.
    metadataOnly: resource === 'replicasets',
    onStart: sink.onStart,
    onItem: sink.onItem,
  });
}

/** Served by every API server: one that answers 404 for them is something else, or broken. */
const ALWAYS_SERVED = /^\/(api|apis\/apps)\//;

/**
 * What a list that failed proves: nothing. `absent` is an API that the server does not serve; a server behind an
 * aggregated API that is down answers 503, which is an error (stack.md section 9).
 */
export function failedCoverage(resource: CoveredResource, error: KubeError): Coverage {
  const isAbsent = error.status === 404 && !ALWAYS_SERVED.test(LIST_PATHS[resource]);
  const state = isAbsent ? 'absent' : error.status === 403 ? 'forbidden' : 'error';
  // The server of an aggregated API writes the reason; the snapshot takes 256 characters of it.
  return { state, listed: 0, sent: 0, reason: (error.reason ?? `http_${error.status}`).slice(0, 256) };
}
