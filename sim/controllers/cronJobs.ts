import { recordEvent } from '../events.ts';
import type { CronJob, Job } from '../objects.ts';
import { timeText } from '../time.ts';
import { ownedBy, type World } from '../world.ts';
import { nextRunMs } from './cronSchedule.ts';
import { ownedObjects, writeStatus } from './owned.ts';

function ended(job: Job, type: 'Complete' | 'Failed'): boolean {
  return job.status.conditions?.some((each) => each.type === type) ?? false;
}

/** Keeps a CronJob's list of active Jobs and its history (three successes, one failure), as its status shows them. */
export function syncCronJob(world: World, namespace: string, name: string): void {
  const cron = world.store.get('cronjobs', namespace, name);
  if (cron === null) return;
  const jobs = ownedObjects(world, 'jobs', cron).sort((a, b) => (a.metadata.name < b.metadata.name ? 1 : -1));
  for (const job of jobs.filter((each) => ended(each, 'Complete')).slice(3)) {
    world.store.remove('jobs', namespace, job.metadata.name);
  }
  for (const job of jobs.filter((each) => ended(each, 'Failed')).slice(1)) {
    world.store.remove('jobs', namespace, job.metadata.name);
  }
  const active = jobs
    .filter((job) => !ended(job, 'Complete') && !ended(job, 'Failed'))
    .map((job) => ({
      kind: 'Job',
      namespace,
      name: job.metadata.name,
      uid: job.metadata.uid,
      apiVersion: 'batch/v1',
      resourceVersion: job.metadata.resourceVersion,
    }));
  const done = jobs.find((job) => ended(job, 'Complete'))?.status.completionTime;
  const last = jobs[0]?.metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp'];
  const lastSuccessfulTime = done ?? cron.status.lastSuccessfulTime;
  const lastScheduleTime = last ?? cron.status.lastScheduleTime;
  writeStatus(world, 'cronjobs', cron, {
    ...(active.length === 0 ? {} : { active }),
    ...(lastScheduleTime === undefined ? {} : { lastScheduleTime }),
    ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }),
  });
}

/** Makes the Job of one scheduled time; its name ends in the minutes since the epoch. */
export function runCronJob(world: World, cron: CronJob, scheduledMs: number): void {
  const { namespace = '' } = cron.metadata;
  const name = `${cron.metadata.name}-${Math.floor(scheduledMs / 60_000)}`;
  if (world.store.get('jobs', namespace, name) !== null) return;
  const template = cron.spec.jobTemplate;
  world.create(
    'jobs',
    {
      name,
      namespace,
      labels: { ...template.metadata?.labels },
      annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': timeText(scheduledMs) },
      ownerReferences: [ownedBy(cron)],
    },
    { spec: { completionMode: 'NonIndexed', manualSelector: false, ...template.spec }, status: {} },
    'kube-controller-manager',
  );
  if (world.instant) return;
  recordEvent(world, {
    about: cron,
    reason: 'SuccessfulCreate',
    message: `Created job ${name}`,
    component: 'cronjob-controller',
  });
}

/** Plans all further runs of a CronJob, for as long as it exists; suspended ones let their times pass. */
export function planCronJob(world: World, namespace: string, name: string, uid: string): void {
  const cron = world.store.get('cronjobs', namespace, name);
  if (cron === null || cron.metadata.uid !== uid) return;
  const dueMs = nextRunMs(cron.spec.schedule, world.nowMs);
  world.agenda.at(dueMs, () => {
    const due = world.store.get('cronjobs', namespace, name);
    if (due === null || due.metadata.uid !== uid) return;
    // A generated CronJob is older than the clock's start; what it would have run until then is past.
    const isMissed = world.nowMs - dueMs >= 60_000;
    if (!due.spec.suspend && !isMissed) runCronJob(world, due, dueMs);
    planCronJob(world, namespace, name, uid);
  });
}
