import type { Fields, Labels } from '../objects.ts';
import type { World } from '../world.ts';

/** Creates a PersistentVolumeClaim: Bound at once, or Pending for ever where its class has no provisioner (`manual`). */
export function createClaim(
  world: World,
  claim: { namespace: string; name: string; spec: Fields; labels?: Labels },
): void {
  const isBound = claim.spec.storageClassName !== 'manual';
  const resources = claim.spec.resources as { requests?: { storage?: string } } | undefined;
  const volumeName = `pvc-${world.random.uuid()}`;
  world.create(
    'persistentvolumeclaims',
    {
      name: claim.name,
      namespace: claim.namespace,
      ...(claim.labels === undefined ? {} : { labels: claim.labels }),
      annotations: isBound
        ? {
            'pv.kubernetes.io/bind-completed': 'yes',
            'pv.kubernetes.io/bound-by-controller': 'yes',
            'volume.kubernetes.io/storage-provisioner': 'ebs.csi.aws.com',
          }
        : {},
    },
    {
      spec: { ...claim.spec, ...(isBound ? { volumeName } : {}), volumeMode: 'Filesystem' },
      status: isBound
        ? {
            phase: 'Bound',
            accessModes: claim.spec.accessModes,
            capacity: { storage: resources?.requests?.storage ?? '1Gi' },
          }
        : { phase: 'Pending' },
    },
    'kube-controller-manager',
  );
}
