/** Raw workload specs as the API server gives them, rich enough that every part a template can have is there. */

import type { FactsKind } from '../../../rules/facts/build.ts';

const probe = {
  httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP', httpHeaders: [{ name: 'X-Probe', value: 'v' }] },
  exec: { command: ['cat', '/tmp/ok'] },
};

const container = (name: string, extra: object = {}): object => ({
  name,
  image: `registry.example/${name}:1.4.0`,
  command: ['/bin/serve'],
  args: ['--token', 'abc'],
  workingDir: '/srv',
  ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP', hostIP: '0.0.0.0' }],
  env: [
    { name: 'PLAIN', value: 'literal' },
    { name: 'FROM_SECRET', valueFrom: { secretKeyRef: { name: 'env-secret', key: 'password' } } },
    { name: 'FROM_MAP', valueFrom: { configMapKeyRef: { name: 'env-map', key: 'level' } } },
    {
      name: 'FROM_FIELD',
      valueFrom: { fieldRef: { fieldPath: 'metadata.annotations[x]', apiVersion: 'v1' } },
    },
    { name: 'FROM_FILE', valueFrom: { fileKeyRef: { volumeName: 'scratch', path: 'p', key: 'k' } } },
  ],
  envFrom: [{ prefix: 'APP_', configMapRef: { name: 'from-map' } }, { secretRef: { name: 'from-secret' } }],
  resources: {
    requests: { cpu: '250m', memory: '64Mi', 'ephemeral-storage': '1Gi' },
    limits: { cpu: '1', memory: '1024Mi' },
    claims: [{ name: 'gpu', request: 'one' }],
  },
  volumeMounts: [
    { name: 'config', mountPath: '/etc/app', subPath: 'a', subPathExpr: '$(B)' },
    { name: 'keys', mountPath: '/keys' },
    { name: 'all', mountPath: '/all' },
    { name: 'claim', mountPath: '/claim' },
    { name: 'scratch', mountPath: '/tmp' },
    { name: 'driver', mountPath: '/driver' },
    { name: 'pod', mountPath: '/pod' },
    { name: 'host', mountPath: '/host' },
    { name: 'files', mountPath: '/files' },
  ],
  volumeDevices: [{ name: 'raw', devicePath: '/dev/xvda' }],
  livenessProbe: probe,
  readinessProbe: probe,
  startupProbe: probe,
  lifecycle: { postStart: { exec: { command: ['true'] } }, preStop: { exec: { command: ['sleep', '1'] } } },
  terminationMessagePath: '/dev/termination-log',
  securityContext: { seLinuxOptions: { user: 'u', role: 'r' }, capabilities: { add: ['NET_ADMIN'] } },
  ...extra,
});

const volumes = [
  { name: 'config', configMap: { name: 'app-config', items: [{ key: 'item-key', path: 'item-path' }] } },
  { name: 'keys', secret: { secretName: 'app-keys', items: [{ key: 'secret-key', path: 'secret-path' }] } },
  { name: 'claim', persistentVolumeClaim: { claimName: 'shared' } },
  { name: 'scratch', emptyDir: { medium: 'Memory' } },
  { name: 'host', hostPath: { path: '/var/log', type: 'Directory' } },
  { name: 'raw', persistentVolumeClaim: { claimName: 'block' } },
  { name: 'unmounted', secret: { secretName: 'nobody-mounts-it' } },
  { name: 'pod', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
  { name: 'files', azureFile: { secretName: 'azure-account', shareName: 'share' } },
  {
    name: 'driver',
    csi: {
      driver: 'secrets-store.csi.k8s.io',
      fsType: 'ext4',
      volumeAttributes: { secretProviderClass: 'vault', mountOptions: 'password=x' },
      nodePublishSecretRef: { name: 'csi-secret' },
    },
  },
  {
    name: 'all',
    projected: {
      sources: [
        { configMap: { name: 'projected-map', items: [{ key: 'pk', path: 'pp' }] } },
        { secret: { name: 'projected-secret', items: [{ key: 'qk', path: 'qp' }] } },
        { serviceAccountToken: { audience: 'vault', path: 'token' } },
        { downwardAPI: { items: [{ path: 'd', fieldRef: { fieldPath: 'metadata.name' } }] } },
        { clusterTrustBundle: { name: 'bundle', path: 'ca' } },
      ],
    },
  },
];

const template = {
  metadata: {
    name: 'template',
    labels: { app: 'api', 'pod-template-hash': '5d4f' },
    annotations: { 'vault.example/agent-inject': 'true', checksum: 'sha' },
  },
  spec: {
    containers: [container('web'), container('app')],
    initContainers: [container('schema'), container('proxy', { restartPolicy: 'Always' })],
    ephemeralContainers: [container('debugger', { targetContainerName: 'app' })],
    volumes,
    serviceAccountName: 'api',
    nodeSelector: { disk: 'ssd' },
    hostAliases: [{ ip: '127.0.0.1', hostnames: ['db'] }],
    imagePullSecrets: [{ name: 'pull' }],
    tolerations: [{ key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' }],
    priorityClassName: 'high',
    schedulerName: 'default-scheduler',
    dnsConfig: { nameservers: ['10.0.0.1'], options: [{ name: 'ndots', value: '2' }] },
  },
};

const selector = { matchLabels: { app: 'api' } };
const rollingUpdate = { maxSurge: '25%', maxUnavailable: 1 };

/** One spec of each kind that has facts. A new copy each time: tests write into it. */
export const rawSpecOf = (kind: FactsKind): Record<string, unknown> => structuredClone(SPECS[kind]);

const SPECS: Readonly<Record<FactsKind, Record<string, unknown>>> = {
  Deployment: {
    replicas: 3,
    selector,
    strategy: { type: 'RollingUpdate', rollingUpdate },
    progressDeadlineSeconds: 600,
    template,
  },
  StatefulSet: {
    replicas: 3,
    serviceName: 'api',
    selector,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1, maxUnavailable: '50%' } },
    podManagementPolicy: 'Parallel',
    template,
    volumeClaimTemplates: [
      {
        metadata: { name: 'claim', labels: { tier: 'db' }, annotations: { note: 'n' } },
        spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', volumeName: 'pv' },
      },
    ],
  },
  DaemonSet: { selector, updateStrategy: { type: 'RollingUpdate', rollingUpdate }, template },
  Rollout: {
    selector,
    strategy: {
      canary: {
        maxSurge: '20%',
        maxUnavailable: 0,
        stableService: 'stable',
        canaryMetadata: { annotations: { role: 'canary' } },
        steps: [
          { setWeight: 20 },
          { analysis: { templates: [{ templateName: 't' }], args: [{ name: 'a', value: 's' }] } },
        ],
      },
    },
    template,
  },
};
