/** Every metric of the backend, and the only module that knows prom-client. Names: seed 004 (BO-01 to BO-06), contracts.md section 2. */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const registry = new Registry();
const registers = [registry];
collectDefaultMetrics({ register: registry });

/** BO-01: snapshots stored, replays included. */
export const clustersSynced = new Counter({
  name: 'proxima_k8s_clusters_synced_total',
  help: 'Inventory syncs processed.',
  registers,
});

/** BO-02: seconds from the message's receipt to its outcome. */
export const syncDuration = new Histogram({
  name: 'proxima_k8s_sync_duration_seconds',
  help: 'Time to process a kubernetes message.',
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  registers,
});

/** BO-03: nodes in stored snapshots, written or unchanged. */
export const nodesSynced = new Counter({
  name: 'proxima_k8s_nodes_synced_total',
  help: 'Nodes in stored snapshots, written or unchanged.',
  registers,
});

/** BO-04: workloads in stored snapshots, written or unchanged. */
export const workloadsSynced = new Counter({
  name: 'proxima_k8s_workloads_synced_total',
  help: 'Workloads in stored snapshots, written or unchanged.',
  registers,
});

/** BO-05: nodes of stored snapshots by whether a host of the environment is theirs. */
export const nodeHostLinkage = new Counter<'result'>({
  name: 'proxima_k8s_node_host_linkage_total',
  help: 'Nodes by whether a host is linked to them.',
  labelNames: ['result'],
  registers,
});

/** BO-06: workloads whose facts came with a snapshot that is not later than the stored ones (CH-31, X-13). */
export const specFactsNotNewer = new Counter({
  name: 'proxima_k8s_spec_facts_not_newer_total',
  help: 'Workloads whose facts were skipped, because their snapshot was not later than the stored facts.',
  registers,
});

/** Duplicate records of one key inside a snapshot; the last one wins (contracts.md section 1). */
export const duplicatesFolded = new Counter({
  name: 'proxima_k8s_duplicates_folded_total',
  help: 'Records of a snapshot dropped because a later one has the same key.',
  registers,
});

/** Settled messages by outcome and, where there is one, its reason (contracts.md section 2). */
export const ingestOutcomes = new Counter<'outcome' | 'reason'>({
  name: 'proxima_ingest_outcomes_total',
  help: 'Messages settled, by outcome and reason.',
  labelNames: ['outcome', 'reason'],
  registers,
});

/** Enrollments and renewals by result code (contracts.md section 4). */
export const enrollments = new Counter<'result'>({
  name: 'proxima_enroll_total',
  help: 'Enrollments and renewals, by result.',
  labelNames: ['result'],
  registers,
});

/** The stores that a stored snapshot is forwarded to. */
export type Store = 'victoria_logs' | 'victoria_metrics';

/**
 * What happened to a cluster's lines on their way to a store: `sent`; `refused` by it; `failed` after the last attempt;
 * `dropped` unsent, for want of room or at the end of the process.
 */
export const forwarded = new Counter<'store' | 'result'>({
  name: 'proxima_forwarded_total',
  help: 'Forwards of one snapshot to a store, by result.',
  labelNames: ['store', 'result'],
  registers,
});

/** Attempts beyond the first. */
export const forwardRetries = new Counter<'store'>({
  name: 'proxima_forward_retries_total',
  help: 'Attempts to forward a snapshot to a store beyond the first.',
  labelNames: ['store'],
  registers,
});

/** Bytes that wait to be sent, or are being sent. */
export const forwardQueued = new Gauge<'store'>({
  name: 'proxima_forward_queued_bytes',
  help: 'Bytes that wait for a store, or are on their way to it.',
  labelNames: ['store'],
  registers,
});

/** Rows that were deleted because of their age. */
export const rowsExpired = new Counter<'table'>({
  name: 'proxima_rows_expired_total',
  help: 'Rows deleted because of their age, by table.',
  labelNames: ['table'],
  registers,
});

/** Actors that died of a bug and were made anew. */
export const actorsRecreated = new Counter({
  name: 'proxima_actors_recreated_total',
  help: 'Cluster actors recreated after a crash.',
  registers,
});

/** Messages received and not settled yet. */
export const ticketsHeld = new Gauge({
  name: 'proxima_ingest_tickets_held',
  help: 'Messages received and not settled yet.',
  registers,
});

for (const result of ['linked', 'unlinked']) nodeHostLinkage.inc({ result }, 0);

/** The metrics in Prometheus' text format, with the content type that goes with it. */
export async function renderMetrics(): Promise<{ readonly contentType: string; readonly body: string }> {
  return { contentType: registry.contentType, body: await registry.metrics() };
}
