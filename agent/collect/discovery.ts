/** Which of Argo's resources the cluster serves now (AR-02, AA-02): asked each cycle, so that a new CRD needs no restart. */

import type { KubeApi } from '../kubeApi.ts';
import { KubeError } from '../kubeApi.ts';

const GROUP_PATH = '/apis/argoproj.io/v1alpha1';

/** Argo's resources; a group that serves only one of them is the usual case (AR-04). */
export type ArgoResource = 'rollouts' | 'applications';

export interface ArgoDiscovery {
  /** Whether the cluster serves it, or the error that left it open. */
  of(resource: ArgoResource): 'served' | 'absent' | KubeError;
}

/** Asks for the group's resources. Throws only what is no answer of the API, and when the signal ended it. */
export async function discoverArgo(api: KubeApi, signal: AbortSignal): Promise<ArgoDiscovery> {
  try {
    const found = await api.get<{ resources?: readonly { readonly name?: unknown }[] | null }>(GROUP_PATH, {
      signal,
    });
    const served = new Set((found.resources ?? []).map(({ name }) => name));
    return { of: (resource) => (served.has(resource) ? 'served' : 'absent') };
  } catch (error) {
    if (!(error instanceof KubeError) || signal.aborted) throw error;
    return { of: () => (error.status === 404 ? 'absent' : error) };
  }
}
