/** Pod and service networks of a cluster, where its nodes know them. */

import type { NodeTraits } from './platform.ts';

/** Both are address ranges, two with a comma between them on dual-stack clusters; null when no node says. */
export interface Networks {
  readonly cluster_cidr: string | null;
  readonly service_cidr: string | null;
}

/** Annotations in which k3s and RKE2 keep the arguments of each server, as a JSON list. */
const NODE_ARGS_ANNOTATIONS = ['rke2.io/node-args', 'k3s.io/node-args'] as const;

const RANGES = /^[0-9a-fA-F.:]+\/\d{1,3}(?:,[0-9a-fA-F.:]+\/\d{1,3})?$/;

/**
 * From the flags of k3s and RKE2 servers. A node's own podCIDR is a slice of the pod network and does not tell how
 * large that is; nothing else that the agent may read tells either network. Of the arguments only these two are kept.
 */
export function networksOf(nodes: readonly NodeTraits[]): Networks {
  const lists = nodes.flatMap((node) =>
    NODE_ARGS_ANNOTATIONS.map((annotation) => argumentsIn(node.annotations[annotation])),
  );
  return {
    cluster_cidr: firstRange(lists, '--cluster-cidr'),
    service_cidr: firstRange(lists, '--service-cidr'),
  };
}

function argumentsIn(json: string | undefined): string[] {
  if (json === undefined) return [];
  try {
    const parsed: unknown = JSON.parse(json);
    return Array.isArray(parsed) ? parsed.filter((argument) => typeof argument === 'string') : [];
  } catch {
    return [];
  }
}

function firstRange(lists: readonly string[][], flag: string): string | null {
  for (const list of lists) {
    const at = list.findIndex((argument) => argument === flag || argument.startsWith(`${flag}=`));
    const value = list[at]?.startsWith(`${flag}=`) ? list[at]?.slice(flag.length + 1) : list[at + 1];
    if (at !== -1 && value !== undefined && RANGES.test(value)) return value;
  }
  return null;
}
