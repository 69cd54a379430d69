/** What changed between two states of a NetworkPolicy (CH-39, U-18). */

import type { Arrays } from '../../wire/kinds/index.ts';
import type { LabelSelector } from '../../wire/kinds/shapes.ts';
import type { FieldChange } from './diff.ts';
import { setChanges } from './diff.ts';
import { cut } from './summary.ts';

/** What a policy does, apart from its names and labels. */
export type PolicySpec = Pick<
  Arrays['network_policies'][number],
  'pod_selector' | 'policy_types' | 'ingress' | 'egress'
>;

type Rule = PolicySpec['ingress'][number];
type Peer = Rule['peers'][number];

/** Longest text of a rule in a record; whole ones are compared. */
const MAX_RULE_TEXT = 300;

/**
 * Every change of the selector, the policy types, the number of rules and the rules themselves, one entry for each rule
 * that came or went. Rules, peers and ports add up whatever their order, so another order is no change.
 */
export function diffPolicies(before: PolicySpec, after: PolicySpec): FieldChange[] {
  return [
    ...textChange('pod_selector', podsText(before.pod_selector), podsText(after.pod_selector)),
    ...textChange('policy_types', sortedText(before.policy_types), sortedText(after.policy_types)),
    ...(['ingress', 'egress'] as const).flatMap((direction) => [
      ...textChange(`${direction}.rules`, String(before[direction].length), String(after[direction].length)),
      ...setChanges(direction, ruleTexts(before[direction]), ruleTexts(after[direction])),
    ]),
  ].map(({ field, before: b, after: a }) => ({ field, before: shortened(b), after: shortened(a) }));
}

const shortened = (text: string | null): string | null => (text === null ? null : cut(text, MAX_RULE_TEXT));

const textChange = (field: string, before: string, after: string): FieldChange[] =>
  before === after ? [] : [{ field, before, after }];

const sortedText = (texts: readonly string[]): string => [...texts].sort().join(', ') || 'none';

const ruleTexts = (rules: readonly Rule[]): string[] =>
  rules.map(({ peers, ports }) => {
    const on = ports.map(({ protocol, port, end_port: end }) =>
      port === null ? protocol : `${protocol}/${port}${end === null ? '' : `-${end}`}`,
    );
    return `${peers.length === 0 ? 'anywhere' : sortedText(peers.map(peerText))}: ${on.length === 0 ? 'every port' : sortedText(on)}`;
  });

function peerText({ pod_selector: pods, namespace_selector: namespaces, ip_block: block }: Peer): string {
  if (block !== null) {
    return block.except.length === 0 ? block.cidr : `${block.cidr} except (${sortedText(block.except)})`;
  }
  const inNamespaces = namespaces === null ? '' : `namespaces ${selectorText(namespaces)}`;
  if (pods === null) return inNamespaces || 'nowhere';
  return `${podsText(pods)}${inNamespaces === '' ? '' : ` in ${inNamespaces}`}`;
}

const podsText = (selector: LabelSelector): string => `pods ${selectorText(selector)}`;

/** As `kubectl describe` writes selectors: "app=api, tier in (db, web), !canary"; an empty one selects everything. */
function selectorText({ match_labels: labels, match_expressions: expressions }: LabelSelector): string {
  const terms = [
    ...Object.entries(labels).map(([key, value]) => `${key}=${value}`),
    ...expressions.map(({ key, operator, values }) => {
      if (operator === 'Exists') return key;
      if (operator === 'DoesNotExist') return `!${key}`;
      return `${key} ${operator === 'NotIn' ? 'notin' : operator.toLowerCase()} (${[...values].sort().join(', ')})`;
    }),
  ];
  return terms.length === 0 ? '(all)' : terms.sort().join(', ');
}
