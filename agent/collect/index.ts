/** One full collection of a cluster (AG-02): every kind listed, filtered, mapped and capped. */

import type { Coverage, CoverageBlock, CoveredResource } from '../../wire/coverage.ts';
import type { SnapshotBody } from '../../wire/snapshot.ts';
import type { KubeApi } from '../kubeApi.ts';
import { KubeError } from '../kubeApi.ts';
import type { Log } from '../log.ts';
import { assemble } from './assemble.ts';
import type { ReadingBounds, Reads } from './boundedReads.ts';
import { boundedReads, READING_BOUNDS } from './boundedReads.ts';
import type { ClusterFacts, ClusterSettings } from './clusterFacts.ts';
import { readClusterFacts } from './clusterFacts.ts';
import type { Cycle } from './cycle.ts';
import { openCycle } from './cycle.ts';
import type { ArgoResource } from './discovery.ts';
import { discoverArgo } from './discovery.ts';
import type { Sink } from './gather.ts';
import { each } from './gather.ts';
import { inLanes } from './lanes.ts';
import { failedCoverage, LIST_PATHS, readList } from './listings.ts';
import { createRefusals } from './refusals.ts';

export interface CollectorOptions extends ClusterSettings {
  /** PROXIMA_K8S_POD_LIMIT (AG-26). */
  readonly podLimit: number;
  /** PROXIMA_ARGOCD_IN_CLUSTER_NAMES, reported beside the Applications (AA-14). */
  readonly inClusterNames: readonly string[];
  readonly log: Pick<Log, 'warn'>;
  /** Specs shorten them. */
  readonly bounds?: ReadingBounds;
}

export interface Collected {
  readonly data: SnapshotBody;
  readonly coverage: CoverageBlock;
}

export interface Collector {
  /**
   * Reads the cluster once; every wait is under the signal, and under bounds of its own that are shorter. A kind that
   * cannot be read, or not in time, is empty and says so in the coverage (D9), the others go on. Throws KubeError when the
   * signal ends it, and when no list was answered, neither served nor refused: a snapshot that knows nothing is none.
   */
  collect(signal: AbortSignal): Promise<Collected>;
}

/** Lists that run side by side: enough to hide the waits, few enough not to be throttled by the API server. */
const LANES = 4;

/** A collector that remembers between its cycles what it warned of. */
export function createCollector(api: KubeApi, o: CollectorOptions): Collector {
  const refusals = createRefusals(o.log);
  let facts: ClusterFacts = { version: null, uid: null };
  return {
    async collect(signal) {
      const cycle = openCycle(o);
      const coverage: Partial<Record<CoveredResource, Coverage>> = {};
      const errors: KubeError[] = [];
      await inLanes(
        LANES,
        signal,
        jobsOf(boundedReads(api, o.bounds ?? READING_BOUNDS), cycle, {
          read(resource, read) {
            coverage[resource] = read;
            refusals.read(resource);
          },
          failed(resource, error) {
            const failed = failedCoverage(resource, error);
            coverage[resource] = failed;
            errors.push(error);
            refusals.failed(resource, failed.state, error);
          },
          absent(resource) {
            coverage[resource] = { state: 'absent', listed: 0, sent: 0 };
          },
          facts(read) {
            // What was known stays known through a cycle in which the API server would not tell.
            facts = { version: read.version ?? facts.version, uid: read.uid ?? facts.uid };
          },
        }),
      );
      const answered = Object.values(coverage).some(({ state }) => state !== 'error' && state !== 'absent');
      if (!answered) throw errors[0] ?? new KubeError('/', 0, 'unreachable');
      const cluster = { settings: o, serverUrl: api.serverUrl, facts };
      return { data: assemble(cycle, coverage, cluster, o.inClusterNames), coverage };
    },
  };
}

/** What the jobs of a cycle report. */
interface Outcomes {
  read(resource: CoveredResource, coverage: Coverage): void;
  failed(resource: CoveredResource, error: KubeError): void;
  absent(resource: CoveredResource): void;
  facts(facts: ClusterFacts): void;
}

type Job = (signal: AbortSignal) => Promise<void>;

/** The long lists first, so that no lane is left alone with one at the end. */
function jobsOf(api: Reads, cycle: Cycle, outcomes: Outcomes): Job[] {
  const read =
    <T>(resource: CoveredResource, list: Sink<T> & { coverage(): Coverage }, ...more: Sink<T>[]): Job =>
    async (signal) => {
      const sinks = each(list, ...more);
      try {
        await readList(api, resource, sinks, signal);
        outcomes.read(resource, list.coverage());
      } catch (error) {
        if (signal.aborted) throw error;
        // What had arrived is a part, and no part is sent as if it were the whole.
        sinks.onStart();
        // An object that no mapper can read fails its kind, not the cluster.
        const unread = new KubeError(LIST_PATHS[resource], 0, 'bad_object', { cause: error });
        outcomes.failed(resource, error instanceof KubeError ? error : unread);
      }
    };
  const readReplicaSets = read('replicasets', cycle.replicaSets);
  const readPods = read('pods', cycle.pods.records, cycle.pods.perNamespace, cycle.podsPerNode);
  return [
    async (signal) => {
      await readReplicaSets(signal);
      await readPods(signal);
    },
    read('events', cycle.events),
    read('endpointslices', cycle.endpointSlices),
    read('deployments', cycle.deployments.records, cycle.deployments.perNamespace),
    read('services', cycle.services.records, cycle.services.perNamespace),
    argoJob(api, outcomes, {
      rollouts: read('rollouts', cycle.rollouts.records, cycle.rollouts.perNamespace),
      applications: read('applications', cycle.applications),
    }),
    read('jobs', cycle.jobs),
    read('nodes', cycle.nodes),
    read('node_metrics', cycle.usage),
    read('namespaces', cycle.namespaces),
    read('statefulsets', cycle.statefulSets.records, cycle.statefulSets.perNamespace),
    read('daemonsets', cycle.daemonSets.records, cycle.daemonSets.perNamespace),
    read('ingresses', cycle.ingresses),
    read('persistentvolumeclaims', cycle.pvcs),
    read('cronjobs', cycle.cronJobs),
    read('horizontalpodautoscalers', cycle.hpas),
    read('networkpolicies', cycle.networkPolicies),
    read('resourcequotas', cycle.resourceQuotas),
    async (signal) => outcomes.facts(await readClusterFacts(api, signal)),
  ];
}

/** Argo's kinds, where the cluster serves them: a list call for a kind that is not there would be one too many (AR-04). */
const argoJob =
  (api: Reads, outcomes: Outcomes, lists: Readonly<Record<ArgoResource, Job>>): Job =>
  async (signal) => {
    const discovered = await discoverArgo(api, signal);
    for (const resource of ['rollouts', 'applications'] as const) {
      const found = discovered.of(resource);
      if (found === 'served') await lists[resource](signal);
      else if (found === 'absent') outcomes.absent(resource);
      else outcomes.failed(resource, found);
    }
  };
