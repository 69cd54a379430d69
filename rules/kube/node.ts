/** What a node's labels and conditions say about it, and all of them about the cluster (U-31, SC-05). */

export type NodeStatus = 'Ready' | 'NotReady' | 'Unknown';

/** From the Ready condition; a node whose kubelet went silent, or never spoke, is Unknown. */
export function nodeStatus(
  conditions: readonly { readonly type: string; readonly status: string }[] | null | undefined,
): NodeStatus {
  const ready = conditions?.find((condition) => condition.type === 'Ready')?.status;
  if (ready === 'True') return 'Ready';
  return ready === 'False' ? 'NotReady' : 'Unknown';
}

const ROLE_PREFIX = 'node-role.kubernetes.io/';

/** Roles from the node-role labels, sorted; `master`, the old name, reads as `control-plane`. Empty without labels. */
export function nodeRoles(labels: Readonly<Record<string, string>> | null | undefined): string[] {
  const roles = Object.keys(labels ?? {})
    .filter((label) => label.startsWith(ROLE_PREFIX) && label.length > ROLE_PREFIX.length)
    .map((label) => label.slice(ROLE_PREFIX.length));
  return [...new Set(roles.map((role) => (role === 'master' ? 'control-plane' : role)))].sort();
}

/** Value of a well-known label under its name of today or the one before 1.17. */
export const labelOf = (
  labels: Readonly<Record<string, string>> | null | undefined,
  name: string,
  former: string,
): string | null => labels?.[name] || labels?.[former] || null;

/** `healthy` when every node is Ready, `degraded` when one is not, `unknown` without nodes. */
export function clusterHealth(
  nodes: readonly { readonly status: string }[],
): 'healthy' | 'degraded' | 'unknown' {
  if (nodes.length === 0) return 'unknown';
  return nodes.every((node) => node.status === 'Ready') ? 'healthy' : 'degraded';
}
