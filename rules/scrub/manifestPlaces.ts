/**
 * The places of an object that redaction never changes, by the names of their fields: what an operator needs to tell which
 * object refers to which. Everything that is not listed is at least sanitized as text.
 */

/** Fields whose whole content stays: names, selectors, amounts, and references to Secrets, ConfigMaps and claims. */
export const UNTOUCHED_TREES: ReadonlySet<string> = new Set([
  ...[
    'labels',
    'matchLabels',
    'matchExpressions',
    'selector',
    'labelSelector',
    'nodeSelector',
    'podSelector',
    'namespaceSelector',
  ],
  'ownerReferences',
  ...[
    'resources',
    'resourceClaims',
    'allocatedResources',
    'capacity',
    'ports',
    'targetPort',
    'containerPort',
  ],
  ...[
    'valueFrom',
    'envFrom',
    'secretRef',
    'secretKeyRef',
    'configMapRef',
    'configMapKeyRef',
    'fieldRef',
    'resourceFieldRef',
  ],
  ...['secret', 'configMap', 'persistentVolumeClaim', 'projected', 'imagePullSecrets'],
  ...[
    'nodePublishSecretRef',
    'nodeStageSecretRef',
    'controllerExpandSecretRef',
    'dataSource',
    'dataSourceRef',
  ],
  ...['scaleTargetRef', 'describedObject', 'workloadRef', 'tls', 'sessionAffinityConfig'],
]);

/** Fields whose text stays. */
export const UNTOUCHED_FIELDS: ReadonlySet<string> = new Set([
  ...['apiVersion', 'kind', 'name', 'generateName', 'namespace', 'uid'],
  ...['image', 'imageID', 'containerID'],
  ...[
    'secretName',
    'configMapName',
    'claimName',
    'serviceName',
    'serviceAccountName',
    'serviceAccount',
    'volumeName',
  ],
  ...[
    'storageClassName',
    'ingressClassName',
    'priorityClassName',
    'runtimeClassName',
    'schedulerName',
    'nodeName',
  ],
  ...['sessionAffinity', 'selector', 'port', 'targetPort', 'containerPort', 'hostPort', 'nodePort'],
]);
