/** The cluster block of a snapshot (AG-04, contracts.md section 1). */

import { fieldsOf, textOf } from '../../rules/facts/raw.ts';
import { networksOf } from '../../rules/kube/networks.ts';
import { clusterHealth } from '../../rules/kube/node.ts';
import type { NodeTraits } from '../../rules/kube/platform.ts';
import { cloudOf, distributionOf, platformOf } from '../../rules/kube/platform.ts';
import type { ClusterBlock } from '../../wire/snapshot.ts';
import { KubeError } from '../kubeApi.ts';
import type { Reads } from './boundedReads.ts';
import type { NodeRecord } from './node.ts';

/** What is asked of the cluster itself. */
export interface ClusterFacts {
  /** `gitVersion` of the API server, such as v1.37.2; null when it may not be read. */
  readonly version: string | null;
  /** UID of kube-system, which stands for the cluster; null when it may not be read. */
  readonly uid: string | null;
}

/** Reads both, whatever namespaces are excluded. Throws only when the signal ends it. */
export async function readClusterFacts(api: Pick<Reads, 'get'>, signal: AbortSignal): Promise<ClusterFacts> {
  const version = await readable(signal, api.get<unknown>('/version', { signal }));
  const system = await readable(signal, api.get<unknown>('/api/v1/namespaces/kube-system', { signal }));
  return { version: textOf(version.gitVersion), uid: textOf(fieldsOf(system.metadata).uid) };
}

/** The fields of what was read; none of what could not be. */
async function readable(
  signal: AbortSignal,
  reading: Promise<unknown>,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    return fieldsOf(await reading);
  } catch (error) {
    if (error instanceof KubeError && !signal.aborted) return {};
    throw error;
  }
}

/** How this agent names its cluster and what it was told to leave out. */
export interface ClusterSettings {
  /** PROXIMA_CLUSTER_NAME, free text. */
  readonly clusterName: string;
  readonly clusterSlug: string;
  readonly excludedNamespaces: ReadonlySet<string>;
  readonly syncIntervalSeconds: number;
}

/**
 * The block; null where nothing tells. The DNS domain is a setting of the kubelets that no object shows.
 * @param serverUrl the API server as the agent sees it
 */
export function clusterBlock(
  settings: ClusterSettings,
  serverUrl: string,
  { version, uid }: ClusterFacts,
  nodes: { readonly records: readonly NodeRecord[]; readonly traits: readonly NodeTraits[] },
): ClusterBlock {
  return {
    name: settings.clusterSlug,
    display_name: settings.clusterName,
    slug: settings.clusterSlug,
    uid,
    version,
    platform: platformOf(version, nodes.traits),
    distribution: distributionOf(version),
    api_server_url: serverUrl,
    ...networksOf(nodes.traits),
    dns_domain: null,
    ...cloudOf(nodes.traits),
    status: clusterHealth(nodes.records),
    sync_interval_seconds: settings.syncIntervalSeconds,
    excluded_namespaces: [...settings.excludedNamespaces].sort(),
  };
}
