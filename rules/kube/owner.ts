/** Which workload stands behind a pod (AG-33, AR-11). */

/** An entry of metadata.ownerReferences. */
export interface OwnerReference {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean | null;
}

/** A workload's kind and name; its namespace is the pod's. */
export interface Workload {
  readonly kind: string;
  readonly name: string;
}

/** The one owner that controls the object; others only keep it from being collected as garbage. */
export const controllerOf = (owners: readonly OwnerReference[] | null | undefined): OwnerReference | null =>
  owners?.find((owner) => owner.controller === true) ?? null;

/** Which label of a ReplicaSet's pods holds the hash that ends its name, by the kind that made the ReplicaSet. */
const HASH_LABELS = [
  ['Rollout', 'rollouts-pod-template-hash'],
  ['Deployment', 'pod-template-hash'],
] as const;

/**
 * The workload behind a pod, null for a bare pod and for a static one, whose owner is its node.
 *
 * A ReplicaSet is followed to its own controller, found by uid in `replicaSets` (null there: nobody controls it, so it
 * is the workload itself). One that is not there, made after that list was read or because it could not be read, is
 * resolved by the pod's labels, which only its maker writes: its name is its maker's name, a dash and the hash. A Rollout's pods carry a label of their own, so that they never count
 * for a Deployment of the same name (AR-11). Every other controller is the workload: a Job stays a Job, also under a
 * CronJob, because the job list links the two and a CronJob's runs must stay apart.
 */
export function workloadBehind(
  owner: OwnerReference | null,
  labels: Readonly<Record<string, string>>,
  replicaSets: ReadonlyMap<string, Workload | null>,
): Workload | null {
  if (owner === null || owner.kind === 'Node') return null;
  const itself = { kind: owner.kind, name: owner.name };
  if (owner.kind !== 'ReplicaSet') return itself;
  const known = replicaSets.get(owner.uid);
  if (known !== undefined) return known ?? itself;
  for (const [kind, label] of HASH_LABELS) {
    const suffix = `-${labels[label]}`;
    if (labels[label] && owner.name.endsWith(suffix) && owner.name.length > suffix.length) {
      return { kind, name: owner.name.slice(0, -suffix.length) };
    }
  }
  return itself;
}
