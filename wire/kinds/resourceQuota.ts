import { defineKind, map, texts } from './define.ts';
import { namespacedIdentity } from './shapes.ts';

/** ResourceQuotas (CoreV1); quantities in canonical spelling. */
export const resourceQuotas = defineKind({
  name: 'resource_quotas',
  table: 'k8s_resource_quotas',
  path: 'resource-quotas',
  kubernetesKinds: ['ResourceQuota'],
  coverage: 'resourcequotas',
  fields: {
    ...namespacedIdentity,
    hard: map(),
    used: map(),
    scopes: texts(),
    labels: map(),
  },
  sortKeys: {},
});
