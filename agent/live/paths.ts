import type { ManifestKind } from '../../rules/scrub/manifest.ts';

const RESOURCES: Readonly<Record<ManifestKind, readonly [api: string, resource: string]>> = {
  Deployment: ['/apis/apps/v1', 'deployments'],
  StatefulSet: ['/apis/apps/v1', 'statefulsets'],
  DaemonSet: ['/apis/apps/v1', 'daemonsets'],
  ReplicaSet: ['/apis/apps/v1', 'replicasets'],
  Rollout: ['/apis/argoproj.io/v1alpha1', 'rollouts'],
  Pod: ['/api/v1', 'pods'],
  Service: ['/api/v1', 'services'],
  PersistentVolumeClaim: ['/api/v1', 'persistentvolumeclaims'],
  Ingress: ['/apis/networking.k8s.io/v1', 'ingresses'],
  NetworkPolicy: ['/apis/networking.k8s.io/v1', 'networkpolicies'],
  HorizontalPodAutoscaler: ['/apis/autoscaling/v2', 'horizontalpodautoscalers'],
  Job: ['/apis/batch/v1', 'jobs'],
  CronJob: ['/apis/batch/v1', 'cronjobs'],
};

/** Path of one object of the API; the names are validated before. */
export function objectPath(kind: ManifestKind, namespace: string, name: string): string {
  const [api, resource] = RESOURCES[kind];
  return `${api}/namespaces/${namespace}/${resource}/${name}`;
}
