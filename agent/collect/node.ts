import { labelOf, nodeRoles, nodeStatus } from '../../rules/kube/node.ts';
import type { NodeTraits } from '../../rules/kube/platform.ts';
import { countUp, millisUp, nanosOf, unitsUp } from '../../rules/kube/quantity.ts';
import { wireTime } from '../../rules/kube/time.ts';
import type { Arrays } from '../../wire/kinds/index.ts';
import type { RawCondition, RawObject } from './object.ts';
import { conditionsOf, identityOf, labelsOf } from './object.ts';

export type NodeRecord = Arrays['nodes'][number];

/** core/v1 Node. */
export interface RawNode extends RawObject {
  readonly spec?: {
    readonly providerID?: string | null;
    readonly unschedulable?: boolean | null;
    readonly taints?:
      | readonly {
          readonly key: string;
          readonly value?: string | null;
          readonly effect: string;
          readonly timeAdded?: string | null;
        }[]
      | null;
  } | null;
  readonly status?: {
    readonly capacity?: Readonly<Record<string, string>> | null;
    readonly allocatable?: Readonly<Record<string, string>> | null;
    readonly conditions?: readonly RawCondition[] | null;
    readonly addresses?: readonly { readonly type: string; readonly address: string }[] | null;
    readonly nodeInfo?: {
      readonly kubeletVersion?: string | null;
      readonly containerRuntimeVersion?: string | null;
      readonly osImage?: string | null;
      readonly kernelVersion?: string | null;
    } | null;
  } | null;
}

/** metrics.k8s.io/v1beta1 NodeMetrics. */
export interface RawNodeMetrics extends RawObject {
  readonly usage?: { readonly cpu?: string | null; readonly memory?: string | null } | null;
}

/** What a node uses; null where metrics-server says nothing, never 0 (AG-06). */
export interface NodeUsage {
  readonly usage_cpu_millicores: number | null;
  readonly usage_memory_bytes: number | null;
}

export const mapUsage = ({ usage }: RawNodeMetrics): NodeUsage => ({
  usage_cpu_millicores: millisUp(nanosOf(usage?.cpu)),
  usage_memory_bytes: unitsUp(nanosOf(usage?.memory)),
});

/** A node as sent (AG-05), before its usage and its pods are known: both come from lists of their own. */
export function mapNode({ metadata, spec, status }: RawNode): NodeRecord {
  const { name, uid, created_at } = identityOf(metadata);
  const { capacity, allocatable, nodeInfo } = status ?? {};
  return {
    name,
    uid,
    roles: nodeRoles(metadata.labels),
    labels: labelsOf(metadata),
    taints: (spec?.taints ?? []).map((taint) => ({
      key: taint.key,
      value: taint.value || null,
      effect: taint.effect,
      added_at: wireTime(taint.timeAdded),
    })),
    status: nodeStatus(status?.conditions),
    conditions: conditionsOf(status?.conditions),
    unschedulable: spec?.unschedulable ?? false,
    // An empty one, which some kubelets report as their Hostname, must not meet a host without an address (LK-01).
    addresses: (status?.addresses ?? [])
      .filter(({ address }) => address !== '')
      .map(({ type, address }) => ({ type, address })),
    kubelet_version: nodeInfo?.kubeletVersion || null,
    container_runtime: nodeInfo?.containerRuntimeVersion || null,
    os_image: nodeInfo?.osImage || null,
    kernel_version: nodeInfo?.kernelVersion || null,
    capacity_cpu_millicores: millisUp(nanosOf(capacity?.cpu)),
    capacity_memory_bytes: unitsUp(nanosOf(capacity?.memory)),
    capacity_pods: countUp(nanosOf(capacity?.pods)),
    allocatable_cpu_millicores: millisUp(nanosOf(allocatable?.cpu)),
    allocatable_memory_bytes: unitsUp(nanosOf(allocatable?.memory)),
    allocatable_pods: countUp(nanosOf(allocatable?.pods)),
    usage_cpu_millicores: null,
    usage_memory_bytes: null,
    pod_count: null,
    provider_id: spec?.providerID || null,
    instance_type: labelOf(
      metadata.labels,
      'node.kubernetes.io/instance-type',
      'beta.kubernetes.io/instance-type',
    ),
    zone: labelOf(metadata.labels, 'topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'),
    created_at,
  };
}

/** What the node says about its cluster; kept for one cycle only, annotations are not sent. */
export const traitsOf = ({ metadata, spec }: RawNode): NodeTraits => ({
  providerId: spec?.providerID || null,
  labels: metadata.labels ?? {},
  annotations: metadata.annotations ?? {},
});
