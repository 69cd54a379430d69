/**
 * Argo Rollouts as sent, a fourth kind of workload (AR-01, AR-07 to AR-12). Their CRD lets a template hold anything, so
 * everything is looked at before it is taken: what has another type than it should counts as not there. A single field
 * of the wrong type would make the backend refuse the whole snapshot.
 */

import { buildSpecFacts } from '../../rules/facts/build.ts';
import { fieldsOf, objectsOf, textOf } from '../../rules/facts/raw.ts';
import { nanosOf } from '../../rules/kube/quantity.ts';
import type { SentWorkload } from '../../wire/snapshot.ts';
import type { RawContainer, RawTemplate } from './container.ts';
import type { RawCondition, RawObject } from './object.ts';
import type { RawDeployment } from './workload.ts';
import { replicasOf, toRecord } from './workload.ts';

type Raw = Readonly<Record<string, unknown>>;

/** argoproj.io/v1alpha1 Rollout, of which only the metadata is what the API server makes it. */
export interface RawRollout extends RawObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

const MAX_INT32 = 2_147_483_647;

/** A Rollout; one with a `workloadRef` takes its template from elsewhere and has no containers (AR-12). */
export function mapRollout({ metadata, spec, status }: RawRollout): SentWorkload {
  const fields = fieldsOf(spec);
  const reported = fieldsOf(status);
  const strategy = fieldsOf(fields.strategy);
  // A Rollout names its strategy by the key that it fills.
  const type =
    ['canary', 'blueGreen'].find((key) => typeof strategy[key] === 'object' && strategy[key]) ?? null;
  const hasTemplate = fields.workloadRef === undefined || fields.workloadRef === null;
  const cleaned: RawDeployment = {
    metadata,
    spec: { replicas: countOf(fields.replicas), template: hasTemplate ? templateOf(fields.template) : null },
    status: {
      readyReplicas: countOf(reported.readyReplicas),
      availableReplicas: countOf(reported.availableReplicas),
      conditions: objectsOf(reported.conditions).flatMap(conditionOf),
    },
  };
  return toRecord('Rollout', cleaned, { type }, replicasOf(cleaned), buildSpecFacts('Rollout', spec));
}

const countOf = (value: unknown): number | null =>
  Number.isInteger(value) && Math.abs(value as number) <= MAX_INT32 ? (value as number) : null;

function templateOf(template: unknown): RawTemplate {
  const spec = fieldsOf(fieldsOf(template).spec);
  return {
    spec: {
      serviceAccountName: textOf(spec.serviceAccountName),
      containers: objectsOf(spec.containers).map(containerOf),
      initContainers: objectsOf(spec.initContainers).map(containerOf),
    },
  };
}

const containerOf = (container: Raw): RawContainer => {
  const resources = fieldsOf(container.resources);
  return {
    name: textOf(container.name) ?? '',
    image: textOf(container.image),
    restartPolicy: textOf(container.restartPolicy),
    resources: { requests: amountsOf(resources.requests), limits: amountsOf(resources.limits) },
    ports: objectsOf(container.ports).flatMap((port) => {
      const containerPort = countOf(port.containerPort);
      if (containerPort === null) return [];
      return [{ name: textOf(port.name), containerPort, protocol: textOf(port.protocol) }];
    }),
  };
};

/** The API server keeps the quantities of a CRD as they were typed, texts or numbers; what is none could be anything. */
const amountsOf = (amounts: unknown): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(fieldsOf(amounts)).filter(
      (entry): entry is [string, string | number] =>
        (typeof entry[1] === 'string' || typeof entry[1] === 'number') && nanosOf(entry[1]) !== null,
    ),
  );

const conditionOf = (condition: Raw): RawCondition[] => {
  const [type, status] = [textOf(condition.type), textOf(condition.status)];
  if (type === null || status === null) return [];
  const [reason, message] = [textOf(condition.reason), textOf(condition.message)];
  return [{ type, status, reason, message, lastTransitionTime: textOf(condition.lastTransitionTime) }];
};
