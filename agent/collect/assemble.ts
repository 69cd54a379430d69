/** Turns what a cycle gathered into the body of its snapshot. */

import type { CountedList } from '../../rules/kube/namespaceCounts.ts';
import { countIn, isWhole } from '../../rules/kube/namespaceCounts.ts';
import type { CoverageBlock, CoverageState, CoveredResource } from '../../wire/coverage.ts';
import type { Argocd } from '../../wire/kinds/application.ts';
import type { SnapshotBody } from '../../wire/snapshot.ts';
import type { ClusterFacts, ClusterSettings } from './clusterFacts.ts';
import { clusterBlock } from './clusterFacts.ts';
import type { Cycle } from './cycle.ts';
import type { NamespaceRecord } from './namespace.ts';
import type { NodeRecord } from './node.ts';

/** The cluster block and the thirteen arrays. */
export function assemble(
  cycle: Cycle,
  coverage: CoverageBlock,
  cluster: { settings: ClusterSettings; serverUrl: string; facts: ClusterFacts },
  inClusterNames: readonly string[],
): SnapshotBody {
  const seen = cycle.nodes.records();
  const nodes = nodeRecords(cycle, coverage);
  return {
    cluster: clusterBlock(cluster.settings, cluster.serverUrl, cluster.facts, {
      records: nodes,
      traits: seen.map(({ traits }) => traits),
    }),
    nodes,
    namespaces: namespaceRecords(cycle, coverage),
    workloads: [cycle.deployments, cycle.statefulSets, cycle.daemonSets, cycle.rollouts].flatMap(
      ({ records }) => records.records(),
    ),
    pods: cycle.pods.records.records(),
    services: cycle.services.records.records(),
    ingresses: cycle.ingresses.records(),
    pvcs: cycle.pvcs.records(),
    events: cycle.events.records(),
    jobs: [...cycle.jobs.records(), ...cycle.cronJobs.records()],
    hpas: cycle.hpas.records(),
    network_policies: cycle.networkPolicies.records(),
    resource_quotas: cycle.resourceQuotas.records(),
    endpoint_slices: cycle.endpointSlices.records(),
    argocd: {
      state: ARGOCD_STATES[coverage.applications?.state ?? 'error'],
      in_cluster_names: [...inClusterNames],
      applications: cycle.applications.records(),
    },
  };
}

/** How the Applications' list went, in the words of the drift page (contracts.md section 1). */
const ARGOCD_STATES = {
  complete: 'ok',
  truncated: 'ok',
  absent: 'crd_absent',
  forbidden: 'forbidden',
  error: 'unavailable',
} as const satisfies Record<CoverageState, Argocd['state']>;

/** Nodes with their usage, null where metrics-server has none, and their pods, null where not all pods were seen. */
function nodeRecords(cycle: Cycle, coverage: CoverageBlock): NodeRecord[] {
  const usage = new Map(cycle.usage.records().map((entry) => [entry.name, entry.usage]));
  return cycle.nodes.records().map(({ record }) => ({
    ...record,
    ...usage.get(record.name),
    pod_count: isWhole(coverage.pods) ? (cycle.podsPerNode.counts.get(record.name) ?? 0) : null,
  }));
}

/** Namespaces with their counts. */
function namespaceRecords(cycle: Cycle, coverage: CoverageBlock): NamespaceRecord[] {
  const list = (
    resource: CoveredResource,
    { perNamespace }: { perNamespace: { counts: ReadonlyMap<string, number> } },
  ): CountedList => ({
    coverage: coverage[resource],
    perNamespace: perNamespace.counts,
  });
  const workloads = [
    list('deployments', cycle.deployments),
    list('statefulsets', cycle.statefulSets),
    list('daemonsets', cycle.daemonSets),
    ...(coverage.rollouts?.state === 'absent' ? [] : [list('rollouts', cycle.rollouts)]),
  ];
  const pods = [list('pods', cycle.pods)];
  const services = [list('services', cycle.services)];
  return cycle.namespaces.records().map((record) => ({
    ...record,
    workload_count: countIn(record.name, workloads),
    pod_count: countIn(record.name, pods),
    service_count: countIn(record.name, services),
  }));
}
