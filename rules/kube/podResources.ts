/**
 * What a pod asks of its node, as the scheduler counts it (component-helpers/resource PodRequests and PodLimits):
 * containers run side by side, init containers one after another, sidecars beside everything that starts after them.
 */

import { nanosOf } from './quantity.ts';

export type Amounts = Readonly<Record<string, string | number>>;
export type Side = 'requests' | 'limits';

/** `requests` and `limits` of a container, as written. */
export interface Demand {
  readonly requests?: Amounts | null;
  readonly limits?: Amounts | null;
}

/** The parts of a pod's spec that its sums depend on. */
export interface PodDemand {
  readonly containers: readonly Demand[];
  /** In the order of the spec; `sidecar` marks an init container with restartPolicy Always. */
  readonly initContainers: readonly (Demand & { readonly sidecar: boolean })[];
  /** What the runtime class adds. */
  readonly overhead?: Amounts | null;
  /** `spec.resources`: where it names a resource, it replaces the sum of the containers. */
  readonly podLevel?: Demand | null;
}

/**
 * Billionths of one resource over the pod; null when nothing in the pod sets it, overhead alone included
 * (contracts.md section 1). An in-place resize that is under way is not looked at: the sum is what the spec asks for.
 */
export function podSum(pod: PodDemand, side: Side, resource: string): bigint | null {
  const amountOf = (demand: Demand): bigint | null => nanosOf(demand[side]?.[resource]);
  const wanted = pod.podLevel ? amountOf(pod.podLevel) : null;
  const sum = wanted ?? containerSum(pod, amountOf);
  if (sum === null) return null;
  const overhead = nanosOf(pod.overhead?.[resource]) ?? 0n;
  // A limit of zero is no limit: there is nothing to widen.
  return side === 'limits' && sum === 0n ? sum : sum + overhead;
}

function containerSum(pod: PodDemand, amountOf: (demand: Demand) => bigint | null): bigint | null {
  const all = [...pod.containers, ...pod.initContainers].map(amountOf);
  if (all.every((amount) => amount === null)) return null;
  let running = 0n;
  for (const container of pod.containers) running += amountOf(container) ?? 0n;
  let sidecars = 0n;
  let peakOfInit = 0n;
  for (const container of pod.initContainers) {
    const amount = amountOf(container) ?? 0n;
    if (container.sidecar) sidecars += amount;
    const phase = container.sidecar ? sidecars : sidecars + amount;
    if (phase > peakOfInit) peakOfInit = phase;
  }
  const steady = running + sidecars;
  return steady > peakOfInit ? steady : peakOfInit;
}
