/** Every metric of the agent (OB-02 to OB-06, PL-07, PL-08), and its only module that knows prom-client. */

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Shed } from '../rules/shrink.ts';
import { SHEDS } from '../rules/shrink.ts';
import type { CoverageBlock } from '../wire/coverage.ts';
import { COVERAGE_STATES, COVERED_RESOURCES } from '../wire/coverage.ts';
import type { PublishOutcome } from './publish.ts';
import { AGENT_VERSION } from './version.ts';

export interface AgentMetrics {
  /** A sync ended. One that no longer leads has neither failed nor succeeded: another agent publishes. */
  syncEnded(o: { outcome: PublishOutcome['kind']; seconds: number; at: Date }): void;
  /** What a snapshot holds after exclusion and caps, by resource type, and how each was read. */
  collected(counts: Readonly<Record<string, number>>, coverage: CoverageBlock): void;
  /** Sizes in bytes: the complete inventory as JSON, what travelled (null: nothing), and the server's limit. */
  encoded(o: { completeBytes: number; wireBytes: number | null; maxPayload: number }): void;
  /** A sync whose inventory did not fit; the deepest step that it needed. */
  tooLarge(shed: Shed): void;
  /** Whether this agent leads, so that it collects and publishes. */
  leading(leads: boolean): void;
  /** The text that `/metrics` answers. */
  render(): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** The default of 10 ms wakes an idle agent a hundred times a second, for 1.3 percent of a core; this takes 0.2. */
const LAG_SAMPLE_MS = 100;

/** The metrics of one agent, in a registry of its own: specs and the demo run several agents in a process. */
export function createAgentMetrics(): AgentMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS });

  const syncs = new Counter({
    name: 'proxima_collector_syncs_total',
    help: 'Syncs attempted.',
    registers,
  });
  const syncErrors = new Counter({
    name: 'proxima_collector_sync_errors_total',
    help: 'Syncs that failed: nothing was collected, or nothing could be published.',
    registers,
  });
  const duration = new Gauge({
    name: 'proxima_collector_last_sync_duration_seconds',
    help: 'Duration of the latest sync.',
    registers,
  });
  const lastSuccess = new Gauge({
    name: 'proxima_collector_last_success_timestamp_seconds',
    help: 'When a sync last succeeded, in Unix time; 0 until one has.',
    registers,
  });
  const resources = new Gauge<'resource'>({
    name: 'proxima_collector_resources_collected',
    help: 'Objects in the latest snapshot by resource type, after exclusion and caps.',
    labelNames: ['resource'],
    registers,
  });
  const coverageStates = new Gauge<'resource' | 'state'>({
    name: 'proxima_collector_resource_coverage',
    help: '1 for the state in which a resource was last read, 0 for the others.',
    labelNames: ['resource', 'state'],
    registers,
  });
  const payloadBytes = new Gauge({
    name: 'proxima_collector_inventory_payload_bytes',
    help: 'JSON size of the latest complete inventory, before anything was dropped or compressed.',
    registers,
  });
  const wireBytes = new Gauge({
    name: 'proxima_collector_inventory_wire_bytes',
    help: 'Size of the latest message as it was sent; compare it with the limit of the NATS server.',
    registers,
  });
  const maxPayload = new Gauge({
    name: 'proxima_collector_nats_max_payload_bytes',
    help: 'Largest message that the NATS server takes.',
    registers,
  });
  const tooLarge = new Counter<'outcome'>({
    name: 'proxima_collector_inventory_too_large_total',
    help: 'Syncs whose inventory did not fit into one message, by the deepest step that they needed.',
    labelNames: ['outcome'],
    registers,
  });
  const leader = new Gauge({
    name: 'proxima_collector_leader',
    help: '1 while this agent collects and publishes, 0 while it stands by.',
    registers,
  });
  new Gauge<'version'>({
    name: 'proxima_collector_build_info',
    help: 'Always 1; the version is the label.',
    labelNames: ['version'],
    registers,
  }).set({ version: AGENT_VERSION }, 1);
  // An alert on a counter that appears with its first increment misses that increment.
  for (const outcome of SHEDS) tooLarge.inc({ outcome }, 0);

  return {
    syncEnded({ outcome, seconds, at }) {
      syncs.inc();
      duration.set(seconds);
      if (outcome === 'published') lastSuccess.set(at.getTime() / 1000);
      else if (outcome !== 'not_leading') syncErrors.inc();
    },
    collected(counts, coverage) {
      for (const [resource, count] of Object.entries(counts)) resources.set({ resource }, count);
      for (const resource of COVERED_RESOURCES) {
        const current = coverage[resource]?.state ?? 'error';
        for (const state of COVERAGE_STATES) {
          coverageStates.set({ resource, state }, state === current ? 1 : 0);
        }
      }
    },
    encoded(o) {
      payloadBytes.set(o.completeBytes);
      maxPayload.set(o.maxPayload);
      if (o.wireBytes !== null) wireBytes.set(o.wireBytes);
    },
    tooLarge: (outcome) => tooLarge.inc({ outcome }),
    leading: (leads) => leader.set(leads ? 1 : 0),
    render: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}
