import type { Container, Fields, Labels, PodSpec, PodTemplate } from '../objects.ts';
import type { Random } from '../random.ts';

const requestChoices: readonly (readonly [string, string])[] = [
  ['50m', '64Mi'],
  ['100m', '128Mi'],
  ['250m', '256Mi'],
  ['500m', '512Mi'],
  ['1', '1Gi'],
];

const limitChoices: { readonly [request: string]: string } = {
  '50m': '200m',
  '100m': '500m',
  '250m': '1',
  '500m': '2',
  '1': '2',
};

/** What kind of program a template is for; decides image, port and extras. */
export interface AppShape {
  readonly name: string;
  readonly image: string;
  readonly port: number | null;
  readonly serviceAccount?: string;
}

function probe(port: number, path: string, periodSeconds: number): Fields {
  return {
    failureThreshold: 3,
    httpGet: { path, port, scheme: 'HTTP' },
    initialDelaySeconds: 5,
    periodSeconds,
    successThreshold: 1,
    timeoutSeconds: 2,
  };
}

function environment(random: Random, app: AppShape): Fields[] {
  const env: Fields[] = [
    { name: 'LOG_LEVEL', value: random.pick(['info', 'warn', 'debug']) },
    { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
  ];
  if (app.port !== null) env.push({ name: 'HTTP_PORT', value: String(app.port) });
  if (random.chance(0.5)) {
    env.push({
      name: 'DB_PASSWORD',
      valueFrom: { secretKeyRef: { name: `${app.name}-db`, key: 'password' } },
    });
    env.push({ name: 'DB_HOST', value: `${app.name}-db.internal` });
  }
  if (random.chance(0.3)) {
    env.push({
      name: 'FEATURE_FLAGS',
      valueFrom: { configMapKeyRef: { name: `${app.name}-flags`, key: 'flags' } },
    });
  }
  if (random.chance(0.3))
    env.push({ name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://otel.monitoring:4317' });
  return env;
}

/** Requests and limits in canonical spelling; one in ten sets none. */
function drawResources(random: Random): Container['resources'] {
  if (random.chance(0.1)) return {};
  const [cpu, memory] = random.pick(requestChoices);
  const requests = { cpu, memory };
  return random.chance(0.8) ? { requests, limits: { cpu: limitChoices[cpu] ?? '1', memory } } : { requests };
}

function mainContainer(random: Random, app: AppShape): Container {
  return {
    name: app.name,
    image: app.image,
    imagePullPolicy: 'IfNotPresent',
    env: environment(random, app),
    ...(app.port === null ? {} : { ports: [{ name: 'http', containerPort: app.port, protocol: 'TCP' }] }),
    ...(app.port === null
      ? {}
      : { livenessProbe: probe(app.port, '/healthz', 20), readinessProbe: probe(app.port, '/readyz', 10) }),
    resources: drawResources(random),
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, runAsNonRoot: true },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    volumeMounts: [
      { name: 'config', mountPath: '/etc/app', readOnly: true },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  };
}

function sidecar(name: string, image: string): Container {
  return {
    name,
    image,
    imagePullPolicy: 'IfNotPresent',
    resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { cpu: '200m', memory: '128Mi' } },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  };
}

/** A pod template as an author writes it and the API's defaults fill it up. */
export function drawTemplate(random: Random, app: AppShape, labels: Labels): PodTemplate {
  const containers = [mainContainer(random, app)];
  const initContainers: Container[] = [];
  if (random.chance(0.2)) containers.push(sidecar('metrics', 'quay.io/prometheus/statsd-exporter:v0.28.0'));
  if (random.chance(0.2)) initContainers.push(sidecar('migrate', app.image));
  if (random.chance(0.15)) {
    initContainers.push({
      ...sidecar('proxy', 'docker.io/envoyproxy/envoy:v1.34.1'),
      restartPolicy: 'Always',
    });
  }
  const spec: PodSpec = {
    containers,
    ...(initContainers.length === 0 ? {} : { initContainers }),
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: { fsGroup: 10001, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
    ...(app.serviceAccount === undefined
      ? {}
      : { serviceAccountName: app.serviceAccount, serviceAccount: app.serviceAccount }),
    terminationGracePeriodSeconds: 30,
    volumes: [
      { name: 'config', configMap: { name: `${app.name}-config`, defaultMode: 420 } },
      { name: 'tmp', emptyDir: {} },
    ],
  };
  const annotations: Labels = random.chance(0.4)
    ? { 'prometheus.io/scrape': 'true', 'prometheus.io/port': String(app.port ?? 9090) }
    : {};
  return { metadata: { labels, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) }, spec };
}

/** A template of the system kind: one container on the host's network, no probes, bears every taint. */
export function systemTemplate(name: string, image: string, labels: Labels): PodTemplate {
  return {
    metadata: { labels },
    spec: {
      containers: [
        {
          name,
          image,
          imagePullPolicy: 'IfNotPresent',
          resources: { requests: { cpu: '100m', memory: '128Mi' } },
          securityContext: { privileged: true },
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
        },
      ],
      dnsPolicy: 'ClusterFirst',
      hostNetwork: true,
      priorityClassName: 'system-node-critical',
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      securityContext: {},
      serviceAccountName: name,
      serviceAccount: name,
      terminationGracePeriodSeconds: 30,
      tolerations: [{ operator: 'Exists' }],
    },
  };
}

/** A template for a Job: runs to its end and is not restarted. */
export function jobTemplate(random: Random, app: AppShape, labels: Labels): PodTemplate {
  const { metadata, spec } = drawTemplate(random, { ...app, port: null }, labels);
  const { initContainers: _none, ...rest } = spec;
  const containers = spec.containers
    .slice(0, 1)
    .map((each) => ({ ...each, command: ['/bin/run'], args: ['--once'] }));
  return { metadata, spec: { ...rest, containers, restartPolicy: 'Never' } };
}
