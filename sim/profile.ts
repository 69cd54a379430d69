export type Distribution = 'eks' | 'gke' | 'aks' | 'rke2' | 'k3s' | 'kubeadm';

/** How the machines of a distribution look: versions, provider ids, labels. */
export interface ClusterProfile {
  readonly distribution: Distribution;
  readonly gitVersion: string;
  readonly region: string;
  readonly zones: readonly string[];
  readonly instanceType: string;
  readonly osImage: string;
  readonly kernelVersion: string;
  readonly nodeLabels: { readonly [key: string]: string };
  /** The provider id of a machine, or null where no cloud controller writes one. */
  providerId(zone: string, name: string, digits: string): string | null;
  nodeName(index: number, digits: string): string;
}

const linux = { osImage: 'Ubuntu 24.04.2 LTS', kernelVersion: '6.8.0-57-generic' };

function zoned(region: string, separator: string): { region: string; zones: string[] } {
  return { region, zones: ['a', 'b', 'c'].map((zone) => `${region}${separator}${zone}`) };
}

const profiles: { readonly [name in Distribution]: ClusterProfile } = {
  eks: {
    ...zoned('eu-central-1', ''),
    distribution: 'eks',
    gitVersion: 'v1.37.2-eks-3abbec1',
    instanceType: 'm7i.2xlarge',
    osImage: 'Amazon Linux 2023.7.20260512',
    kernelVersion: '6.12.22-27.96.amzn2023.x86_64',
    nodeLabels: { 'eks.amazonaws.com/nodegroup': 'general', 'eks.amazonaws.com/capacityType': 'ON_DEMAND' },
    providerId: (zone, _name, digits) => `aws:///${zone}/i-0${digits}`,
    nodeName: (index) => `ip-10-0-${index >> 8}-${index & 255}.eu-central-1.compute.internal`,
  },
  gke: {
    ...zoned('europe-west3', '-'),
    distribution: 'gke',
    gitVersion: 'v1.37.2-gke.1032000',
    instanceType: 'e2-standard-8',
    osImage: 'Container-Optimized OS from Google',
    kernelVersion: '6.12.38+',
    nodeLabels: { 'cloud.google.com/gke-nodepool': 'pool-1', 'cloud.google.com/gke-os-distribution': 'cos' },
    providerId: (zone, name) => `gce://acme-production/${zone}/${name}`,
    nodeName: (index, digits) =>
      `gke-main-pool-1-${digits.slice(0, 8)}-${index.toString(36).padStart(4, '0')}`,
  },
  aks: {
    ...linux,
    region: 'westeurope',
    zones: ['westeurope-1', 'westeurope-2', 'westeurope-3'],
    distribution: 'aks',
    gitVersion: 'v1.37.2',
    instanceType: 'Standard_D8s_v5',
    nodeLabels: {
      'kubernetes.azure.com/cluster': 'MC_acme_main_westeurope',
      'kubernetes.azure.com/mode': 'system',
    },
    providerId: (_zone, name) =>
      `azure:///subscriptions/6f1c0b52-9f5e-4a52-8f0b-6a1d5b7d7a11/resourceGroups/mc_acme_main_westeurope/providers/Microsoft.Compute/virtualMachines/${name}`,
    nodeName: (index, digits) => `aks-pool1-${digits.slice(0, 8)}-vmss${index.toString(36).padStart(6, '0')}`,
  },
  rke2: {
    ...linux,
    region: 'fsn1',
    zones: ['fsn1-dc14'],
    distribution: 'rke2',
    gitVersion: 'v1.37.2+rke2r1',
    instanceType: 'ccx33',
    nodeLabels: { 'node.kubernetes.io/instance-type': 'rke2' },
    providerId: (_zone, _name, digits) => `hcloud://${Number.parseInt(digits.slice(0, 7), 16)}`,
    nodeName: (index) => `rke2-worker-${index}`,
  },
  k3s: {
    ...linux,
    region: '',
    zones: [],
    distribution: 'k3s',
    gitVersion: 'v1.37.2+k3s1',
    instanceType: 'k3s',
    nodeLabels: { 'egress.k3s.io/cluster': 'true' },
    providerId: (_zone, name) => `k3s://${name}`,
    nodeName: (index) => `edge-${index}`,
  },
  kubeadm: {
    ...linux,
    region: '',
    zones: [],
    distribution: 'kubeadm',
    gitVersion: 'v1.37.2',
    instanceType: '',
    nodeLabels: {},
    providerId: () => null,
    nodeName: (index) => `worker-${index}`,
  },
};

/** The profile of a distribution. */
export function profileOf(distribution: Distribution): ClusterProfile {
  return profiles[distribution];
}
