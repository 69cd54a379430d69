import { cronJobStatus, jobStatus } from '../../rules/kube/jobStatus.ts';
import { controllerOf } from '../../rules/kube/owner.ts';
import { wireTime } from '../../rules/kube/time.ts';
import type { Arrays } from '../../wire/kinds/index.ts';
import type { RawTemplate } from './container.ts';
import { templateContainers } from './container.ts';
import type { RawCondition, RawObject } from './object.ts';
import { conditionsOf, describe, identityOf } from './object.ts';

export type JobRecord = Arrays['jobs'][number];

/** batch/v1 Job. */
export interface RawJob extends RawObject {
  readonly spec?: {
    readonly completions?: number | null;
    readonly parallelism?: number | null;
    readonly suspend?: boolean | null;
    readonly template?: RawTemplate | null;
  } | null;
  readonly status?: {
    readonly active?: number | null;
    readonly succeeded?: number | null;
    readonly failed?: number | null;
    readonly startTime?: string | null;
    readonly completionTime?: string | null;
    readonly conditions?: readonly RawCondition[] | null;
  } | null;
}

/** batch/v1 CronJob. */
export interface RawCronJob extends RawObject {
  readonly spec?: {
    readonly schedule?: string | null;
    readonly timeZone?: string | null;
    readonly concurrencyPolicy?: string | null;
    readonly suspend?: boolean | null;
    readonly jobTemplate?: { readonly spec?: { readonly template?: RawTemplate | null } | null } | null;
  } | null;
  readonly status?: {
    /** References to the Jobs that run now. */
    readonly active?: readonly object[] | null;
    readonly lastScheduleTime?: string | null;
    readonly lastSuccessfulTime?: string | null;
  } | null;
}

/** A Job as sent (AG-14); the schedule's fields are null. `completed_at` is set by success only, as Kubernetes does. */
export function mapJob({ metadata, spec, status }: RawJob): JobRecord {
  const owner = controllerOf(metadata.ownerReferences);
  const counts = {
    active: status?.active ?? 0,
    succeeded: status?.succeeded ?? 0,
    failed: status?.failed ?? 0,
  };
  const suspended = spec?.suspend ?? false;
  return {
    kind: 'Job',
    ...identityOf(metadata),
    status: jobStatus({ ...counts, suspended, conditions: status?.conditions ?? [] }),
    completions: spec?.completions ?? null,
    parallelism: spec?.parallelism ?? null,
    ...counts,
    schedule: null,
    time_zone: null,
    concurrency_policy: null,
    suspended,
    last_schedule_at: null,
    last_successful_at: null,
    started_at: wireTime(status?.startTime),
    completed_at: wireTime(status?.completionTime),
    owner_kind: owner?.kind ?? null,
    owner_name: owner?.name ?? null,
    containers: templateContainers(spec?.template?.spec),
    conditions: conditionsOf(status?.conditions),
    ...describe(metadata),
  };
}

/** A CronJob as sent; what only its runs have is null. */
export function mapCronJob({ metadata, spec, status }: RawCronJob): JobRecord {
  const owner = controllerOf(metadata.ownerReferences);
  const suspended = spec?.suspend ?? false;
  return {
    kind: 'CronJob',
    ...identityOf(metadata),
    status: cronJobStatus(suspended),
    completions: null,
    parallelism: null,
    active: status?.active?.length ?? 0,
    succeeded: null,
    failed: null,
    schedule: spec?.schedule || null,
    time_zone: spec?.timeZone || null,
    concurrency_policy: spec?.concurrencyPolicy || null,
    suspended,
    last_schedule_at: wireTime(status?.lastScheduleTime),
    last_successful_at: wireTime(status?.lastSuccessfulTime),
    started_at: null,
    completed_at: null,
    owner_kind: owner?.kind ?? null,
    owner_name: owner?.name ?? null,
    containers: templateContainers(spec?.jobTemplate?.spec?.template?.spec),
    conditions: [],
    ...describe(metadata),
  };
}
