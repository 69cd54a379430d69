import { bigint, by, defineKind, map, nullable, text, texts } from './define.ts';
import { namespacedIdentity } from './shapes.ts';

/** PersistentVolumeClaims (CoreV1). */
export const pvcs = defineKind({
  name: 'pvcs',
  table: 'k8s_pvcs',
  path: 'pvcs',
  kubernetesKinds: ['PersistentVolumeClaim'],
  coverage: 'persistentvolumeclaims',
  fields: {
    ...namespacedIdentity,
    phase: text(),
    storage_class: nullable(text()),
    /** What the volume has; null until bound. */
    capacity_bytes: nullable(bigint()),
    requested_bytes: nullable(bigint()),
    access_modes: texts(),
    volume_name: nullable(text()),
    volume_mode: nullable(text()),
    labels: map(),
    annotations: map(),
  },
  sortKeys: { phase: by('phase'), storage_class: by('storage_class'), capacity: by('capacity_bytes') },
});
