import { deepEqual, equal } from 'node:assert/strict';
import { networksOf } from '../../../rules/kube/networks.ts';
import { clusterHealth, nodeRoles, nodeStatus } from '../../../rules/kube/node.ts';
import type { NodeTraits } from '../../../rules/kube/platform.ts';
import { cloudOf, distributionOf, platformOf } from '../../../rules/kube/platform.ts';

const node = (traits: Partial<NodeTraits>): NodeTraits => ({
  providerId: null,
  labels: {},
  annotations: {},
  ...traits,
});
const region = (name: string) => ({ 'topology.kubernetes.io/region': name });

describe('rules/kube/platform (AG-04, U-31)', () => {
  it('reads the platform and the vendor’s build from the version', () => {
    for (const [version, platform, distribution] of [
      ['v1.29.3+rke2r1', 'rke2', 'rke2r1'],
      ['v1.31.2+k3s1', 'k3s', 'k3s1'],
      ['v1.30.1-eks-036c24b', 'eks', 'eks-036c24b'],
      ['v1.30.1-gke.1187000', 'gke', 'gke.1187000'],
      ['v1.37.2', null, null],
      ['v1.37.0-beta.1', null, null],
      [null, null, null],
    ] as const) {
      equal(platformOf(version, []), platform, version ?? 'none');
      equal(distributionOf(version), distribution, version ?? 'none');
    }
  });

  it('reads the platform from the nodes where the version has no mark', () => {
    const aks = node({ labels: { 'kubernetes.azure.com/cluster': 'x' } });
    const kubeadm = node({ annotations: { 'kubeadm.alpha.kubernetes.io/cri-socket': 'unix:///run/c.sock' } });
    equal(platformOf('v1.30.1', [node({}), aks]), 'aks');
    equal(platformOf('v1.30.1', [kubeadm, node({})]), 'kubeadm');
    equal(platformOf('v1.30.1', [node({ labels: { 'eks.amazonaws.com/nodegroup': 'a' } })]), 'eks');
    equal(platformOf('v1.30.1', [node({ labels: { 'cloud.google.com/gke-nodepool': 'a' } })]), 'gke');
    equal(platformOf('v1.30.1', [node({ labels: { 'node.kubernetes.io/instance-type': 'k3s' } })]), 'k3s');
    equal(platformOf('v1.30.1', [node({})]), null);
  });

  it('reads provider, region and account from provider ids and topology labels', () => {
    const cases: [NodeTraits, object][] = [
      [
        node({ providerId: 'aws:///eu-central-1a/i-0abc', labels: region('eu-central-1') }),
        { cloud_provider: 'aws', cloud_region: 'eu-central-1', cloud_account_id: null },
      ],
      [
        node({ providerId: 'gce://shop-prod/europe-west3-a/n1', labels: region('europe-west3') }),
        { cloud_provider: 'gcp', cloud_region: 'europe-west3', cloud_account_id: 'shop-prod' },
      ],
      [
        node({
          providerId: 'azure:///subscriptions/1f-2e/resourceGroups/g/providers/x/0',
          labels: { 'failure-domain.beta.kubernetes.io/region': 'westeurope' },
        }),
        { cloud_provider: 'azure', cloud_region: 'westeurope', cloud_account_id: '1f-2e' },
      ],
      [
        node({ providerId: 'hcloud://4711', labels: region('fsn1') }),
        { cloud_provider: 'hetzner', cloud_region: 'fsn1', cloud_account_id: null },
      ],
      [
        node({ providerId: 'kind://docker/kind/kind-control-plane' }),
        { cloud_provider: null, cloud_region: null, cloud_account_id: null },
      ],
    ];
    for (const [traits, cloud] of cases) deepEqual(cloudOf([traits]), cloud);
    deepEqual(cloudOf([]), { cloud_provider: null, cloud_region: null, cloud_account_id: null });
  });

  it('takes what most nodes say, whatever order they come in', () => {
    const nodes = ['b', 'a', 'c', 'a', 'b'].map((name) => node({ labels: region(name) }));
    equal(cloudOf(nodes).cloud_region, 'a');
    equal(cloudOf(nodes.toReversed()).cloud_region, 'a');
  });

  it('knows the networks of k3s and RKE2 from their servers’ flags, in both spellings', () => {
    const args = (list: unknown) => node({ annotations: { 'rke2.io/node-args': JSON.stringify(list) } });
    deepEqual(
      networksOf([
        node({}),
        args(['server', '--cluster-cidr', '10.42.0.0/16', '--service-cidr=10.43.0.0/16']),
      ]),
      {
        cluster_cidr: '10.42.0.0/16',
        service_cidr: '10.43.0.0/16',
      },
    );
    equal(
      networksOf([args(['server', '--cluster-cidr', '10.42.0.0/16,fd00:42::/56'])]).cluster_cidr,
      '10.42.0.0/16,fd00:42::/56',
    );
  });

  it('does not guess a network from anything else', () => {
    const unknown = { cluster_cidr: null, service_cidr: null };
    const annotated = (text: string) => node({ annotations: { 'k3s.io/node-args': text } });
    for (const text of [
      'not json',
      '{"a":1}',
      '["server","--cluster-cidr"]',
      '["--cluster-cidr","--token"]',
      '[1,null]',
    ])
      deepEqual(networksOf([annotated(text)]), unknown, text);
    deepEqual(networksOf([]), unknown);
  });
});

describe('rules/kube/node (U-31, SC-05)', () => {
  it('reads a node’s status from its Ready condition; silence is Unknown', () => {
    const ready = (status: string) => [
      { type: 'MemoryPressure', status: 'False' },
      { type: 'Ready', status },
    ];
    equal(nodeStatus(ready('True')), 'Ready');
    equal(nodeStatus(ready('False')), 'NotReady');
    equal(nodeStatus(ready('Unknown')), 'Unknown');
    equal(nodeStatus(undefined), 'Unknown');
  });

  it('reads roles from labels, the old name as today’s, none without labels', () => {
    deepEqual(
      nodeRoles({
        'node-role.kubernetes.io/master': '',
        'node-role.kubernetes.io/control-plane': 'true',
        'node-role.kubernetes.io/etcd': 'true',
        'kubernetes.io/os': 'linux',
      }),
      ['control-plane', 'etcd'],
    );
    deepEqual(nodeRoles(null), []);
  });

  it('calls a cluster healthy with every node Ready, degraded with one that is not, unknown without nodes', () => {
    equal(clusterHealth([{ status: 'Ready' }, { status: 'Ready' }]), 'healthy');
    equal(clusterHealth([{ status: 'Ready' }, { status: 'Unknown' }]), 'degraded');
    equal(clusterHealth([]), 'unknown');
  });
});
