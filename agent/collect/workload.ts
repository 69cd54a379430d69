import type { FactsKind } from '../../rules/facts/build.ts';
import { buildSpecFacts } from '../../rules/facts/build.ts';
import { helmIdentity } from '../../rules/kube/helm.ts';
import type { SentWorkload } from '../../wire/snapshot.ts';
import type { RawTemplate } from './container.ts';
import { templateContainers } from './container.ts';
import type { RawCondition, RawObject } from './object.ts';
import { conditionsOf, describe, identityOf } from './object.ts';

interface RawStrategy {
  readonly type?: string | null;
}

interface RawStatus {
  readonly readyReplicas?: number | null;
  readonly availableReplicas?: number | null;
  readonly conditions?: readonly RawCondition[] | null;
}

/** apps/v1 Deployment. */
export interface RawDeployment extends RawObject {
  readonly spec?: {
    readonly replicas?: number | null;
    readonly strategy?: RawStrategy | null;
    readonly template?: RawTemplate | null;
  } | null;
  readonly status?: RawStatus | null;
}

/** apps/v1 StatefulSet. */
export interface RawStatefulSet extends RawObject {
  readonly spec?: {
    readonly replicas?: number | null;
    readonly updateStrategy?: RawStrategy | null;
    readonly template?: RawTemplate | null;
  } | null;
  readonly status?: RawStatus | null;
}

/** apps/v1 DaemonSet; it wants one pod on each node that fits. */
export interface RawDaemonSet extends RawObject {
  readonly spec?: {
    readonly updateStrategy?: RawStrategy | null;
    readonly template?: RawTemplate | null;
  } | null;
  readonly status?: {
    readonly desiredNumberScheduled?: number | null;
    readonly numberReady?: number | null;
    readonly numberAvailable?: number | null;
    readonly conditions?: readonly RawCondition[] | null;
  } | null;
}

/** The numbers of a workload. */
type Replicas = Pick<SentWorkload, 'replicas_desired' | 'replicas_ready' | 'replicas_available'>;

/** A workload as sent (AG-08). */
export const mapDeployment = (object: RawDeployment): SentWorkload =>
  toRecord('Deployment', object, object.spec?.strategy, replicasOf(object));

export const mapStatefulSet = (object: RawStatefulSet): SentWorkload =>
  toRecord('StatefulSet', object, object.spec?.updateStrategy, replicasOf(object));

export const mapDaemonSet = (object: RawDaemonSet): SentWorkload =>
  toRecord('DaemonSet', object, object.spec?.updateStrategy, {
    replicas_desired: object.status?.desiredNumberScheduled ?? 0,
    replicas_ready: object.status?.numberReady ?? 0,
    replicas_available: object.status?.numberAvailable ?? 0,
  });

/** An unset `replicas` means 1; counts that the status leaves out are 0. */
export const replicasOf = ({ spec, status }: RawDeployment | RawStatefulSet): Replicas => ({
  replicas_desired: spec?.replicas ?? 1,
  replicas_ready: status?.readyReplicas ?? 0,
  replicas_available: status?.availableReplicas ?? 0,
});

/** The record of a workload of any kind; `facts` are read from the spec as it is stored. */
export function toRecord(
  kind: FactsKind,
  object: RawDeployment | RawStatefulSet | RawDaemonSet,
  strategy: RawStrategy | null | undefined,
  replicas: Replicas,
  facts = buildSpecFacts(kind, object.spec),
): SentWorkload {
  const { metadata, spec, status } = object;
  const described = describe(metadata);
  return {
    kind,
    ...identityOf(metadata),
    ...replicas,
    conditions: conditionsOf(status?.conditions),
    strategy: strategy?.type || null,
    service_account: spec?.template?.spec?.serviceAccountName || null,
    containers: templateContainers(spec?.template?.spec),
    ...described,
    ...helmIdentity(described.labels, described.annotations),
    // Absent means unknown (SF-22).
    ...(facts === null ? {} : { spec_facts: facts }),
  };
}
