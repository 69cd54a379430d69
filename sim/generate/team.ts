import { createClaim } from '../controllers/claims.ts';
import { runCronJob } from '../controllers/cronJobs.ts';
import { withImage } from '../editTemplate.ts';
import type { Labels, Rolling } from '../objects.ts';
import { fateKey } from '../pods/fate.ts';
import type { World } from '../world.ts';
import { type Origin, originLabels, selectorLabels } from './apply.ts';
import { generateRollout, type RolloutShape } from './argo.ts';
import { freshName, nextImage } from './names.ts';
import { generateAutoscaler, generateIngress } from './network.ts';
import { generateService } from './services.ts';
import { generateCronJob, generateDeployment, generateJob, generateStatefulSet } from './workloads.ts';

/** What a team's namespace is to hold. */
export interface TeamPlan {
  readonly namespace: string;
  readonly pods: number;
  readonly rollouts: boolean;
  /** Sets the clock to so many days ago. */
  readonly ageDays: (days: number) => void;
  readonly settle: () => void;
}

function drawOrigin(world: World, name: string): Origin {
  if (world.random.chance(0.55)) return { by: 'kubectl' };
  return {
    by: 'helm',
    release: name,
    chart: world.random.pick(['app', 'microservice', name]),
    chartVersion: `${world.random.int(0, 4)}.${world.random.int(0, 20)}.${world.random.int(0, 9)}`,
  };
}

/** Fills a namespace with workloads until it has `pods` pods; answers the selector of one of them, for policies. */
export function generateTeam(world: World, plan: TeamPlan): Labels {
  const { namespace, random, settle } = { ...plan, random: world.random };
  const taken = new Set<string>();
  const endCount = (): number => world.store.inNamespace('pods', namespace).length;
  const left = (): number => plan.pods - endCount();
  if (plan.pods >= 8) generateJobs(world, plan, taken);
  if (plan.pods >= 8) {
    generateSet(world, namespace, freshName(random, taken), Math.min(3, left()));
    settle();
  }
  if (plan.rollouts && plan.pods >= 6) {
    for (const shape of ['canary', 'blueGreen', 'no replicas', 'workloadRef'] as const) {
      generateShapedRollout(world, namespace, freshName(random, taken), shape, left());
      settle();
    }
  }
  let sample: Labels = { app: namespace };
  while (left() > 0) {
    plan.ageDays(random.int(1, 20) + random.next());
    const name = freshName(random, taken);
    const origin = drawOrigin(world, name);
    const replicas = Math.min(left(), random.pick([1, 1, 2, 2, 3, 3, 4, 6, 10, 14]));
    drawFate(world, namespace, name);
    generateFront(world, { namespace, name, origin, replicas });
    generateDeployment(world, { namespace, name, origin, replicas });
    if (random.chance(0.5)) liveThroughRollouts(world, plan, name, replicas);
    settle();
    sample = selectorLabels(name, origin);
  }
  return sample;
}

function generateJobs(world: World, plan: TeamPlan, taken: Set<string>): void {
  const { namespace, settle } = plan;
  generateJob(world, namespace, `${freshName(world.random, taken)}-import`, world.random.int(1, 2));
  const cron = generateCronJob(
    world,
    namespace,
    `${freshName(world.random, taken)}-nightly`,
    world.random.pick(['*/10 * * * *', '0 * * * *', '30 2 * * *']),
    world.random.chance(0.15),
  );
  settle();
  if (!cron.spec.suspend) runCronJob(world, cron, world.nowMs);
  settle();
}

function generateSet(world: World, namespace: string, name: string, replicas: number): void {
  const origin = drawOrigin(world, name);
  const labels = originLabels(name, origin);
  generateService(world, {
    namespace,
    name,
    selector: selectorLabels(name, origin),
    labels,
    origin,
    headless: true,
  });
  generateStatefulSet(world, { namespace, name, origin, replicas }, 'gp3');
  if (world.random.chance(0.3)) {
    const resources = { requests: { storage: '50Gi' } };
    const spec = { accessModes: ['ReadWriteMany'], resources, storageClassName: 'manual' };
    createClaim(world, { namespace, name: `${name}-backup`, spec, labels });
  }
}

function generateShapedRollout(
  world: World,
  namespace: string,
  name: string,
  shape: RolloutShape,
  left: number,
): void {
  if (left < 1) return;
  const replicas = shape === 'no replicas' ? 1 : Math.min(left, 2);
  const origin = { by: 'kubectl' } as const;
  const labels = originLabels(name, origin);
  generateService(world, { namespace, name, selector: selectorLabels(name, origin), labels, origin });
  if (shape === 'blueGreen') {
    const selector = selectorLabels(name, origin);
    generateService(world, { namespace, name: `${name}-preview`, selector, labels, origin });
  }
  if (shape === 'workloadRef') generateDeployment(world, { namespace, name, origin, replicas: 0 });
  generateRollout(world, { namespace, name, replicas, shape });
}

function generateFront(
  world: World,
  wish: { namespace: string; name: string; origin: Origin; replicas: number },
): void {
  const { random } = world;
  if (random.chance(0.25)) return;
  const { namespace, name, origin, replicas } = wish;
  const labels = originLabels(name, origin);
  const type = random.pick([
    'ClusterIP',
    'ClusterIP',
    'ClusterIP',
    'ClusterIP',
    'ClusterIP',
    'NodePort',
    'LoadBalancer',
  ] as const);
  generateService(world, { namespace, name, selector: selectorLabels(name, origin), labels, origin, type });
  if (random.chance(0.4)) {
    generateIngress(world, { namespace, service: name, labels, origin, isTls: random.chance(0.7) });
  }
  if (replicas > 1 && random.chance(0.35)) {
    generateAutoscaler(world, {
      namespace,
      name,
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      replicas,
      labels,
      origin,
    });
  }
}

/** One workload in fifty crashes, one in a hundred cannot pull its image, one in a hundred finds no node. */
function drawFate(world: World, namespace: string, name: string): void {
  const draw = world.random.next();
  const fate = draw < 0.02 ? 'crash' : draw < 0.03 ? 'pull' : draw < 0.04 ? 'unschedulable' : null;
  if (fate !== null) world.fates.set(fateKey('Deployment', namespace, name), fate);
}

/**
 * Gives a Deployment a past: up to three rollouts, whose ReplicaSets stay at zero. It has no pods meanwhile, so that a
 * large cluster is generated without a churn that nobody would see.
 */
function liveThroughRollouts(world: World, plan: TeamPlan, name: string, replicas: number): void {
  const rollouts = world.random.int(1, 3);
  const ages = Array.from({ length: rollouts }, () => world.random.next()).sort((a, b) => b - a);
  const edit = (change: (spec: Rolling['spec']) => Partial<Rolling['spec']>): void => {
    const stored = world.store.get('deployments', plan.namespace, name);
    if (stored === null) return;
    world.update(
      'deployments',
      { ...stored, spec: { ...stored.spec, ...change(stored.spec) } },
      'kubectl-set',
    );
  };
  edit(() => ({ replicas: 0 }));
  plan.settle();
  for (const days of ages) {
    plan.ageDays(days);
    edit(({ template }) => {
      const image = nextImage(world.random, template?.spec.containers[0]?.image ?? '');
      return template === undefined ? {} : { template: withImage(template, image) };
    });
    plan.settle();
  }
  edit(() => ({ replicas }));
}
