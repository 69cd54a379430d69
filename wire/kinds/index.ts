/** The kind table: every resource kind, parents before children, in the order of the sync's steps (IN-09 to IN-21). */
import type { RecordOf } from './define.ts';
import { endpointSlices } from './endpointSlice.ts';
import { events } from './event.ts';
import { hpas } from './hpa.ts';
import { ingresses } from './ingress.ts';
import { jobs } from './job.ts';
import { namespaces } from './namespace.ts';
import { networkPolicies } from './networkPolicy.ts';
import { nodes } from './node.ts';
import { pods } from './pod.ts';
import { pvcs } from './pvc.ts';
import { resourceQuotas } from './resourceQuota.ts';
import { services } from './service.ts';
import { workloads } from './workload.ts';

/** Steps 3 to 15 of a sync. The prune runs over it backwards: children before parents (IN-05). */
export const kinds = [
  nodes,
  namespaces,
  workloads,
  pods,
  services,
  ingresses,
  pvcs,
  events,
  jobs,
  hpas,
  networkPolicies,
  resourceQuotas,
  endpointSlices,
] as const;

/** Every array of `data`, typed. */
export interface Arrays {
  nodes: RecordOf<(typeof nodes)['fields']>[];
  namespaces: RecordOf<(typeof namespaces)['fields']>[];
  workloads: RecordOf<(typeof workloads)['fields']>[];
  pods: RecordOf<(typeof pods)['fields']>[];
  services: RecordOf<(typeof services)['fields']>[];
  ingresses: RecordOf<(typeof ingresses)['fields']>[];
  pvcs: RecordOf<(typeof pvcs)['fields']>[];
  events: RecordOf<(typeof events)['fields']>[];
  jobs: RecordOf<(typeof jobs)['fields']>[];
  hpas: RecordOf<(typeof hpas)['fields']>[];
  network_policies: RecordOf<(typeof networkPolicies)['fields']>[];
  resource_quotas: RecordOf<(typeof resourceQuotas)['fields']>[];
  endpoint_slices: RecordOf<(typeof endpointSlices)['fields']>[];
}

export {
  endpointSlices,
  events,
  hpas,
  ingresses,
  jobs,
  namespaces,
  networkPolicies,
  nodes,
  pods,
  pvcs,
  resourceQuotas,
  services,
  workloads,
};
