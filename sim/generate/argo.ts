import type { Plain, Rolling } from '../objects.ts';
import type { World } from '../world.ts';
import { applyObject, originLabels } from './apply.ts';
import { drawImage } from './names.ts';
import { drawTemplate } from './podTemplates.ts';

export type RolloutShape = 'canary' | 'blueGreen' | 'no replicas' | 'workloadRef';

const strategies = {
  canary: {
    canary: { maxSurge: '25%', maxUnavailable: 0, steps: [{ setWeight: 20 }, { pause: { duration: '5m' } }] },
  },
  blueGreen: { blueGreen: { activeService: '', autoPromotionEnabled: true, previewService: '' } },
} as const;

/**
 * Creates a Rollout: `no replicas` leaves the count to Argo's default of 1, `workloadRef` takes the template of the
 * Deployment of the same name, which then has no pods of its own. Quantities stay as typed (`cpu: 0.5`): no API
 * defaulting or canonical spelling happens to a custom resource.
 */
export function generateRollout(
  world: World,
  wish: { namespace: string; name: string; replicas: number; shape: RolloutShape },
): Rolling {
  const { namespace, name, shape } = wish;
  const origin = { by: 'kubectl' } as const;
  const labels = originLabels(name, origin);
  const app = { name, image: drawImage(world.random, name), port: 8080 };
  const template = drawTemplate(world.random, app, labels);
  const typed = {
    ...template,
    spec: {
      ...template.spec,
      containers: template.spec.containers.map((each, at) =>
        at === 0 ? { ...each, resources: asTyped({ requests: { cpu: 0.5, memory: '512Mi' } }) } : each,
      ),
    },
  };
  const strategy =
    shape === 'blueGreen'
      ? {
          blueGreen: {
            ...strategies.blueGreen.blueGreen,
            activeService: name,
            previewService: `${name}-preview`,
          },
        }
      : strategies.canary;
  return applyObject(
    world,
    'rollouts',
    { name, namespace, labels },
    {
      spec: {
        ...(shape === 'no replicas' ? {} : { replicas: wish.replicas }),
        revisionHistoryLimit: 3,
        selector: { matchLabels: labels },
        strategy,
        ...(shape === 'workloadRef'
          ? { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name } }
          : { template: typed }),
      },
      status: {},
    },
    origin,
  );
}

/** Resources as an author may type them: numbers where the typed API would only have text. */
function asTyped(resources: { requests: { cpu: number | string; memory: string } }): {
  requests: { cpu: string; memory: string };
} {
  // The cluster's types say text, as for all built-in kinds; a custom resource holds what was typed.
  return resources as { requests: { cpu: string; memory: string } };
}

/** Creates an Application over a namespace: its resource rows name the workloads and services that are there. */
export function generateApplication(world: World, name: string, namespace: string): Plain {
  const sync = world.random.chance(0.8) ? 'Synced' : 'OutOfSync';
  const health = world.random.chance(0.85) ? 'Healthy' : 'Degraded';
  const revision = world.random.hex(40);
  const source = {
    path: `apps/${namespace}`,
    repoURL: 'https://git.acme.example/platform/deployments.git',
    targetRevision: 'main',
    helm: { parameters: [{ name: 'image.tag', value: '1.4.2' }], valuesObject: { replicaCount: 2 } },
  };
  const rows = (['deployments', 'services'] as const).flatMap((resource) =>
    world.store.list(resource, namespace).map((each) => ({
      ...(resource === 'deployments' ? { group: 'apps' } : {}),
      health: { status: health },
      kind: each.kind,
      name: each.metadata.name,
      namespace,
      status: sync,
      version: 'v1',
    })),
  );
  return world.create(
    'applications',
    { name, namespace: 'argocd', labels: { team: namespace.split('-')[0] ?? namespace } },
    {
      spec: {
        destination: { namespace, server: 'https://kubernetes.default.svc' },
        project: 'default',
        source,
        syncPolicy: { automated: { prune: true, selfHeal: true } },
      },
      status: {
        health: { lastTransitionTime: world.now(), status: health },
        history: [{ deployedAt: world.now(), id: 0, revision, source }],
        operationState: { finishedAt: world.now(), phase: 'Succeeded', startedAt: world.now() },
        reconciledAt: world.now(),
        resources: rows,
        sourceType: 'Helm',
        summary: { images: [] },
        sync: { comparedTo: { destination: { namespace }, source }, revision, status: sync },
      },
    },
    'argocd-server',
  );
}
