import type { SimCluster } from './cluster.ts';

/** The average time between two things that happen by themselves in a cluster of 100 workloads. */
const meanGapMs = 20_000;

/**
 * Lets the cluster live for so long: time passes, and at seeded moments somebody rolls, scales, edits, breaks, repairs
 * or removes something. Larger clusters see more of it.
 */
export function liveFor(cluster: SimCluster, ms: number): void {
  const { random } = cluster.life;
  const endMs = cluster.nowMs + ms;
  for (;;) {
    const workloads = Math.max(10, cluster.store.count('deployments'));
    const gapMs = Math.ceil((-Math.log(1 - random.next()) * meanGapMs * 100) / workloads);
    if (cluster.nowMs + gapMs > endMs) break;
    cluster.advance(gapMs);
    somethingHappens(cluster);
  }
  cluster.advance(endMs - cluster.nowMs);
}

function somethingHappens(cluster: SimCluster): void {
  const { random } = cluster.life;
  const deployments = cluster.store
    .list('deployments')
    .filter(({ metadata, spec }) => !isSystem(metadata.namespace ?? '') && (spec.replicas ?? 1) > 0);
  if (deployments.length === 0) return;
  const { namespace = '', name } = random.pick(deployments).metadata;
  const draw = random.next();
  if (draw < 0.3) cluster.rolloutDeployment(namespace, name);
  else if (draw < 0.5) cluster.scale('deployments', namespace, name, random.int(1, 8));
  else if (draw < 0.6)
    cluster.editConfig('deployments', namespace, name, { env: { LOG_LEVEL: random.pick(['info', 'warn']) } });
  else if (draw < 0.68) cluster.crash('Deployment', namespace, name);
  else if (draw < 0.76) cluster.healAll();
  else if (draw < 0.84) evictOne(cluster, namespace);
  else if (draw < 0.88) cluster.copyDeployment(namespace, name, `${name}-${random.chars('bcdf', 3)}`);
  else if (draw < 0.91) cluster.remove('deployments', namespace, name);
  else if (draw < 0.95) rollSomethingElse(cluster);
  else toggleNode(cluster);
}

function isSystem(namespace: string): boolean {
  return ['kube-system', 'ingress-nginx', 'monitoring', 'argocd', 'proxima-system'].includes(namespace);
}

function evictOne(cluster: SimCluster, namespace: string): void {
  const running = cluster.store.list('pods', namespace).filter((pod) => pod.status.phase === 'Running');
  const pod = running.length === 0 ? null : cluster.life.random.pick(running);
  if (pod !== null) cluster.evict(namespace, pod.metadata.name);
}

function rollSomethingElse(cluster: SimCluster): void {
  const { random } = cluster.life;
  const resource = random.pick(['statefulsets', 'daemonsets', 'rollouts'] as const);
  const all = cluster.store.list(resource).filter((each) => each.spec.template !== undefined);
  if (all.length === 0) return;
  const { namespace = '', name } = random.pick(all).metadata;
  cluster.rollout(resource, namespace, name);
}

/** At most one node is down at a time; it comes back or is replaced by a new machine. */
function toggleNode(cluster: SimCluster): void {
  const { random } = cluster.life;
  const down = cluster.downNodes()[0];
  if (down === undefined) {
    if (cluster.store.count('nodes') > 1)
      cluster.nodeDown(random.pick(cluster.store.list('nodes')).metadata.name);
  } else if (random.chance(0.7)) cluster.nodeUp(down);
  else cluster.recreateNode(down);
}
