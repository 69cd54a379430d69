/** One word for a Job or a CronJob (contracts.md section 1). */

/** The fields that decide a Job's status. */
export interface JobState {
  readonly suspended: boolean;
  readonly active: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
}

export type JobStatus = 'Pending' | 'Running' | 'Suspended' | 'Complete' | 'Failed';

/**
 * The end that a Job has reached wins over everything. A Job that waits between two attempts has no active pod but
 * has had one: it is Running, not Pending.
 */
export function jobStatus(job: JobState): JobStatus {
  const holds = (type: string): boolean => job.conditions.some((c) => c.type === type && c.status === 'True');
  if (holds('Complete')) return 'Complete';
  if (holds('Failed')) return 'Failed';
  if (job.suspended) return 'Suspended';
  return job.active + job.succeeded + job.failed > 0 ? 'Running' : 'Pending';
}

export const cronJobStatus = (suspended: boolean): 'Active' | 'Suspended' =>
  suspended ? 'Suspended' : 'Active';
