import type { OwnerReference, Workload } from '../../rules/kube/owner.ts';
import { controllerOf, workloadBehind } from '../../rules/kube/owner.ts';
import type { Amounts, Demand, PodDemand } from '../../rules/kube/podResources.ts';
import { podSum } from '../../rules/kube/podResources.ts';
import { millisUp, unitsUp } from '../../rules/kube/quantity.ts';
import { wireTime } from '../../rules/kube/time.ts';
import type { Arrays } from '../../wire/kinds/index.ts';
import type { RawContainer, RawContainerStatus, RawContainers } from './container.ts';
import { isSidecar, podContainers } from './container.ts';
import type { RawCondition, RawObject } from './object.ts';
import { conditionsOf, freeTextOf, identityOf, labelsOf } from './object.ts';

export type PodRecord = Arrays['pods'][number];

/** core/v1 Pod. */
export interface RawPod extends RawObject {
  readonly spec?:
    | (RawContainers & {
        readonly nodeName?: string | null;
        readonly serviceAccountName?: string | null;
        readonly priorityClassName?: string | null;
        readonly overhead?: Amounts | null;
        readonly resources?: Demand | null;
      })
    | null;
  readonly status?: {
    readonly phase?: string | null;
    readonly reason?: string | null;
    readonly podIP?: string | null;
    readonly hostIP?: string | null;
    readonly qosClass?: string | null;
    readonly startTime?: string | null;
    readonly conditions?: readonly RawCondition[] | null;
    readonly containerStatuses?: readonly RawContainerStatus[] | null;
    readonly initContainerStatuses?: readonly RawContainerStatus[] | null;
    readonly ephemeralContainerStatuses?: readonly RawContainerStatus[] | null;
  } | null;
}

/**
 * A pod as sent (AG-09). Containers are counted as kubectl's READY column does, main ones and sidecars; restarts are
 * those of every container, so that a pod whose init container crashes shows it.
 * @param replicaSets controllers of ReplicaSets by uid, see `workloadBehind`
 */
export function mapPod(pod: RawPod, replicaSets: ReadonlyMap<string, Workload | null>): PodRecord {
  const { spec, status } = pod;
  const owner: OwnerReference | null = controllerOf(pod.metadata.ownerReferences);
  const labels = labelsOf(pod.metadata);
  const workload = workloadBehind(owner, labels, replicaSets);
  const containers = podContainers(spec, [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ]);
  const serving = containers.filter(({ role }) => role === 'main' || role === 'sidecar');
  const demand = demandOf(spec);
  return {
    ...identityOf(pod.metadata),
    phase: status?.phase || 'Unknown',
    reason: freeTextOf(status?.reason),
    node_name: spec?.nodeName || null,
    workload_kind: workload?.kind ?? null,
    workload: workload?.name ?? null,
    owner_kind: owner?.kind ?? null,
    owner_name: owner?.name ?? null,
    containers,
    containers_total: serving.length,
    containers_ready: serving.filter(({ ready }) => ready).length,
    restart_count: containers.reduce((sum, { restart_count }) => sum + restart_count, 0),
    cpu_requests_millicores: millisUp(podSum(demand, 'requests', 'cpu')),
    cpu_limits_millicores: millisUp(podSum(demand, 'limits', 'cpu')),
    memory_requests_bytes: unitsUp(podSum(demand, 'requests', 'memory')),
    memory_limits_bytes: unitsUp(podSum(demand, 'limits', 'memory')),
    qos_class: status?.qosClass || null,
    priority_class: spec?.priorityClassName || null,
    service_account: spec?.serviceAccountName || null,
    pod_ip: status?.podIP || null,
    host_ip: status?.hostIP || null,
    conditions: conditionsOf(status?.conditions),
    labels,
    started_at: wireTime(status?.startTime),
  };
}

function demandOf(spec: RawPod['spec']): PodDemand {
  const demands = (containers: readonly RawContainer[] | null | undefined) =>
    (containers ?? []).map((container) => ({ ...container.resources, sidecar: isSidecar(container) }));
  return {
    containers: demands(spec?.containers),
    initContainers: demands(spec?.initContainers),
    overhead: spec?.overhead ?? null,
    podLevel: spec?.resources ?? null,
  };
}
