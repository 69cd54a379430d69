import type { CronJob, DaemonSet, Job, Labels, PodTemplate, Rolling, StatefulSet } from '../objects.ts';
import type { World } from '../world.ts';
import { applyObject, type Origin, originLabels, selectorLabels } from './apply.ts';
import { drawImage } from './names.ts';
import { drawTemplate, jobTemplate, systemTemplate } from './podTemplates.ts';

/** A workload to be generated in a namespace. */
export interface WorkloadWish {
  readonly namespace: string;
  readonly name: string;
  readonly origin: Origin;
  readonly replicas: number;
}

interface Common {
  readonly labels: Labels;
  readonly selector: Labels;
  readonly template: PodTemplate;
}

function commonOf(world: World, wish: WorkloadWish): Common {
  const labels = originLabels(wish.name, wish.origin);
  const selector = selectorLabels(wish.name, wish.origin);
  const app = {
    name: wish.name,
    image: drawImage(world.random, wish.name),
    port: 8080,
    ...(world.random.chance(0.5) ? { serviceAccount: wish.name } : {}),
  };
  return { labels, selector, template: drawTemplate(world.random, app, labels) };
}

/** Creates a Deployment; one in twelve recreates its pods instead of rolling them. */
export function generateDeployment(world: World, wish: WorkloadWish): Rolling {
  const { labels, selector, template } = commonOf(world, wish);
  const strategy = world.random.chance(1 / 12)
    ? { type: 'Recreate' }
    : {
        rollingUpdate: { maxSurge: '25%', maxUnavailable: world.random.chance(0.3) ? 0 : '25%' },
        type: 'RollingUpdate',
      };
  return applyObject(
    world,
    'deployments',
    { name: wish.name, namespace: wish.namespace, labels },
    {
      spec: {
        progressDeadlineSeconds: 600,
        replicas: wish.replicas,
        revisionHistoryLimit: 10,
        selector: { matchLabels: selector },
        strategy,
        template,
      },
      status: {},
    },
    wish.origin,
  );
}

/** Creates a StatefulSet with a volume for every member; `claimClass` `manual` leaves its claims Pending. */
export function generateStatefulSet(world: World, wish: WorkloadWish, claimClass: string): StatefulSet {
  const { labels, selector, template } = commonOf(world, wish);
  return applyObject(
    world,
    'statefulsets',
    { name: wish.name, namespace: wish.namespace, labels },
    {
      spec: {
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        podManagementPolicy: 'OrderedReady',
        replicas: wish.replicas,
        revisionHistoryLimit: 10,
        selector: { matchLabels: selector },
        serviceName: wish.name,
        template,
        updateStrategy: { rollingUpdate: { partition: 0 }, type: 'RollingUpdate' },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: {
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: world.random.pick(['8Gi', '20Gi', '100Gi']) } },
              storageClassName: claimClass,
            },
          },
        ],
      },
      status: { replicas: 0 },
    },
    wish.origin,
  );
}

/** Creates a DaemonSet of the system kind. */
export function generateDaemonSet(world: World, namespace: string, name: string, image: string): DaemonSet {
  const labels = { 'k8s-app': name };
  return applyObject(
    world,
    'daemonsets',
    { name, namespace, labels, annotations: { 'deprecated.daemonset.template.generation': '1' } },
    {
      spec: {
        revisionHistoryLimit: 10,
        selector: { matchLabels: labels },
        template: systemTemplate(name, image, labels),
        updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 }, type: 'RollingUpdate' },
      },
      status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
    },
    { by: 'kubectl' },
  );
}

/** Creates a Job of so many completions, run two at a time. */
export function generateJob(world: World, namespace: string, name: string, completions: number): Job {
  const labels = { app: name };
  const template = jobTemplate(
    world.random,
    { name, image: drawImage(world.random, name), port: null },
    labels,
  );
  const parallelism = Math.min(2, completions);
  return applyObject(
    world,
    'jobs',
    { name, namespace, labels },
    {
      spec: {
        backoffLimit: 2,
        completionMode: 'NonIndexed',
        completions,
        manualSelector: false,
        parallelism,
        podReplacementPolicy: 'TerminatingOrFailed',
        suspend: false,
        template,
      },
      status: {},
    },
    { by: 'kubectl' },
  );
}

/** Creates a CronJob. */
export function generateCronJob(
  world: World,
  namespace: string,
  name: string,
  schedule: string,
  suspend: boolean,
): CronJob {
  const labels = { app: name };
  const template = jobTemplate(
    world.random,
    { name, image: drawImage(world.random, name), port: null },
    labels,
  );
  return applyObject(
    world,
    'cronjobs',
    { name, namespace, labels },
    {
      spec: {
        concurrencyPolicy: 'Forbid',
        failedJobsHistoryLimit: 1,
        jobTemplate: {
          metadata: { labels },
          spec: { backoffLimit: 1, completions: 1, parallelism: 1, template },
        },
        schedule,
        successfulJobsHistoryLimit: 3,
        suspend,
      },
      status: {},
    },
    { by: 'kubectl' },
  );
}
