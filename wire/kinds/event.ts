import { defineKind, integer, name, nullable, text, time } from './define.ts';

/** Events (CoreV1), at most 1,000 a snapshot. Messages are sanitized before they are sent (AG-32). */
export const events = defineKind({
  name: 'events',
  table: 'k8s_events',
  path: 'events',
  kubernetesKinds: ['Event'],
  key: ['uid'],
  order: ['namespace', 'name'],
  coverage: 'events',
  fields: {
    namespace: name(),
    name: text(),
    uid: name(),
    /** `Normal` or `Warning`. */
    type: text(),
    reason: nullable(text()),
    message: nullable(text()),
    involved_kind: nullable(text()),
    involved_namespace: nullable(text()),
    involved_name: nullable(text()),
    source_component: nullable(text()),
    /** The object's count, else the series' count, else 1 (AG-29). */
    count: integer(),
    first_seen_at: nullable(time()),
    /** lastTimestamp, else series.lastObservedTime, else eventTime, else firstTimestamp (AG-28). */
    last_seen_at: nullable(time()),
    created_at: nullable(time()),
  },
});
