import type { EndpointSlice, KubeObject, Pod, Service } from '../objects.ts';
import { suffixAlphabet } from '../pods/makePod.ts';
import { isReady } from '../pods/podStatus.ts';
import { ownedBy, type World } from '../world.ts';
import { ownedObjects } from './owned.ts';

/** Whether labels hold all pairs of a selector; an empty selector selects nothing, as a Service's does. */
export function selects(selector: { readonly [key: string]: string } | undefined, pod: KubeObject): boolean {
  const labels = pod.metadata.labels;
  let pairs = 0;
  for (const key in selector) {
    if (labels?.[key] !== selector[key]) return false;
    pairs += 1;
  }
  return pairs > 0;
}

/** Brings a Service's EndpointSlice and Endpoints in line with the pods that it selects. */
export function syncService(world: World, namespace: string, name: string): void {
  const service = world.store.get('services', namespace, name);
  if (service === null || service.spec.selector === undefined) return;
  const pods = world.store
    .inNamespace('pods', namespace)
    .filter((pod) => selects(service.spec.selector, pod) && hasAddress(pod))
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const endpoints = pods.map((pod) => endpointOf(world, pod));
  const ports = portsOf(service, pods[0]);
  const slice = ownedObjects(world, 'endpointslices', service)[0];
  if (slice === undefined) {
    world.create(
      'endpointslices',
      {
        name: `${name}-${world.random.chars(suffixAlphabet, 5)}`,
        generateName: `${name}-`,
        namespace,
        labels: {
          ...service.metadata.labels,
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
          'kubernetes.io/service-name': name,
        },
        ownerReferences: [ownedBy(service)],
      },
      { addressType: 'IPv4', endpoints, ports },
      'kube-controller-manager',
    );
  } else if (JSON.stringify([slice.endpoints, slice.ports]) !== JSON.stringify([endpoints, ports])) {
    world.store.put('endpointslices', {
      ...slice,
      metadata: { ...slice.metadata, generation: (slice.metadata.generation ?? 1) + 1 },
      endpoints,
      ports,
    });
  }
  syncLegacyEndpoints(world, service, endpoints, ports);
}

function hasAddress(pod: Pod): boolean {
  return pod.status.podIP !== undefined && pod.status.phase !== 'Succeeded' && pod.status.phase !== 'Failed';
}

function endpointOf(world: World, pod: Pod): EndpointSlice['endpoints'][number] {
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const serving = isReady(pod);
  const node = pod.spec.nodeName === undefined ? null : world.store.get('nodes', '', pod.spec.nodeName);
  const zone = node?.metadata.labels?.['topology.kubernetes.io/zone'];
  return {
    addresses: [pod.status.podIP ?? ''],
    conditions: { ready: serving && !terminating, serving, terminating },
    ...(pod.spec.nodeName === undefined ? {} : { nodeName: pod.spec.nodeName }),
    targetRef: {
      kind: 'Pod',
      namespace: pod.metadata.namespace,
      name: pod.metadata.name,
      uid: pod.metadata.uid,
    },
    ...(zone === undefined ? {} : { zone }),
  };
}

function portsOf(service: Service, pod: Pod | undefined): EndpointSlice['ports'] {
  return (service.spec.ports ?? []).map((port) => {
    const named = pod?.spec.containers
      .flatMap((container) => container.ports ?? [])
      .find((each) => each.name === port.targetPort);
    const target =
      typeof port.targetPort === 'number' ? port.targetPort : (named?.containerPort ?? port.port);
    return { name: port.name ?? '', port: target, protocol: port.protocol };
  });
}

function syncLegacyEndpoints(
  world: World,
  service: Service,
  endpoints: EndpointSlice['endpoints'],
  ports: EndpointSlice['ports'],
): void {
  const { namespace = '', name } = service.metadata;
  const address = ({ addresses, nodeName, targetRef }: EndpointSlice['endpoints'][number]): object => ({
    ip: addresses[0],
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef,
  });
  const ready = endpoints.filter((each) => each.conditions.ready).map(address);
  const notReady = endpoints.filter((each) => !each.conditions.ready).map(address);
  const subsets =
    endpoints.length === 0
      ? undefined
      : [
          {
            ...(ready.length === 0 ? {} : { addresses: ready }),
            ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady }),
            ports,
          },
        ];
  const body = subsets === undefined ? {} : { subsets };
  const stored = world.store.get('endpoints', namespace, name);
  if (stored === null) {
    const labels = {
      ...service.metadata.labels,
      'endpoints.kubernetes.io/managed-by': 'endpoint-controller',
    };
    world.create('endpoints', { name, namespace, labels }, body, 'kube-controller-manager');
  } else if (JSON.stringify(stored.subsets) !== JSON.stringify(subsets)) {
    const { subsets: _before, ...rest } = stored;
    world.store.put('endpoints', { ...rest, ...body });
  }
}
