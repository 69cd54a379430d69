import { by, defineKind, integer, list, map, nullable, shape, text, time } from './define.ts';
import { condition, namespacedIdentity } from './shapes.ts';

/** HorizontalPodAutoscalers (AutoscalingV2). */
export const hpas = defineKind({
  name: 'hpas',
  table: 'k8s_hpas',
  path: 'hpas',
  kubernetesKinds: ['HorizontalPodAutoscaler'],
  coverage: 'horizontalpodautoscalers',
  fields: {
    ...namespacedIdentity,
    target_kind: text(),
    target_name: text(),
    /** 1 when unset, as the controller takes it. */
    min_replicas: integer(),
    max_replicas: integer(),
    current_replicas: integer(),
    desired_replicas: integer(),
    metrics: list(
      shape({
        /** Resource, ContainerResource, Pods, Object or External. */
        type: text(),
        name: text(),
        /** Utilization (percent), Value or AverageValue. */
        target_type: text(),
        target: nullable(text()),
        current: nullable(text()),
      }),
    ),
    conditions: list(condition),
    last_scale_at: nullable(time()),
    labels: map(),
    annotations: map(),
  },
  sortKeys: {
    target: by('target_name'),
    min: by('min_replicas'),
    max: by('max_replicas'),
    current: by('current_replicas'),
  },
});
