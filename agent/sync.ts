/** One sync: the cluster collected, put into an envelope, published, and the outcome logged (OB-11). */

import { SNAPSHOT_SCHEMA } from '../wire/snapshot.ts';
import type { Sender } from '../wire/subjects.ts';
import { collect } from './collect/index.ts';
import type { AgentConfig } from './config.ts';
import { instant } from './instant.ts';
import type { KubeApi } from './kubeApi.ts';
import type { Log } from './log.ts';
import type { NatsLink } from './natsLink.ts';
import { publishSnapshot } from './publish.ts';
import { AGENT_VERSION } from './version.ts';

/** Never rejects: a sync that fails publishes nothing, is logged, and the next one tries again. */
export async function syncOnce(o: {
  readonly config: AgentConfig;
  readonly api: KubeApi;
  readonly link: NatsLink;
  readonly from: Sender;
  readonly accepts: readonly string[];
  readonly signal: AbortSignal;
  readonly log: Log;
}): Promise<void> {
  const { config, log } = o;
  const startedAt = performance.now();
  const timestamp = instant(new Date());
  try {
    const { data, coverage } = await collect(o.api, {
      clusterName: config.clusterName,
      clusterSlug: config.clusterSlug,
      excludedNamespaces: config.excludedNamespaces,
      podLimit: config.podLimit,
      syncIntervalSeconds: Math.max(1, Math.round(config.syncIntervalMs / 1000)),
      signal: o.signal,
    });
    const counts = { nodes: data.nodes.length, workloads: data.workloads.length, pods: data.pods.length };
    const outcome = await publishSnapshot({
      link: o.link,
      from: o.from,
      accepts: o.accepts,
      signal: o.signal,
      snapshot: {
        type: 'kubernetes',
        schema: SNAPSHOT_SCHEMA,
        agent_id: o.from.agentId,
        agent_version: AGENT_VERSION,
        timestamp,
        epoch: null,
        coverage,
        data,
      },
    });
    const fields = { ...counts, timestamp, duration_ms: Math.round(performance.now() - startedAt) };
    switch (outcome.kind) {
      case 'published':
        log.info(
          { ...fields, wire_bytes: outcome.wireBytes, json_bytes: outcome.jsonBytes },
          'the inventory was collected and published',
        );
        break;
      case 'too_large':
        log.error(
          { ...fields, bytes: outcome.bytes, limit: outcome.limit },
          'ErrPayloadTooLarge: the inventory does not fit into one message; lower PROXIMA_K8S_POD_LIMIT or raise max_payload of the NATS server',
        );
        break;
      case 'failed':
        log.error({ ...fields, reason: outcome.reason }, 'the inventory could not be published');
        break;
    }
  } catch (err) {
    log.error({ err, timestamp }, 'the inventory could not be collected; nothing was published');
  }
}
