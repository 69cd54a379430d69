/**
 * Sends spans to an OpenTelemetry collector. Loaded only when that is asked for: it costs a tenth of a second at the start
 * and 19 MB.
 */

import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { useTracing } from './spans.ts';

/** How long stopping waits for the collector to take the last spans. */
const FLUSH_TIMEOUT_MS = 2_000;

export interface Tracing {
  /** Sends what waits, for a bounded time, and records no more. */
  stop(): Promise<void>;
}

/**
 * Starts to record spans, `sampledShare` (0 to 1) of the messages, and to send them in batches over HTTP in OTLP's binary
 * form. The exporter reads OTEL_EXPORTER_OTLP_ENDPOINT and its kin (headers, timeout, compression, certificates) and
 * OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say who sends. At most 2,048 spans wait; a collector that is away loses
 * the rest and slows nothing.
 */
export function startTracing(o: { readonly sampledShare: number }): Tracing {
  const self = resourceFromAttributes({ 'service.name': 'proxima' });
  const provider = new TracerProvider({
    resource: self.merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(o.sampledShare) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const end = useTracing({ provider, contexts: new AsyncLocalStorageContextManager() });
  return {
    async stop() {
      end();
      // A collector that is away must not keep the process: what it misses is lost.
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, FLUSH_TIMEOUT_MS);
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
      clearTimeout(timer);
    },
  };
}
