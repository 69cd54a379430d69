/** Spans around the steps of a message, with the names of seed 004 (BO-07 to BO-12), and the only module that knows the tracing API. */

import type { Attributes, ContextManager, TracerProvider } from '@opentelemetry/api';
import { context, SpanStatusCode, trace } from '@opentelemetry/api';

/** The steps that have a span; `k8s.process_message` holds the others. */
export type SpanName =
  | 'k8s.process_message'
  | 'k8s.upsert_cluster'
  | 'k8s.sync_nodes'
  | 'k8s.sync_namespaces'
  | 'k8s.sync_workloads'
  | 'worker.KubernetesPruneUnseen';

const SCOPE = 'proxima';

/**
 * Runs `work` inside a span that is a child of the one it is called in, and answers what `work` answers. A throw marks the
 * span with the error's name alone (its message may quote a customer's value) and goes on to the caller.
 *
 * Without `useTracing` nothing is recorded, and the call costs a microsecond. Attributes are ids and counts.
 */
export const inSpan = <T>(name: SpanName, attributes: Attributes, work: () => Promise<T>): Promise<T> =>
  trace.getTracer(SCOPE).startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' });
      throw error;
    } finally {
      span.end();
    }
  });

/** Takes the span that the caller runs in along: what is run by the answer, whenever that is, belongs to that span. */
export function keepSpan(): Continue {
  const here = context.active();
  return (work) => context.with(here, work);
}

export type Continue = <T>(work: () => T) => T;

/** Adds to the span that the caller runs in, where there is one: what is known only at its end. */
export const describeSpan = (attributes: Attributes): void => {
  trace.getActiveSpan()?.setAttributes(attributes);
};

/** From now on spans go to this provider, and know their parents by this context manager. Answers how to end that. */
export function useTracing(o: {
  readonly provider: TracerProvider;
  readonly contexts: ContextManager;
}): () => void {
  context.setGlobalContextManager(o.contexts.enable());
  trace.setGlobalTracerProvider(o.provider);
  return () => {
    trace.disable();
    context.disable();
  };
}
