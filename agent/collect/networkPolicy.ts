import type { Arrays } from '../../wire/kinds/index.ts';
import type { IntOrString, RawObject, RawSelector } from './object.ts';
import { describe, identityOf, selectorOf, textOf } from './object.ts';

export type NetworkPolicyRecord = Arrays['network_policies'][number];
type Rule = NetworkPolicyRecord['ingress'][number];

interface RawPort {
  readonly protocol?: string | null;
  readonly port?: IntOrString | null;
  readonly endPort?: number | null;
}

interface RawPeer {
  readonly podSelector?: RawSelector | null;
  readonly namespaceSelector?: RawSelector | null;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] | null } | null;
}

/** networking.k8s.io/v1 NetworkPolicy. */
export interface RawNetworkPolicy extends RawObject {
  readonly spec?: {
    readonly podSelector?: RawSelector | null;
    readonly policyTypes?: readonly string[] | null;
    readonly ingress?:
      | readonly { readonly ports?: readonly RawPort[] | null; readonly from?: readonly RawPeer[] | null }[]
      | null;
    readonly egress?:
      | readonly { readonly ports?: readonly RawPort[] | null; readonly to?: readonly RawPeer[] | null }[]
      | null;
  } | null;
}

/** A network policy as sent (AG-16). The order of rules, peers and ports stays: none of it has a name. */
export function mapNetworkPolicy({ metadata, spec }: RawNetworkPolicy): NetworkPolicyRecord {
  return {
    ...identityOf(metadata),
    pod_selector: selectorOf(spec?.podSelector ?? {}) ?? { match_labels: {}, match_expressions: [] },
    policy_types: [...(spec?.policyTypes ?? [])],
    ingress: (spec?.ingress ?? []).map((rule) => ruleOf(rule.ports, rule.from)),
    egress: (spec?.egress ?? []).map((rule) => ruleOf(rule.ports, rule.to)),
    ...describe(metadata),
  };
}

const ruleOf = (
  ports: readonly RawPort[] | null | undefined,
  peers: readonly RawPeer[] | null | undefined,
): Rule => ({
  ports: (ports ?? []).map((port) => ({
    protocol: port.protocol || 'TCP',
    port: textOf(port.port),
    end_port: port.endPort ?? null,
  })),
  peers: (peers ?? []).map((peer) => ({
    pod_selector: selectorOf(peer.podSelector),
    namespace_selector: selectorOf(peer.namespaceSelector),
    ip_block: peer.ipBlock ? { cidr: peer.ipBlock.cidr, except: [...(peer.ipBlock.except ?? [])] } : null,
  })),
});
