import { fateKey } from '../pods/fate.ts';
import type { ClusterProfile } from '../profile.ts';
import type { Fate, World } from '../world.ts';
import { originLabels, selectorLabels } from './apply.ts';
import { generateApplication } from './argo.ts';
import { teamNamespaces } from './names.ts';
import { generateNetworkPolicies, generateQuota } from './network.ts';
import { generateNodes } from './nodes.ts';
import { seedEvents } from './seedEvents.ts';
import { generateService } from './services.ts';
import { generateTeam } from './team.ts';
import { generateDaemonSet, generateDeployment } from './workloads.ts';

/** What is to be generated. */
export interface GenerationPlan {
  readonly nodes: number;
  readonly pods: number;
  readonly profile: ClusterProfile;
  readonly rollouts: boolean;
  readonly applications: boolean;
}

const dayMs = 86_400_000;

/**
 * Fills an empty world: nodes and namespaces first, then the system's workloads, then the teams', until the cluster
 * has exactly as many pods as asked for (or what the DaemonSets alone need, if that is more). `settle` lets the
 * controllers do their work after every piece, at the age that the piece has.
 */
export function generateCluster(world: World, plan: GenerationPlan, settle: () => void): void {
  const nowMs = world.nowMs;
  world.instant = true;
  const ageDays = (days: number): void => {
    world.nowMs = nowMs - Math.floor(days * dayMs);
  };
  ageDays(400);
  const podsPerNode = Math.max(110, Math.ceil((plan.pods * 1.5) / plan.nodes));
  generateNodes(world, plan.profile, plan.nodes, podsPerNode);
  const teams = teamNamespaces(Math.max(1, Math.min(60, Math.ceil(plan.pods / 110))));
  const system = ['default', 'kube-node-lease', 'kube-public', 'kube-system', 'proxima-system'];
  if (plan.pods >= 60) system.push('ingress-nginx', 'monitoring');
  if (plan.applications) system.push('argocd');
  for (const name of [...system, ...teams]) generateNamespace(world, name, teams.includes(name));
  generateSystem(world, plan, settle);
  const perTeam = (plan.pods - world.store.count('pods')) / teams.length;
  teams.forEach((namespace, at) => {
    ageDays(world.random.int(20, 380));
    const isLast = at === teams.length - 1;
    const left = plan.pods - world.store.count('pods');
    const budget = isLast ? left : Math.min(left, Math.round(perTeam * (0.5 + world.random.next())));
    generateQuota(world, namespace);
    const sample = generateTeam(world, {
      namespace,
      pods: budget,
      rollouts: plan.rollouts && at % 2 === 0,
      ageDays,
      settle,
    });
    if (at % 3 === 0) generateNetworkPolicies(world, namespace, sample);
    if (plan.applications) generateApplication(world, namespace, namespace);
    settle();
  });
  world.nowMs = nowMs;
  seedEvents(world, Math.min(1500, Math.ceil(plan.pods / 3)));
  settle();
  world.nowMs = nowMs;
  world.instant = false;
}

function generateNamespace(world: World, name: string, isTeam: boolean): void {
  const labels = {
    'kubernetes.io/metadata.name': name,
    ...(isTeam ? { team: name.split('-')[0] ?? name, stage: name.split('-')[1] ?? 'prod' } : {}),
  };
  world.create(
    'namespaces',
    { name, labels },
    { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } },
    isTeam ? 'kubectl-create' : 'kube-apiserver',
  );
}

function generateSystem(world: World, plan: GenerationPlan, settle: () => void): void {
  const kubectl = { by: 'kubectl' } as const;
  const daemons: [string, string, string][] = [
    ['kube-system', 'kube-proxy', 'registry.k8s.io/kube-proxy:v1.37.2'],
  ];
  if (plan.pods >= 60) {
    daemons.push(['kube-system', 'cilium', 'quay.io/cilium/cilium:v1.18.1']);
    daemons.push(['monitoring', 'node-exporter', 'quay.io/prometheus/node-exporter:v1.9.1']);
  }
  for (const [namespace, name, image] of daemons) generateDaemonSet(world, namespace, name, image);
  settle();
  const left = plan.pods - world.store.count('pods');
  if (left < 4) return;
  generateDeployment(world, { namespace: 'kube-system', name: 'coredns', origin: kubectl, replicas: 2 });
  generateService(world, {
    namespace: 'kube-system',
    name: 'kube-dns',
    selector: selectorLabels('coredns', kubectl),
    labels: { 'k8s-app': 'kube-dns' },
    origin: kubectl,
    port: 53,
  });
  if (plan.pods >= 60) {
    const origin = {
      by: 'helm',
      release: 'ingress-nginx',
      chart: 'ingress-nginx',
      chartVersion: '4.13.0',
    } as const;
    generateDeployment(world, { namespace: 'ingress-nginx', name: 'controller', origin, replicas: 2 });
    generateService(world, {
      namespace: 'ingress-nginx',
      name: 'controller',
      selector: selectorLabels('controller', origin),
      labels: originLabels('controller', origin),
      origin,
      type: 'LoadBalancer',
    });
  }
  settle();
}

/** Gives a workload's pods a fate before they are made. */
export function setFate(world: World, kind: string, namespace: string, name: string, fate: Fate): void {
  world.fates.set(fateKey(kind, namespace, name), fate);
}
