import type { Workload } from '../../rules/kube/owner.ts';
import { controllerOf } from '../../rules/kube/owner.ts';
import type { Coverage } from '../../wire/coverage.ts';
import type { Sink } from './gather.ts';
import type { RawObject } from './object.ts';

/** ReplicaSets are no records of their own: they only lead from a pod to its workload (AG-33). */
export interface ReplicaSetControllers extends Sink<RawObject> {
  /** Controller of each ReplicaSet by its uid; null for one that nobody controls. */
  readonly byUid: ReadonlyMap<string, Workload | null>;
  /** What the list proves; none of it is sent. */
  coverage(): Coverage;
}

/** Keeps the controllers of ReplicaSets, read metadata-only, that `skip` lets through. */
export function replicaSetControllers(skip: (item: RawObject) => boolean): ReplicaSetControllers {
  const byUid = new Map<string, Workload | null>();
  /** One record for all ReplicaSets of a workload: a Deployment keeps ten old ones by default. */
  const shared = new Map<string, Workload>();
  const share = ({ kind, name }: Workload): Workload => {
    const key = `${kind}/${name}`;
    const known = shared.get(key);
    if (known !== undefined) return known;
    const workload = { kind, name };
    shared.set(key, workload);
    return workload;
  };
  return {
    byUid,
    onStart() {
      byUid.clear();
      shared.clear();
    },
    onItem(item) {
      if (skip(item)) return;
      const controller = controllerOf(item.metadata.ownerReferences);
      byUid.set(item.metadata.uid ?? '', controller === null ? null : share(controller));
    },
    coverage: () => ({ state: 'complete', listed: byUid.size, sent: 0 }),
  };
}
