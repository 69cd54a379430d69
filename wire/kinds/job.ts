import { boolean, by, defineKind, integer, list, map, name, nullable, text, time } from './define.ts';
import { condition, namespacedIdentity, templateContainer } from './shapes.ts';

/** Jobs and CronJobs (BatchV1) in one table. */
export const jobs = defineKind({
  name: 'jobs',
  table: 'k8s_jobs',
  path: 'jobs',
  kubernetesKinds: ['Job', 'CronJob'],
  key: ['kind', 'namespace', 'name'],
  coverage: { Job: 'jobs', CronJob: 'cronjobs' },
  fields: {
    kind: name(),
    ...namespacedIdentity,
    /** Job: Pending, Running, Suspended, Complete or Failed. CronJob: Active or Suspended. */
    status: text(),
    completions: nullable(integer()),
    parallelism: nullable(integer()),
    /** Running pods of a Job, running Jobs of a CronJob. */
    active: integer(),
    succeeded: nullable(integer()),
    failed: nullable(integer()),
    schedule: nullable(text()),
    time_zone: nullable(text()),
    concurrency_policy: nullable(text()),
    suspended: boolean(),
    last_schedule_at: nullable(time()),
    last_successful_at: nullable(time()),
    started_at: nullable(time()),
    completed_at: nullable(time()),
    owner_kind: nullable(text()),
    owner_name: nullable(text()),
    containers: list(templateContainer),
    conditions: list(condition),
    labels: map(),
    annotations: map(),
  },
  sortKeys: {
    kind: by('kind'),
    schedule: by('schedule'),
    status: by('status'),
    completions: by('succeeded'),
  },
});
