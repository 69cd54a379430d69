/** What one collection gathers: a sink per list, made anew for every cycle. */

import { capEvents, capPods } from '../../rules/kube/caps.ts';
import { isEventExcluded, isExcluded } from '../../rules/kube/exclusion.ts';
import type { NodeTraits } from '../../rules/kube/platform.ts';
import type { Application } from '../../wire/kinds/application.ts';
import { MAX_EVENTS } from '../../wire/limits.ts';
import type { RawApplication } from './application.ts';
import { mapApplication } from './application.ts';
import { mapEndpointSlice } from './endpointSlice.ts';
import type { EventRecord, RawEvent } from './event.ts';
import { mapEvent } from './event.ts';
import type { Gathering, Tally } from './gather.ts';
import { gather, tally } from './gather.ts';
import { mapHpa } from './hpa.ts';
import { mapIngress } from './ingress.ts';
import { mapCronJob, mapJob } from './job.ts';
import type { NamespaceRecord, RawNamespace } from './namespace.ts';
import { mapNamespace } from './namespace.ts';
import { mapNetworkPolicy } from './networkPolicy.ts';
import type { NodeRecord, NodeUsage, RawNode, RawNodeMetrics } from './node.ts';
import { mapNode, mapUsage, traitsOf } from './node.ts';
import type { RawObject } from './object.ts';
import type { PodRecord, RawPod } from './pod.ts';
import { mapPod } from './pod.ts';
import { mapPvc } from './pvc.ts';
import { replicaSetControllers } from './replicaSet.ts';
import { mapResourceQuota } from './resourceQuota.ts';
import { mapRollout } from './rollout.ts';
import { mapService } from './service.ts';
import { mapDaemonSet, mapDeployment, mapStatefulSet } from './workload.ts';

/** A node with what it says about its cluster. */
export interface SeenNode {
  readonly record: NodeRecord;
  readonly traits: NodeTraits;
}

/** A namespaced list, with its objects counted per namespace before any cap. An excluded one has no row to count for. */
export interface Counted<T, R> {
  readonly records: Gathering<T, R>;
  readonly perNamespace: Tally<T>;
}

export type Cycle = ReturnType<typeof openCycle>;

/** Empty sinks for every list. Exclusion comes before the caps, so that it never costs a kept object its place (AG-22). */
export function openCycle(o: { excludedNamespaces: ReadonlySet<string>; podLimit: number }) {
  const skip = (item: RawObject): boolean => isExcluded(item, o.excludedNamespaces);
  const namespaced = <T extends RawObject, R extends object>(map: (item: T) => R): Gathering<T, R> =>
    gather({ map, skip });
  const counted = <T extends RawObject, R extends object>(records: Gathering<T, R>): Counted<T, R> => ({
    records,
    perNamespace: tally<T>((item) => item.metadata.namespace ?? null),
  });
  const replicaSets = replicaSetControllers(skip);
  return {
    nodes: gather<RawNode, SeenNode>({
      map: (node) => ({ record: mapNode(node), traits: traitsOf(node) }),
    }),
    usage: gather<RawNodeMetrics, { name: string; usage: NodeUsage }>({
      map: (metrics) => ({ name: metrics.metadata.name, usage: mapUsage(metrics) }),
    }),
    namespaces: gather<RawNamespace, NamespaceRecord>({
      map: mapNamespace,
      skip: (item) => o.excludedNamespaces.has(item.metadata.name),
    }),
    deployments: counted(namespaced(mapDeployment)),
    statefulSets: counted(namespaced(mapStatefulSet)),
    daemonSets: counted(namespaced(mapDaemonSet)),
    rollouts: counted(namespaced(mapRollout)),
    applications: gather<RawApplication, Application>({
      map: (application) => mapApplication(application, o.excludedNamespaces),
      skip,
    }),
    replicaSets,
    pods: counted(
      gather<RawPod, PodRecord>({
        map: (pod) => mapPod(pod, replicaSets.byUid),
        skip,
        cap: { limit: o.podLimit, cut: capPods, reason: 'pod_limit' },
      }),
    ),
    /** Every pod that is bound to a node, of excluded namespaces too: they take up its room. */
    podsPerNode: tally<RawPod>((pod) => pod.spec?.nodeName || null),
    services: counted(namespaced(mapService)),
    ingresses: namespaced(mapIngress),
    pvcs: namespaced(mapPvc),
    events: gather<RawEvent, EventRecord>({
      map: mapEvent,
      skip: (event) => isEventExcluded(event, o.excludedNamespaces),
      cap: { limit: MAX_EVENTS, cut: capEvents, reason: 'event_limit' },
    }),
    jobs: namespaced(mapJob),
    cronJobs: namespaced(mapCronJob),
    hpas: namespaced(mapHpa),
    networkPolicies: namespaced(mapNetworkPolicy),
    resourceQuotas: namespaced(mapResourceQuota),
    endpointSlices: namespaced(mapEndpointSlice),
  };
}
