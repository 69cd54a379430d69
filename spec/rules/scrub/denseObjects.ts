/** One object of each kind with the places that matter filled in; every text in it is a placeholder. */

const _ = '*';
const maps = { note: _, 'db-password': _ };
const annotations = {
  ...maps,
  'kubectl.kubernetes.io/last-applied-configuration': _,
  'kapp.k14s.io/original': _,
};
const metadata = {
  name: _,
  namespace: _,
  uid: _,
  generateName: _,
  labels: { app: _ },
  annotations,
  ownerReferences: [{ apiVersion: _, kind: _, name: _, uid: _ }],
  managedFields: [{ manager: _, fieldsV1: { 'f:spec': { [_]: {} } } }],
};
const reference = { name: _, key: _ };
const handler = {
  exec: { command: [_, _] },
  httpGet: { path: _, host: _, port: 80, httpHeaders: [{ name: _, value: _ }] },
};
const container = {
  name: _,
  image: _,
  command: [_],
  args: [_, _],
  env: [
    { name: _, value: _ },
    {
      name: _,
      valueFrom: { secretKeyRef: reference, configMapKeyRef: reference, fieldRef: { fieldPath: _ } },
    },
  ],
  envFrom: [{ prefix: _, secretRef: { name: _ }, configMapRef: { name: _ } }],
  ports: [{ name: _, containerPort: 80, protocol: _ }],
  resources: { requests: { cpu: _ }, limits: { memory: _ } },
  livenessProbe: handler,
  readinessProbe: handler,
  startupProbe: handler,
  lifecycle: { postStart: handler, preStop: handler },
  volumeMounts: [{ name: _, mountPath: _ }],
  terminationMessagePath: _,
};
const selector = { matchLabels: { app: _ }, matchExpressions: [{ key: _, operator: _, values: [_] }] };
const podTemplate = {
  metadata,
  spec: {
    serviceAccountName: _,
    containers: [container],
    initContainers: [container],
    ephemeralContainers: [{ ...container, targetContainerName: _ }],
    imagePullSecrets: [{ name: _ }],
    nodeSelector: { zone: _ },
    dnsConfig: { options: [{ name: _, value: _ }] },
    volumes: [
      { name: _, secret: { secretName: _, items: [{ key: _, path: _ }] } },
      { name: _, configMap: { name: _ } },
      { name: _, persistentVolumeClaim: { claimName: _ } },
      { name: _, projected: { sources: [{ secret: { name: _ } }] } },
      { name: _, csi: { driver: _, volumeAttributes: maps, nodePublishSecretRef: { name: _ } } },
      { name: _, flexVolume: { driver: _, options: maps, secretRef: { name: _ } } },
      { name: _, gitRepo: { repository: _ } },
      {
        name: _,
        ephemeral: {
          volumeClaimTemplate: {
            metadata,
            spec: { storageClassName: _, resources: { requests: { storage: _ } } },
          },
        },
      },
    ],
  },
};
const conditions = [{ type: _, status: _, reason: _, message: _ }];
const containerStatus = {
  name: _,
  image: _,
  imageID: _,
  state: { waiting: { reason: _, message: _ }, terminated: { exitCode: 1, reason: _, message: _ } },
  lastState: { terminated: { exitCode: 1, reason: _, message: _ } },
};
const workload = { metadata, spec: { selector, template: podTemplate }, status: { conditions } };
const claim = {
  metadata,
  spec: { storageClassName: _, volumeName: _, selector, resources: { requests: { storage: _ } } },
  status: { conditions },
};

export const denseObjects: Readonly<Record<string, object>> = {
  Deployment: workload,
  StatefulSet: { ...workload, spec: { ...workload.spec, serviceName: _, volumeClaimTemplates: [claim] } },
  DaemonSet: workload,
  Rollout: {
    ...workload,
    spec: {
      ...workload.spec,
      analysis: {
        args: [
          { name: _, value: _ },
          { name: _, valueFrom: { podTemplateHashValue: _ } },
        ],
      },
      strategy: {
        canary: {
          canaryMetadata: { labels: { track: _ }, annotations },
          steps: [{ setHeaderRoute: { name: _, match: [{ headerName: _, headerValue: { exact: _ } }] } }],
          analysis: { templates: [{ templateName: _ }], args: [{ name: _, value: _ }] },
          trafficRouting: { nginx: { additionalIngressAnnotations: maps }, plugins: { [_]: { any: _ } } },
        },
      },
    },
    status: { conditions, message: _ },
  },
  ReplicaSet: workload,
  Pod: {
    metadata,
    spec: podTemplate.spec,
    status: {
      conditions,
      message: _,
      containerStatuses: [containerStatus],
      initContainerStatuses: [containerStatus],
      ephemeralContainerStatuses: [containerStatus],
    },
  },
  Service: {
    metadata,
    spec: {
      selector: { app: _ },
      sessionAffinity: _,
      externalName: _,
      ports: [{ name: _, port: 80, targetPort: _ }],
    },
    status: { conditions },
  },
  Ingress: {
    metadata,
    spec: {
      tls: [{ hosts: [_], secretName: _ }],
      rules: [
        { host: _, http: { paths: [{ path: _, backend: { service: { name: _, port: { name: _ } } } }] } },
      ],
    },
  },
  HorizontalPodAutoscaler: {
    metadata,
    spec: {
      scaleTargetRef: { kind: _, name: _ },
      metrics: [{ type: _, external: { metric: { name: _, selector } } }],
    },
    status: { conditions },
  },
  Job: workload,
  CronJob: { metadata, spec: { schedule: _, jobTemplate: { metadata, spec: { template: podTemplate } } } },
  NetworkPolicy: {
    metadata,
    spec: {
      podSelector: selector,
      ingress: [{ from: [{ namespaceSelector: selector }], ports: [{ port: _, protocol: _ }] }],
    },
  },
  PersistentVolumeClaim: claim,
};
