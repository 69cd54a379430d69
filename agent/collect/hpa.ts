import { canonicalQuantity } from '../../rules/kube/quantity.ts';
import { wireTime } from '../../rules/kube/time.ts';
import type { Arrays } from '../../wire/kinds/index.ts';
import type { RawCondition, RawObject } from './object.ts';
import { conditionsOf, describe, identityOf } from './object.ts';

export type HpaRecord = Arrays['hpas'][number];
type Metric = HpaRecord['metrics'][number];

/** autoscaling/v2 MetricTarget and MetricValueStatus: one of the three values is set. */
interface RawAmount {
  readonly type?: string | null;
  readonly averageUtilization?: number | null;
  readonly value?: string | null;
  readonly averageValue?: string | null;
}

interface RawSource {
  readonly name?: string | null;
  readonly container?: string | null;
  readonly metric?: { readonly name?: string | null } | null;
  readonly target?: RawAmount | null;
  readonly current?: RawAmount | null;
}

/** autoscaling/v2 MetricSpec (with targets) and MetricStatus (with current values); the field is named by the type. */
interface RawMetric {
  readonly type: string;
  readonly resource?: RawSource | null;
  readonly containerResource?: RawSource | null;
  readonly pods?: RawSource | null;
  readonly object?: RawSource | null;
  readonly external?: RawSource | null;
}

/** autoscaling/v2 HorizontalPodAutoscaler. */
export interface RawHpa extends RawObject {
  readonly spec?: {
    readonly scaleTargetRef?: { readonly kind?: string | null; readonly name?: string | null } | null;
    readonly minReplicas?: number | null;
    readonly maxReplicas?: number | null;
    readonly metrics?: readonly RawMetric[] | null;
  } | null;
  readonly status?: {
    readonly currentReplicas?: number | null;
    readonly desiredReplicas?: number | null;
    readonly lastScaleTime?: string | null;
    readonly currentMetrics?: readonly RawMetric[] | null;
    readonly conditions?: readonly RawCondition[] | null;
  } | null;
}

/** An HPA as sent (AG-15). */
export function mapHpa({ metadata, spec, status }: RawHpa): HpaRecord {
  return {
    ...identityOf(metadata),
    target_kind: spec?.scaleTargetRef?.kind ?? '',
    target_name: spec?.scaleTargetRef?.name ?? '',
    min_replicas: spec?.minReplicas ?? 1,
    max_replicas: spec?.maxReplicas ?? 0,
    current_replicas: status?.currentReplicas ?? 0,
    desired_replicas: status?.desiredReplicas ?? 0,
    metrics: (spec?.metrics ?? []).map((metric) => metricOf(metric, status?.currentMetrics ?? [])),
    conditions: conditionsOf(status?.conditions),
    last_scale_at: wireTime(status?.lastScaleTime),
    ...describe(metadata),
  };
}

function metricOf(metric: RawMetric, current: readonly RawMetric[]): Metric {
  const source = sourceOf(metric);
  const name = nameOf(source);
  const target_type = source?.target?.type ?? '';
  const reported = current.find((other) => other.type === metric.type && nameOf(sourceOf(other)) === name);
  return {
    type: metric.type,
    name,
    target_type,
    target: amountOf(source?.target, target_type),
    current: amountOf(sourceOf(reported)?.current, target_type),
  };
}

const sourceOf = (metric: RawMetric | undefined): RawSource | null | undefined =>
  metric?.resource ?? metric?.containerResource ?? metric?.pods ?? metric?.object ?? metric?.external;

/** `cpu`, `container/cpu` for one container's, or the metric's own name. */
function nameOf(source: RawSource | null | undefined): string {
  const name = source?.metric?.name ?? source?.name ?? '';
  return source?.container ? `${source.container}/${name}` : name;
}

/** The amount that the target's type speaks of: a percentage as a bare number, else a canonical quantity. */
function amountOf(amount: RawAmount | null | undefined, targetType: string): string | null {
  if (targetType === 'Utilization') return amount?.averageUtilization?.toString() ?? null;
  const value = targetType === 'AverageValue' ? amount?.averageValue : amount?.value;
  return value === null || value === undefined ? null : canonicalQuantity(value);
}
