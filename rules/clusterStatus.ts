/** What a cluster says of its health, and what its asset shows (ST-07, SC-03). */

export const CLUSTER_STATUSES = ['healthy', 'degraded', 'unreachable', 'unknown'] as const;
export type ClusterStatus = (typeof CLUSTER_STATUSES)[number];

export type AssetStatus = 'active' | 'degraded' | 'unreachable';

/** `unknown` maps to active as the table of the requirement has it. */
const ASSET_STATUS: Readonly<Record<ClusterStatus, AssetStatus>> = {
  healthy: 'active',
  degraded: 'degraded',
  unreachable: 'unreachable',
  unknown: 'active',
};

/** The reported status; a word that this version does not know is `unknown`, so that a newer agent is still heard. */
export const clusterStatus = (reported: string): ClusterStatus =>
  CLUSTER_STATUSES.find((status) => status === reported) ?? 'unknown';

export const assetStatus = (status: ClusterStatus): AssetStatus => ASSET_STATUS[status];
