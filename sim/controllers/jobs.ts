import { recordEvent } from '../events.ts';
import type { Condition, Job } from '../objects.ts';
import { makePod } from '../pods/makePod.ts';
import { isActive, isReady } from '../pods/podStatus.ts';
import type { World } from '../world.ts';
import { condition, counted, ownedObjects, writeStatus } from './owned.ts';

const controller = 'kube-controller-manager';

function isFinished(job: Job): boolean {
  return job.status.conditions?.some((each) => each.type === 'Complete' || each.type === 'Failed') ?? false;
}

/** Runs a Job's pods until enough have succeeded or too many have failed. */
export function syncJob(world: World, namespace: string, name: string): void {
  const job = world.store.get('jobs', namespace, name);
  if (job === null || isFinished(job)) return;
  if (job.spec.suspend === true) {
    const suspended = condition(
      job.status.conditions,
      world.now(),
      {
        type: 'Suspended',
        status: 'True',
        reason: 'JobSuspended',
        message: 'Job suspended',
      },
      false,
    );
    writeStatus(world, 'jobs', job, { conditions: [suspended], ready: 0, terminating: 0 });
    return;
  }
  const completions = job.spec.completions ?? 1;
  const backoffLimit = job.spec.backoffLimit ?? 6;
  const pods = ownedObjects(world, 'pods', job);
  const succeeded = pods.filter((pod) => pod.status.phase === 'Succeeded').length;
  const failed = pods.filter((pod) => pod.status.phase === 'Failed').length;
  const active = pods.filter(isActive).length;
  const room = Math.min(job.spec.parallelism ?? 1, completions - succeeded) - active;
  if (failed <= backoffLimit) {
    for (let missing = room; missing > 0; missing -= 1) {
      makePod(world, {
        namespace,
        owner: job,
        template: job.spec.template,
        prefix: `${name}-`,
        labels: jobLabels(job),
        controller,
      });
    }
  }
  writeJobStatus(world, job, { succeeded, failed, completions, backoffLimit });
}

/** The labels that the Job controller puts on its pods, old and new spelling. */
function jobLabels(job: Job): { readonly [key: string]: string } {
  const { uid, name } = job.metadata;
  return {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
}

function writeJobStatus(
  world: World,
  job: Job,
  counts: { succeeded: number; failed: number; completions: number; backoffLimit: number },
): void {
  const pods = ownedObjects(world, 'pods', job);
  const now = world.now();
  const startTime = job.status.startTime ?? now;
  const isComplete = counts.succeeded >= counts.completions;
  const hasFailed = !isComplete && counts.failed > counts.backoffLimit;
  const end = (type: string, reason: string, message: string): Condition =>
    condition(job.status.conditions, now, { type, status: 'True', reason, message }, false);
  const conditions = isComplete
    ? [
        end('SuccessCriteriaMet', 'CompletionsReached', 'Reached expected number of succeeded pods'),
        end('Complete', 'CompletionsReached', 'Reached expected number of succeeded pods'),
      ]
    : hasFailed
      ? [end('Failed', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit')]
      : undefined;
  const wrote = writeStatus(world, 'jobs', job, {
    ...(conditions === undefined ? {} : { conditions }),
    startTime,
    ...(isComplete ? { completionTime: now } : {}),
    ...counted('active', pods.filter(isActive).length),
    ...counted('succeeded', counts.succeeded),
    ...counted('failed', counts.failed),
    terminating: 0,
    uncountedTerminatedPods: {},
    ready: pods.filter((pod) => isActive(pod) && isReady(pod)).length,
  });
  if (!wrote || world.instant || conditions === undefined) return;
  recordEvent(world, {
    about: job,
    type: hasFailed ? 'Warning' : 'Normal',
    reason: hasFailed ? 'BackoffLimitExceeded' : 'Completed',
    message: hasFailed ? 'Job has reached the specified backoff limit' : 'Job completed',
    component: 'job-controller',
  });
}
