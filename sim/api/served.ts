import type { SimCluster } from '../cluster.ts';
import { type ResourceRow, resourceRows } from '../resources.ts';

/** A resource in discovery. */
export interface ServedResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
}

export interface ServedVersion {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ServedResource[];
}

const computed: { readonly [group: string]: ServedVersion } = {
  authorization: {
    group: 'authorization.k8s.io',
    version: 'v1',
    resources: [
      {
        name: 'selfsubjectaccessreviews',
        singularName: 'selfsubjectaccessreview',
        namespaced: false,
        kind: 'SelfSubjectAccessReview',
        verbs: ['create'],
      },
    ],
  },
  metrics: {
    group: 'metrics.k8s.io',
    version: 'v1beta1',
    resources: [
      { name: 'nodes', singularName: '', namespaced: false, kind: 'NodeMetrics', verbs: ['get', 'list'] },
    ],
  },
};

/** Subresources that are exchanged as objects of another group. */
const ofSubresource: { readonly [name: string]: Pick<ServedResource, 'group' | 'version' | 'kind'> } = {
  scale: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  eviction: { group: 'policy', version: 'v1', kind: 'Eviction' },
};

/** The stored resource behind a path, or null when the cluster does not serve it (any more). */
export function servedRow(
  cluster: SimCluster,
  group: string,
  version: string,
  resource: string,
): ResourceRow | null {
  const found = resourceRows.find(
    (row) => row.group === group && row.version === version && row.key === resource,
  );
  return found !== undefined && isServed(cluster, found) ? found : null;
}

/** What discovery lists right now: groups come and go with `cluster.serves`. */
export function servedVersions(cluster: SimCluster): ServedVersion[] {
  const byVersion = new Map<string, { group: string; version: string; resources: ServedResource[] }>();
  for (const row of resourceRows) {
    if (!isServed(cluster, row)) continue;
    const key = `${row.group}/${row.version}`;
    const served = byVersion.get(key) ?? { group: row.group, version: row.version, resources: [] };
    served.resources.push(...discovered(row));
    byVersion.set(key, served);
  }
  const { authorization, metrics } = computed;
  return [...byVersion.values(), authorization, cluster.serves.metrics ? metrics : undefined].filter(
    (each) => each !== undefined,
  );
}

function isServed(cluster: SimCluster, { key }: ResourceRow): boolean {
  return key === 'rollouts' || key === 'applications' ? cluster.serves[key] : true;
}

/**
 * Only what this server can do is listed as a verb, so a client that trusts discovery is not led to a 405; the
 * subresources are there because clients look for them by name.
 */
function discovered(row: ResourceRow): ServedResource[] {
  const { key, singular, namespaced, kind, shortNames, subresources } = row;
  const verbs = key === 'leases' ? ['create', 'get', 'list', 'update'] : ['get', 'list'];
  const main = { name: key, singularName: singular, namespaced, kind, verbs };
  return [
    shortNames.length === 0 ? main : { ...main, shortNames },
    ...subresources.map((name) => ({
      name: `${key}/${name}`,
      singularName: '',
      namespaced,
      ...(ofSubresource[name] ?? { kind: name === 'proxy' ? `${kind}ProxyOptions` : kind }),
      verbs: name === 'log' ? ['get'] : [],
    })),
  ];
}
