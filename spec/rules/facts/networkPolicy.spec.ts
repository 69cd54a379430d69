import { deepEqual } from 'node:assert/strict';
import type { PolicySpec } from '../../../rules/facts/networkPolicy.ts';
import { diffPolicies } from '../../../rules/facts/networkPolicy.ts';
import { toRecord } from '../../../rules/facts/record.ts';

type Rule = PolicySpec['ingress'][number];

const pods = (labels: Record<string, string>) => ({ match_labels: labels, match_expressions: [] });
const from = (app: string, ...ports: string[]): Rule => ({
  peers: [{ pod_selector: pods({ app }), namespace_selector: null, ip_block: null }],
  ports: ports.map((port) => ({ protocol: 'TCP', port, end_port: null })),
});
const policy = (change: Partial<PolicySpec> = {}): PolicySpec => ({
  pod_selector: pods({ app: 'api' }),
  policy_types: ['Ingress'],
  ingress: [from('web', '80', '443')],
  egress: [],
  ...change,
});

describe('rules/facts/networkPolicy', () => {
  it('finds nothing where rules, peers, ports and labels only changed places', () => {
    const rules = [from('web', '80', '443'), from('cron')];
    const before = policy({
      ingress: rules,
      pod_selector: pods({ a: '1', b: '2' }),
      policy_types: ['Ingress', 'Egress'],
    });
    const after = policy({
      ingress: [from('cron'), from('web', '443', '80')],
      pod_selector: pods({ b: '2', a: '1' }),
      policy_types: ['Egress', 'Ingress'],
    });
    deepEqual(diffPolicies(before, after), []);
  });

  it('tells the number of rules and the rules that came and went (U-18)', () => {
    deepEqual(diffPolicies(policy(), policy({ ingress: [from('web', '80'), from('cron')] })), [
      { field: 'ingress.rules', before: '1', after: '2' },
      { field: 'ingress', before: 'pods app=web: TCP/443, TCP/80', after: null },
      { field: 'ingress', before: null, after: 'pods app=cron: every port' },
      { field: 'ingress', before: null, after: 'pods app=web: TCP/80' },
    ]);
  });

  it('tells selector and policy types', () => {
    const after = policy({
      pod_selector: {
        match_labels: {},
        match_expressions: [{ key: 'tier', operator: 'In', values: ['web', 'db'] }],
      },
      policy_types: ['Ingress', 'Egress'],
    });
    deepEqual(diffPolicies(policy(), after), [
      { field: 'pod_selector', before: 'pods app=api', after: 'pods tier in (db, web)' },
      { field: 'policy_types', before: 'Ingress', after: 'Egress, Ingress' },
    ]);
  });

  it('tells apart peers by pods, namespaces and address blocks, and a rule for everyone', () => {
    const peer = (change: Partial<Rule['peers'][number]>): Rule => ({
      peers: [{ pod_selector: null, namespace_selector: null, ip_block: null, ...change }],
      ports: [{ protocol: 'UDP', port: '53', end_port: 60 }],
    });
    const after = policy({
      ingress: [],
      egress: [
        peer({ pod_selector: pods({}), namespace_selector: pods({ team: 'a' }) }),
        peer({ ip_block: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }),
        { peers: [], ports: [] },
      ],
    });
    deepEqual(
      diffPolicies(policy({ ingress: [] }), after).flatMap((change) => change.after ?? []),
      [
        '3',
        '10.0.0.0/8 except (10.1.0.0/16): UDP/53-60',
        'anywhere: every port',
        'pods (all) in namespaces team=a: UDP/53-60',
      ],
    );
  });

  it('reads as one line', () => {
    const changes = diffPolicies(policy(), policy({ ingress: [] }));
    deepEqual(
      toRecord('network_policy_changed', { kind: 'NetworkPolicy', namespace: 'shop', name: 'api' }, changes)
        .summary,
      'NetworkPolicy shop/api: ingress rules 1 → 0; ingress rule pods app=web: TCP/443, TCP/80 removed',
    );
  });
});
