/** Nested objects that more than one kind carries, in the spelling of Kubernetes turned to snake_case. */

import type { Field, RecordOf } from './define.ts';
import { boolean, integer, list, map, name, nullable, shape, text, texts, time } from './define.ts';

/** A status condition (nodes, pods, workloads, HPAs). Its message is sanitized before it is sent. */
export const condition = shape({
  type: text(),
  status: text(),
  reason: nullable(text()),
  message: nullable(text()),
  last_transition_at: nullable(time()),
});

/** Fields that every object has: names, and `metadata.creationTimestamp` as `created_at`. */
export const namespacedIdentity = {
  namespace: name(),
  name: name(),
  uid: text(),
  created_at: nullable(time()),
};

const containerPort = shape({ name: nullable(text()), container_port: integer(), protocol: text() });

/** What the spec of a container says; quantities in canonical spelling ("500m", "1Gi"). */
const containerSpec = {
  name: text(),
  image: text(),
  /** `main`, `init` (runs to completion first), `sidecar` (an init container that keeps running) or `ephemeral`. */
  role: text(),
  requests: map(),
  limits: map(),
  ports: list(containerPort),
};

/** A container of a pod template. */
export const templateContainer = shape(containerSpec);

/** A container of a running pod, with its state; `reason` is the waiting or terminated reason. */
export const podContainer = shape({
  ...containerSpec,
  ready: boolean(),
  restart_count: integer(),
  /** `waiting`, `running`, `terminated`, or null before the kubelet reported. */
  state: nullable(text()),
  reason: nullable(text()),
  exit_code: nullable(integer()),
  last_reason: nullable(text()),
  last_exit_code: nullable(integer()),
});

/** Where a load balancer answers. */
export const loadBalancerPoint = shape({ ip: nullable(text()), hostname: nullable(text()) });

/** A label selector (meta/v1 LabelSelector); an empty one selects everything, a null one nothing. */
export const labelSelector = shape({
  match_labels: map(),
  match_expressions: list(shape({ key: text(), operator: text(), values: texts() })),
});

export type Condition = Typed<typeof condition>;
export type TemplateContainer = Typed<typeof templateContainer>;
export type PodContainer = Typed<typeof podContainer>;
export type LabelSelector = Typed<typeof labelSelector>;
export type LoadBalancerPoint = Typed<typeof loadBalancerPoint>;

type Typed<S extends { readonly of?: unknown }> = NonNullable<S['of']>;

export type { Field, RecordOf };
