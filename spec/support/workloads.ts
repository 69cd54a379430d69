/** Small snapshots of workloads with facts, for specs of change records. */

import type { EnrolledAgent } from '../../store/agents.ts';
import type { Arrays } from '../../wire/kinds/index.ts';
import type { SentWorkload, Snapshot, SnapshotBody } from '../../wire/snapshot.ts';
import type { ContainerFacts, WorkloadSpecFacts } from '../../wire/specFacts.ts';
import { snapshotOf } from './snapshots.ts';

export const containerFacts = (name: string, change: Partial<ContainerFacts> = {}): ContainerFacts => ({
  name,
  image: `registry.example/shop/${name}:1.0.0`,
  requests: {},
  limits: {},
  env_names: [],
  env_from: [],
  volume_refs: [],
  ...change,
});

/** Facts of version 1 with one container `app`, parts of it replaced, and three replicas. */
export const factsOf = (
  app: Partial<ContainerFacts> = {},
  change: Partial<WorkloadSpecFacts> = {},
): WorkloadSpecFacts => ({
  facts_version: 1,
  replicas: 3,
  containers: [containerFacts('app', app)],
  ...change,
});

/** A Deployment of the namespace `shop`; null sends no facts. */
export const sentWorkload = (
  name: string,
  facts: WorkloadSpecFacts | null,
  change: Partial<SentWorkload> = {},
): SentWorkload => ({
  kind: 'Deployment',
  namespace: 'shop',
  name,
  uid: `uid-of-${name}`,
  created_at: '2026-03-04T05:06:07Z',
  replicas_desired: facts?.replicas ?? 0,
  replicas_ready: 0,
  replicas_available: 0,
  conditions: [],
  strategy: null,
  service_account: null,
  containers: [],
  labels: {},
  annotations: {},
  helm_release: null,
  helm_chart: null,
  helm_chart_version: null,
  ...(facts === null ? {} : { spec_facts: facts }),
  ...change,
});

/** An HPA of the namespace `shop` that scales the Deployment of that name. */
export const sentHpa = (
  target: string,
  change: Partial<Arrays['hpas'][number]> = {},
): Arrays['hpas'][number] => ({
  namespace: 'shop',
  name: `hpa-of-${target}`,
  uid: `uid-of-hpa-${target}`,
  created_at: null,
  target_kind: 'Deployment',
  target_name: target,
  min_replicas: 1,
  max_replicas: 9,
  current_replicas: 1,
  desired_replicas: 1,
  metrics: [],
  conditions: [],
  last_scale_at: null,
  labels: {},
  annotations: {},
  ...change,
});

export const sentPolicy = (
  name: string,
  change: Partial<Arrays['network_policies'][number]> = {},
): Arrays['network_policies'][number] => ({
  namespace: 'shop',
  name,
  uid: `uid-of-policy-${name}`,
  created_at: null,
  pod_selector: { match_labels: { app: name }, match_expressions: [] },
  policy_types: ['Ingress'],
  ingress: [],
  egress: [],
  labels: {},
  annotations: {},
  ...change,
});

export const sentNamespace = (name: string): Arrays['namespaces'][number] => ({
  name,
  uid: `uid-of-ns-${name}`,
  status: 'Active',
  labels: {},
  workload_count: null,
  pod_count: null,
  service_count: null,
  created_at: null,
});

/** 12:00 and so many minutes (fractions allowed), of the day that `NOW` of spec/support/syncing is on. */
export const atMinute = (minute: number): string =>
  new Date(Date.UTC(2026, 10, 30, 12) + Math.round(minute * 60_000)).toISOString();

/** A snapshot of this agent's cluster with the namespace `shop`, stamped 12:00 and so many minutes. */
export function snapshotAt(
  agent: EnrolledAgent,
  minute: number,
  data: Partial<SnapshotBody>,
  envelope: Partial<Snapshot> = {},
): Snapshot {
  const plain = snapshotOf(
    { namespaces: [sentNamespace('shop')], ...data },
    { agent_id: agent.id, timestamp: atMinute(minute), ...envelope },
  );
  const { cluster_slug: slug, cluster_uid: uid } = agent;
  const cluster = { ...plain.data.cluster, name: slug, slug, uid, ...(data.cluster ?? {}) };
  return { ...plain, data: { ...plain.data, cluster } };
}
