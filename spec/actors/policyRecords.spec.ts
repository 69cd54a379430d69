import { deepEqual, equal } from 'node:assert/strict';
import type { Arrays } from '../../wire/kinds/index.ts';
import { syncRig } from '../support/syncing.ts';
import { sentPolicy, sentWorkload, snapshotAt } from '../support/workloads.ts';

type Policy = Arrays['network_policies'][number];

const from = (app: string): Policy['ingress'][number] => ({
  peers: [
    {
      pod_selector: { match_labels: { app }, match_expressions: [] },
      namespace_selector: null,
      ip_block: null,
    },
  ],
  ports: [{ protocol: 'TCP', port: '80', end_port: null }],
});

describe('change records of NetworkPolicies (CH-39, U-18)', () => {
  const rig = syncRig();
  const { query, stored } = rig;

  const store = (minute: number, ...policies: Policy[]) =>
    stored(snapshotAt(rig.agent, minute, { network_policies: policies }));
  const summaries = async () =>
    (await query('select summary from change_events order by scanned_at, summary')).map((row) => row.summary);

  it('are one for an edit, with the cluster, the object and each change', async () => {
    await store(0, sentPolicy('api', { ingress: [from('web')] }), sentPolicy('web'));
    const { clusterId, facts } = await store(
      1,
      sentPolicy('api', { ingress: [from('web'), from('cron')], policy_types: ['Ingress', 'Egress'] }),
      sentPolicy('web'),
    );
    equal(facts.records, 1);
    deepEqual(
      await query('select source, event_type, severity, summary, details, scanned_at from change_events'),
      [
        {
          source: 'k8s-config',
          event_type: 'network_policy_changed',
          severity: 'info',
          summary:
            'NetworkPolicy shop/api: policy types Ingress → Egress, Ingress; ingress rules 1 → 2; ingress rule pods app=cron: TCP/80 added',
          details: {
            cluster_id: clusterId,
            cluster: 'k8s-1',
            kind: 'NetworkPolicy',
            namespace: 'shop',
            name: 'api',
            change_count: 3,
            truncated: false,
            changes: [
              { field: 'policy_types', before: 'Ingress', after: 'Egress, Ingress' },
              { field: 'ingress.rules', before: '1', after: '2' },
              { field: 'ingress', before: null, after: 'pods app=cron: TCP/80' },
            ],
          },
          scanned_at: new Date(Date.UTC(2026, 10, 30, 12, 1)),
        },
      ],
    );
  });

  it('are not written for labels, another order of the rules, or a policy that came or went', async () => {
    await store(0, sentPolicy('api', { ingress: [from('web'), from('cron')] }));
    await store(1, sentPolicy('api', { ingress: [from('cron'), from('web')], labels: { team: 'a' } }));
    await store(2);
    await store(3, sentPolicy('api'));
    deepEqual(await summaries(), []);
  });

  it('are not written for a replay whose body differs', async () => {
    await store(0, sentPolicy('api'));
    await store(0, sentPolicy('api', { ingress: [from('web')] }));
    deepEqual(await summaries(), []);
  });

  it('stand beside the record of a workload of the same name', async () => {
    const both = (minute: number, replicas: number, rules: Policy['ingress']) =>
      stored(
        snapshotAt(rig.agent, minute, {
          workloads: [sentWorkload('api', { facts_version: 1, replicas, containers: [] })],
          network_policies: [sentPolicy('api', { ingress: rules })],
        }),
      );
    await both(0, 1, []);
    equal((await both(1, 2, [from('web')])).facts.records, 2);
    deepEqual(await summaries(), [
      'Deployment shop/api scaled 1 → 2',
      'NetworkPolicy shop/api: ingress rules 0 → 1; ingress rule pods app=web: TCP/80 added',
    ]);
  });
});
