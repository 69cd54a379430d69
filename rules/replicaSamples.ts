/** The gauge `k8s_workload_replicas`, as text of the Prometheus exposition format (IN-28). */

import type { Arrays } from '../wire/kinds/index.ts';

type Workload = Pick<
  Arrays['workloads'][number],
  'kind' | 'namespace' | 'name' | 'replicas_desired' | 'replicas_ready'
>;

/**
 * Two samples of a workload, desired and ready, at the time of the snapshot. They carry no `host_id`: every point that a
 * node agent sends has one, so a reader who asks for `host_id=""` cannot be shown an agent's own series in place of ours.
 */
export function replicaSamples(
  workload: Workload,
  place: { readonly environment_id: string; readonly cluster_id: string },
  at: Date,
): string {
  const labels = [
    ['cluster_id', place.cluster_id],
    ['environment_id', place.environment_id],
    ['namespace', workload.namespace],
    ['workload', workload.name],
    ['workload_kind', workload.kind],
  ]
    .map(([name, value = '']) => `${name}="${escapeLabel(value)}"`)
    .join(',');
  const sample = (type: string, value: number): string =>
    `k8s_workload_replicas{type="${type}",${labels}} ${value} ${at.getTime()}\n`;
  return sample('desired', workload.replicas_desired) + sample('ready', workload.replicas_ready);
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

const escapeLabel = (value: string): string =>
  value.replace(/[\\"\n]/g, (character) => ESCAPES[character] ?? '');
