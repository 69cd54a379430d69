/**
 * Spec facts of a workload (SF-01 to SF-15): names and references, never values. Absent means unknown (SF-22).
 * The same shape in protobuf is api/proto/kube/v1/workload_spec.proto; a spec compares the two.
 */

import type { Field, Fields, RecordOf, Schema, Shape } from './kinds/define.ts';
import { boolean, integer, list, nullable, object, recordSchema, text, texts } from './kinds/define.ts';

/**
 * A shape some of whose keys may be missing. Null reads as missing; nothing is filled in, so that what was built and what
 * was parsed are the same text.
 */
function partial<R extends Fields, O extends Fields>(
  required: R,
  optional: O,
): Shape<RecordOf<R> & { [K in keyof O]?: RecordOf<O>[K] | null }> {
  const whole = recordSchema(required) as { properties: Record<string, Schema> };
  const extra = Object.entries<Field<unknown>>(optional).map(([key, field]) => [key, nullable(field).schema]);
  return { schema: { ...whole, properties: { ...whole.properties, ...Object.fromEntries(extra) } } };
}

/** Canonical quantities ("500m", "1Gi"); a key is missing when the container does not set it (SF-07). */
const resourceFacts = partial({}, { cpu: text(), memory: text() });

const containerFacts = partial(
  {
    name: text(),
    image: text(),
    requests: { ...object(resourceFacts), absent: {} },
    limits: { ...object(resourceFacts), absent: {} },
    env_names: texts(),
    env_from: texts(),
    volume_refs: texts(),
  },
  // True for init containers and sidecars, missing for main ones (SF-05).
  { init: boolean() },
);

const strategyFacts = partial({}, { type: text(), max_surge: text(), max_unavailable: text() });

const specFacts = partial(
  {
    // Missing from an agent that predates versions; that reads as 0 (SF-15).
    facts_version: { ...integer(), absent: 0 },
    containers: list(containerFacts),
  },
  { replicas: integer(), strategy: object(strategyFacts) },
);

type Typed<S extends { readonly of?: unknown }> = NonNullable<S['of']>;

export type WorkloadSpecFacts = Typed<typeof specFacts>;
export type ContainerFacts = Typed<typeof containerFacts>;
export type ResourceFacts = Typed<typeof resourceFacts>;
export type StrategyFacts = Typed<typeof strategyFacts>;

export const specFactsSchema: Schema = specFacts.schema;

/** Version of the rules in `rules/facts/build`. Raise it with any change to what they spell, order or list (SF-15). */
export const FACTS_VERSION = 1;
