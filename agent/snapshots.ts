/** Snapshots as they are sent: the collected cluster in its envelope (contracts.md section 1). */

import type { Epoch, Snapshot } from '../wire/snapshot.ts';
import { SNAPSHOT_SCHEMA } from '../wire/snapshot.ts';
import { createCollector } from './collect/index.ts';
import type { OnceConfig } from './config.ts';
import { instant } from './instant.ts';
import type { KubeApi } from './kubeApi.ts';
import type { Log } from './log.ts';
import { AGENT_VERSION } from './version.ts';

export interface Snapshots {
  /**
   * Collects the cluster once. Rejects when that is not possible.
   * @param o.at the agent's clock when the collection begins; the backend dates facts and records by it (AG-03)
   */
  take(o: {
    readonly agentId: string;
    readonly at: Date;
    readonly epoch: Epoch | null;
    readonly signal: AbortSignal;
  }): Promise<Required<Snapshot>>;
}

/** The snapshots of one cluster, as the settings say. What was warned of in one is not warned of again in the next. */
export function createSnapshots(api: KubeApi, config: OnceConfig, log: Log): Snapshots {
  const collector = createCollector(api, {
    clusterName: config.clusterName,
    clusterSlug: config.clusterSlug,
    excludedNamespaces: config.excludedNamespaces,
    podLimit: config.podLimit,
    syncIntervalSeconds: Math.max(1, Math.round(config.syncIntervalMs / 1000)),
    inClusterNames: config.inClusterNames,
    log,
  });
  return {
    async take({ agentId, at, epoch, signal }) {
      const { data, coverage } = await collector.collect(signal);
      return {
        type: 'kubernetes',
        schema: SNAPSHOT_SCHEMA,
        agent_id: agentId,
        agent_version: AGENT_VERSION,
        timestamp: instant(at),
        epoch,
        coverage,
        data,
      };
    },
  };
}
