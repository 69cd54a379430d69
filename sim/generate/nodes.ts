import type { Condition, Labels, Taint } from '../objects.ts';
import type { ClusterProfile } from '../profile.ts';
import type { World } from '../world.ts';

/** The capacity of every generated machine but for its pods. */
const machine = { cpu: '8', memory: '32386076Ki', 'ephemeral-storage': '83873772Ki' };

/** Creates `count` nodes: one in eight of a larger cluster is a control plane where the distribution shows those. */
export function generateNodes(
  world: World,
  profile: ClusterProfile,
  count: number,
  podsPerNode: number,
): void {
  const showsControlPlane = ['rke2', 'k3s', 'kubeadm'].includes(profile.distribution);
  const controlPlanes = showsControlPlane && count > 1 ? Math.min(3, Math.max(1, Math.floor(count / 8))) : 0;
  for (let index = 0; index < count; index += 1) {
    generateNode(world, profile, index, index < controlPlanes, podsPerNode);
  }
}

function generateNode(
  world: World,
  profile: ClusterProfile,
  index: number,
  isControlPlane: boolean,
  podsPerNode: number,
): void {
  const digits = world.random.hex(16);
  const name = profile.nodeName(index + 1, digits);
  const zone = profile.zones[index % Math.max(1, profile.zones.length)];
  const providerID = profile.providerId(zone ?? '', name, digits);
  const taints: Taint[] = [];
  if (isControlPlane) taints.push({ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' });
  else if (index > 0 && index % 9 === 8)
    taints.push({ key: 'dedicated', value: 'batch', effect: 'PreferNoSchedule' });
  const capacity = { ...machine, 'hugepages-1Gi': '0', 'hugepages-2Mi': '0', pods: String(podsPerNode) };
  const address = `10.0.${(index + 1) >> 8}.${(index + 1) & 255}`;
  world.create(
    'nodes',
    {
      name,
      labels: labelsOf(profile, name, zone, isControlPlane),
      annotations: {
        'node.alpha.kubernetes.io/ttl': '0',
        'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
      },
    },
    {
      spec: {
        podCIDR: `10.${128 + (index >> 8)}.${index & 255}.0/24`,
        podCIDRs: [`10.${128 + (index >> 8)}.${index & 255}.0/24`],
        ...(providerID === null ? {} : { providerID }),
        ...(taints.length === 0 ? {} : { taints }),
      },
      status: {
        addresses: [
          { type: 'InternalIP', address },
          { type: 'Hostname', address: name },
        ],
        allocatable: { ...capacity, cpu: '7910m', memory: '31362076Ki', 'ephemeral-storage': '76224326324' },
        capacity,
        conditions: healthy(world.now()),
        daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
        nodeInfo: {
          architecture: 'amd64',
          bootID: world.random.uuid(),
          containerRuntimeVersion: 'containerd://2.1.3',
          kernelVersion: profile.kernelVersion,
          kubeProxyVersion: profile.gitVersion,
          kubeletVersion: profile.gitVersion,
          machineID: world.random.hex(32),
          operatingSystem: 'linux',
          osImage: profile.osImage,
          systemUUID: world.random.uuid(),
        },
      },
    },
    'kubelet',
  );
}

function labelsOf(
  profile: ClusterProfile,
  name: string,
  zone: string | undefined,
  isControlPlane: boolean,
): Labels {
  return {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    ...(profile.instanceType === '' ? {} : { 'node.kubernetes.io/instance-type': profile.instanceType }),
    ...(profile.region === '' ? {} : { 'topology.kubernetes.io/region': profile.region }),
    ...(zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone }),
    ...(isControlPlane ? { 'node-role.kubernetes.io/control-plane': '' } : {}),
    ...profile.nodeLabels,
  };
}

function healthy(now: string): Condition[] {
  const good: [string, 'True' | 'False', string, string][] = [
    ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
    ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
    ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
    ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
  ];
  return good.map(([type, status, reason, message]) => ({
    type,
    status,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
    reason,
    message,
  }));
}
