/** Spec facts of a workload (SF-01 to SF-15): names and references, never values. Absent means unknown (SF-22). */

import type { Schema } from './kinds/define.ts';
import { boolean, integer, list, map, nullable, object, shape, text, texts } from './kinds/define.ts';

const containerFacts = shape({
  name: text(),
  image: text(),
  init: { ...boolean(), absent: false },
  requests: map(),
  limits: map(),
  env_names: texts(),
  env_from: texts(),
  volume_refs: texts(),
});

const strategyFacts = shape({
  type: text(),
  max_surge: nullable(text()),
  max_unavailable: nullable(text()),
});

const specFacts = shape({
  /** Absent from an agent that predates versions; that reads as 0 (SF-15). */
  facts_version: { ...integer(), absent: 0 },
  replicas: nullable(integer()),
  strategy: nullable(object(strategyFacts)),
  containers: list(containerFacts),
});

export type WorkloadSpecFacts = NonNullable<(typeof specFacts)['of']>;

export const specFactsSchema: Schema = specFacts.schema;
