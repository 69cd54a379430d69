import type { Labels } from '../objects.ts';
import type { World } from '../world.ts';
import { applyObject, type Origin } from './apply.ts';

/** Creates an Ingress in front of a Service; `isTls` adds a certificate's secret name (never the secret). */
export function generateIngress(
  world: World,
  wish: { namespace: string; service: string; labels: Labels; origin: Origin; isTls: boolean },
): void {
  const host = `${wish.service}.${wish.namespace}.acme.example`;
  const backend = { service: { name: wish.service, port: { name: 'http' } } };
  applyObject(
    world,
    'ingresses',
    {
      name: wish.service,
      namespace: wish.namespace,
      labels: wish.labels,
      annotations: {
        'nginx.ingress.kubernetes.io/proxy-body-size': '8m',
        ...(wish.isTls ? { 'cert-manager.io/cluster-issuer': 'letsencrypt' } : {}),
      },
    },
    {
      spec: {
        ingressClassName: 'nginx',
        rules: [{ host, http: { paths: [{ backend, path: '/', pathType: 'Prefix' }] } }],
        ...(wish.isTls ? { tls: [{ hosts: [host], secretName: `${wish.service}-tls` }] } : {}),
      },
      status: { loadBalancer: { ingress: [{ ip: '203.0.113.10' }] } },
    },
    wish.origin,
  );
}

/** Creates the pair of policies that a careful team has: deny everything in, allow from the ingress controller. */
export function generateNetworkPolicies(world: World, namespace: string, selector: Labels): void {
  applyObject(
    world,
    'networkpolicies',
    { name: 'default-deny', namespace },
    { spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] } },
    { by: 'kubectl' },
  );
  applyObject(
    world,
    'networkpolicies',
    { name: 'allow-ingress', namespace },
    {
      spec: {
        egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.0.0.0/24'] } }] }],
        ingress: [
          {
            from: [
              { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } },
            ],
            ports: [{ port: 'http', protocol: 'TCP' }],
          },
        ],
        podSelector: { matchLabels: selector },
        policyTypes: ['Ingress', 'Egress'],
      },
    },
    { by: 'kubectl' },
  );
}

/** Creates a namespace's quota. */
export function generateQuota(world: World, namespace: string): void {
  applyObject(
    world,
    'resourcequotas',
    { name: 'compute', namespace },
    {
      spec: {
        hard: {
          'limits.cpu': '400',
          'limits.memory': '400Gi',
          persistentvolumeclaims: '50',
          pods: '500',
          'requests.cpu': '200',
          'requests.memory': '200Gi',
          services: '100',
        },
      },
      status: {},
    },
    { by: 'kubectl' },
  );
}

/** Creates an autoscaler on a workload. */
export function generateAutoscaler(
  world: World,
  wish: {
    namespace: string;
    name: string;
    kind: string;
    apiVersion: string;
    replicas: number;
    labels: Labels;
    origin: Origin;
  },
): void {
  applyObject(
    world,
    'horizontalpodautoscalers',
    { name: wish.name, namespace: wish.namespace, labels: wish.labels },
    {
      spec: {
        maxReplicas: wish.replicas * 3 + 2,
        metrics: [
          {
            resource: { name: 'cpu', target: { averageUtilization: 70, type: 'Utilization' } },
            type: 'Resource',
          },
        ],
        minReplicas: Math.max(1, Math.floor(wish.replicas / 2)),
        scaleTargetRef: { apiVersion: wish.apiVersion, kind: wish.kind, name: wish.name },
      },
      status: { desiredReplicas: 0, currentMetrics: null },
    },
    wish.origin,
  );
}
