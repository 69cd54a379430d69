/** Which Kubernetes this is, and on whose machines it runs (AG-04, U-31, SC-02). */

import { labelOf } from './node.ts';

/** What a node tells about its cluster. */
export interface NodeTraits {
  readonly providerId: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export type Platform = 'rke2' | 'eks' | 'gke' | 'aks' | 'k3s' | 'kubeadm';

/** The vendor's mark in a version such as v1.29.3+rke2r1, v1.30.1-eks-036c24b or v1.30.1-gke.1187000. */
const VERSION_MARKS: readonly (readonly [Platform, RegExp])[] = [
  ['rke2', /\+rke2/],
  ['k3s', /\+k3s/],
  ['eks', /-eks-/],
  ['gke', /-gke\./],
];

/** Labels and annotations that only one installer writes on its nodes. */
const NODE_MARKS: readonly (readonly [Platform, (node: NodeTraits) => boolean])[] = [
  ['rke2', (node) => instanceType(node) === 'rke2' || 'rke2.io/node-args' in node.annotations],
  ['k3s', (node) => instanceType(node) === 'k3s' || 'k3s.io/node-args' in node.annotations],
  ['eks', (node) => hasLabel(node, 'eks.amazonaws.com/')],
  ['gke', (node) => hasLabel(node, 'cloud.google.com/gke-')],
  ['aks', (node) => hasLabel(node, 'kubernetes.azure.com/')],
  ['kubeadm', (node) => 'kubeadm.alpha.kubernetes.io/cri-socket' in node.annotations],
];

const instanceType = (node: NodeTraits): string | undefined =>
  node.labels['node.kubernetes.io/instance-type'];
const hasLabel = (node: NodeTraits, prefix: string): boolean =>
  Object.keys(node.labels).some((label) => label.startsWith(prefix));

/** From the version's mark, else from what the nodes carry; null when neither says. AKS marks no version. */
export function platformOf(version: string | null, nodes: readonly NodeTraits[]): Platform | null {
  const byVersion = VERSION_MARKS.find(([, mark]) => mark.test(version ?? ''));
  return byVersion?.[0] ?? NODE_MARKS.find(([, mark]) => nodes.some(mark))?.[0] ?? null;
}

/** The vendor's build behind the upstream version, such as `rke2r1` or `eks-036c24b`; null for upstream itself. */
export const distributionOf = (version: string | null): string | null =>
  /^v?\d+\.\d+\.\d+(?:\+|-(?=eks-|gke\.))(.+)$/.exec(version ?? '')?.[1] ?? null;

export interface Cloud {
  readonly cloud_provider: 'aws' | 'gcp' | 'azure' | 'hetzner' | null;
  readonly cloud_region: string | null;
  readonly cloud_account_id: string | null;
}

/** Scheme of spec.providerID, and where in the rest the account stands; EC2 and Hetzner do not say theirs. */
const PROVIDERS = [
  { scheme: 'aws://', provider: 'aws', account: null },
  { scheme: 'gce://', provider: 'gcp', account: /^([^/]+)\// },
  { scheme: 'azure://', provider: 'azure', account: /^\/subscriptions\/([^/]+)\// },
  { scheme: 'hcloud://', provider: 'hetzner', account: null },
] as const;

/**
 * Provider, region and account as most nodes give them; each null when no node does. The region is the topology
 * label's, on any machine; provider and account come from spec.providerID.
 */
export function cloudOf(nodes: readonly NodeTraits[]): Cloud {
  const placed = nodes.map(({ providerId }) => {
    const found = PROVIDERS.find(({ scheme }) => providerId?.startsWith(scheme));
    return { found, rest: providerId?.slice(found?.scheme.length) ?? '' };
  });
  const provider = mostCommon(placed.map(({ found }) => found?.provider ?? null));
  return {
    cloud_provider: provider,
    cloud_region: mostCommon(
      nodes.map((node) =>
        labelOf(node.labels, 'topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'),
      ),
    ),
    cloud_account_id: mostCommon(placed.map(({ found, rest }) => found?.account?.exec(rest)?.[1] ?? null)),
  };
}

/** The value that occurs most, nulls not counted; of equals the first in byte order, so that answers don't flap. */
function mostCommon<T extends string>(values: readonly (T | null)[]): T | null {
  const counts = new Map<T, number>();
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [first] = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return first?.[0] ?? null;
}
