import type { HorizontalPodAutoscaler } from '../objects.ts';
import { hash32 } from '../random.ts';
import type { World } from '../world.ts';
import { condition, writeStatus } from './owned.ts';

/** The replica count of what an autoscaler scales, or null when it is not there. */
function targetReplicas(world: World, hpa: HorizontalPodAutoscaler): number | null {
  const { kind, name } = hpa.spec.scaleTargetRef;
  const namespace = hpa.metadata.namespace ?? '';
  if (kind === 'StatefulSet') return world.store.get('statefulsets', namespace, name)?.spec.replicas ?? null;
  const resource = kind === 'Rollout' ? 'rollouts' : 'deployments';
  return world.store.get(resource, namespace, name)?.spec.replicas ?? null;
}

/** Shows in an autoscaler's status what its target has; the decisions to scale are `life`'s. */
export function syncAutoscaler(world: World, namespace: string, name: string): void {
  const hpa = world.store.get('horizontalpodautoscalers', namespace, name);
  if (hpa === null) return;
  const replicas = targetReplicas(world, hpa);
  const now = world.now();
  const isFound = replicas !== null;
  const before = hpa.status.conditions;
  const utilization = 20 + (hash32(`${hpa.metadata.uid}/${replicas}`) % 70);
  writeStatus(world, 'horizontalpodautoscalers', hpa, {
    ...(replicas === null ? {} : { currentReplicas: replicas }),
    desiredReplicas: replicas ?? 0,
    currentMetrics: isFound
      ? [
          {
            type: 'Resource',
            resource: {
              name: 'cpu',
              current: { averageUtilization: utilization, averageValue: `${utilization * 5}m` },
            },
          },
        ]
      : null,
    conditions: [
      condition(
        before,
        now,
        {
          type: 'AbleToScale',
          status: isFound ? 'True' : 'False',
          reason: isFound ? 'ReadyForNewScale' : 'FailedGetScale',
          message: isFound ? 'recommended size matches current size' : 'the scale target was not found',
        },
        false,
      ),
      condition(
        before,
        now,
        {
          type: 'ScalingActive',
          status: isFound ? 'True' : 'False',
          reason: isFound ? 'ValidMetricFound' : 'InvalidSelector',
          message: isFound
            ? 'the HPA was able to successfully calculate a replica count from cpu resource utilization'
            : 'the scale target was not found',
        },
        false,
      ),
    ],
    ...(hpa.status.lastScaleTime === undefined ? {} : { lastScaleTime: hpa.status.lastScaleTime }),
  });
}
