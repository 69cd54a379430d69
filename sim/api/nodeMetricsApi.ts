import type { SimCluster } from '../cluster.ts';
import type { NodeMetrics } from '../objects.ts';
import { timeText } from '../time.ts';
import { type Answer, json } from './answer.ts';
import { notFound } from './status.ts';

const apiVersion = 'metrics.k8s.io/v1beta1';

/** `GET .../nodes` of metrics.k8s.io: all nodes with a kubelet that answers, in one page as metrics-server sends them. */
export function listNodeMetrics(cluster: SimCluster): Answer {
  const items = cluster.nodeMetrics().map((each) => measured(cluster, each));
  return json({ kind: 'NodeMetricsList', apiVersion, metadata: {}, items });
}

/** `GET .../nodes/<name>` of metrics.k8s.io; a node without measurements is not found. */
export function getNodeMetrics(cluster: SimCluster, name: string): Answer {
  const found = cluster.nodeMetrics().find(({ metadata }) => metadata.name === name);
  if (found === undefined) return notFound({ group: 'metrics.k8s.io', resource: 'nodes' }, name);
  return json({ kind: 'NodeMetrics', apiVersion, ...measured(cluster, found) });
}

/** Metrics are no stored objects: no uid, no version, and their creation is the moment of the answer. */
function measured(cluster: SimCluster, { metadata, timestamp, window, usage }: NodeMetrics): object {
  const { name, labels } = metadata;
  const creationTimestamp = timeText(cluster.nowMs);
  return {
    metadata: { name, creationTimestamp, ...(labels === undefined ? {} : { labels }) },
    timestamp,
    window,
    usage,
  };
}
