import type { KubeApi } from '../kubeApi.ts';

interface Review {
  readonly status?: { readonly allowed?: boolean };
}

/**
 * True where the read-only tier is bound: it alone grants `get` on `pods/log`, and the collector's own rights must not open
 * manifests to an operator who left the tier off. Asked before every read. Throws KubeError.
 */
export async function mayReadLive(api: KubeApi, namespace: string, signal: AbortSignal): Promise<boolean> {
  const review = await api.post<Review>(
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: { namespace, verb: 'get', group: '', resource: 'pods', subresource: 'log' },
      },
    },
    { signal },
  );
  return review.status?.allowed === true;
}
