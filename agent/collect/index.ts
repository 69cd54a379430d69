/** One full collection of a cluster (AG-02): every kind listed, filtered, mapped and capped. */

import type { Coverage, CoverageBlock } from '../../wire/coverage.ts';
import type { SnapshotBody } from '../../wire/snapshot.ts';
import type { KubeApi } from '../kubeApi.ts';
import { KubeError } from '../kubeApi.ts';
import { assemble } from './assemble.ts';
import type { ClusterFacts, ClusterSettings } from './clusterFacts.ts';
import { readClusterFacts } from './clusterFacts.ts';
import { openCycle } from './cycle.ts';
import type { Sink } from './gather.ts';
import { each } from './gather.ts';
import { inLanes } from './lanes.ts';
import type { ListedResource } from './listings.ts';
import { failedCoverage, readList } from './listings.ts';

export interface CollectOptions extends ClusterSettings {
  /** PROXIMA_K8S_POD_LIMIT (AG-26). */
  readonly podLimit: number;
  /** Ends the collection; every wait of it is under this signal. */
  readonly signal: AbortSignal;
  /** How long node metrics may take before the cycle goes on without them; default 15 s. */
  readonly metricsTimeoutMs?: number;
}

export interface Collected {
  readonly data: SnapshotBody;
  readonly coverage: CoverageBlock;
}

/** Lists that run side by side: enough to hide the waits, few enough not to be throttled by the API server. */
const LANES = 4;

/** A metrics-server that hangs must not use up the cycle's time: the usage of nodes is the least of it. */
const METRICS_TIMEOUT_MS = 15_000;

/**
 * Reads the cluster once. Throws the KubeError of the first list that can't be read, after the others have ended:
 * half a cluster is not published. Only node metrics may fail; their coverage then says how.
 */
export async function collect(api: KubeApi, options: CollectOptions): Promise<Collected> {
  const cycle = openCycle(options);
  const coverage: Partial<Record<ListedResource, Coverage>> = {};
  let facts: ClusterFacts = { version: null, uid: null };

  type Job = (signal: AbortSignal) => Promise<void>;
  const read =
    <T>(resource: ListedResource, list: Sink<T> & { coverage(): Coverage }, ...more: Sink<T>[]): Job =>
    async (signal) => {
      await readList(api, resource, each(list, ...more), signal);
      coverage[resource] = list.coverage();
    };
  const readReplicaSets = read('replicasets', cycle.replicaSets);
  const readPods = read('pods', cycle.pods.records, cycle.pods.perNamespace, cycle.podsPerNode);
  const readUsage = read('node_metrics', cycle.usage);

  // The long lists first, so that no lane is left alone with one at the end.
  await inLanes(LANES, options.signal, [
    async (signal) => {
      await readReplicaSets(signal);
      await readPods(signal);
    },
    read('events', cycle.events),
    read('endpointslices', cycle.endpointSlices),
    read('deployments', cycle.deployments.records, cycle.deployments.perNamespace),
    read('services', cycle.services.records, cycle.services.perNamespace),
    read('jobs', cycle.jobs),
    read('nodes', cycle.nodes),
    async (signal) => {
      const deadline = AbortSignal.timeout(options.metricsTimeoutMs ?? METRICS_TIMEOUT_MS);
      try {
        await readUsage(AbortSignal.any([signal, deadline]));
      } catch (error) {
        if (!(error instanceof KubeError) || signal.aborted) throw error;
        cycle.usage.onStart();
        coverage.node_metrics = failedCoverage(error);
      }
    },
    read('namespaces', cycle.namespaces),
    read('statefulsets', cycle.statefulSets.records, cycle.statefulSets.perNamespace),
    read('daemonsets', cycle.daemonSets.records, cycle.daemonSets.perNamespace),
    read('ingresses', cycle.ingresses),
    read('persistentvolumeclaims', cycle.pvcs),
    read('cronjobs', cycle.cronJobs),
    read('horizontalpodautoscalers', cycle.hpas),
    read('networkpolicies', cycle.networkPolicies),
    read('resourcequotas', cycle.resourceQuotas),
    async (signal) => {
      facts = await readClusterFacts(api, signal);
    },
  ]);

  return {
    data: assemble(cycle, coverage, { settings: options, serverUrl: api.serverUrl, facts }),
    coverage,
  };
}
