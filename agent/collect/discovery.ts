/** Which of Argo's resources the cluster serves now (AR-02, AA-02): asked each cycle, so that a new CRD needs no restart. */

import { fieldsOf, objectsOf } from '../../rules/facts/raw.ts';
import { KubeError } from '../kubeApi.ts';
import type { Reads } from './boundedReads.ts';

const GROUP_PATH = '/apis/argoproj.io/v1alpha1';

/** Argo's resources; a group that serves only one of them is the usual case (AR-04). */
export type ArgoResource = 'rollouts' | 'applications';

export interface ArgoDiscovery {
  /** Whether the cluster serves it, or the error that left it open. */
  of(resource: ArgoResource): 'served' | 'absent' | KubeError;
}

/** Asks for the group's resources. Throws only when the signal ended it: no answer fails the collection (AR-10). */
export async function discoverArgo(api: Pick<Reads, 'get'>, signal: AbortSignal): Promise<ArgoDiscovery> {
  try {
    const served = servedBy(await api.get<unknown>(GROUP_PATH, { signal }));
    return { of: (resource) => (served.has(resource) ? 'served' : 'absent') };
  } catch (error) {
    if (!(error instanceof KubeError) || signal.aborted) throw error;
    return { of: () => (error.status === 404 ? 'absent' : error) };
  }
}

/**
 * Names in a meta/v1 APIResourceList. Any other document proves nothing: taken for a group without resources, it would
 * have the backend delete every Rollout.
 */
function servedBy(document: unknown): ReadonlySet<unknown> {
  const { resources } = fieldsOf(document);
  // Go writes an empty list that was never made as null.
  if (resources !== null && !Array.isArray(resources)) throw new KubeError(GROUP_PATH, 0, 'bad_body');
  return new Set(objectsOf(resources).map(({ name }) => name));
}
