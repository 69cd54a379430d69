import type { Labels, Service } from '../objects.ts';
import type { World } from '../world.ts';
import { applyObject, type Origin } from './apply.ts';

/** What a Service is made for. */
export interface ServiceWish {
  readonly namespace: string;
  readonly name: string;
  readonly selector: Labels;
  readonly labels: Labels;
  readonly origin: Origin;
  readonly type?: Service['spec']['type'];
  readonly headless?: boolean;
  readonly port?: number;
}

/** Creates a Service; its EndpointSlice follows from the pods that it selects. */
export function generateService(world: World, wish: ServiceWish): Service {
  const type = wish.type ?? 'ClusterIP';
  const clusterIP = wish.headless === true ? 'None' : serviceAddress(world);
  const nodePort = type === 'ClusterIP' ? {} : { nodePort: world.random.int(30_000, 32_767) };
  const port = { name: 'http', port: wish.port ?? 80, protocol: 'TCP', targetPort: 'http', ...nodePort };
  return applyObject(
    world,
    'services',
    { name: wish.name, namespace: wish.namespace, labels: wish.labels },
    {
      spec: {
        ...(type === 'LoadBalancer' ? { allocateLoadBalancerNodePorts: true } : {}),
        clusterIP,
        clusterIPs: [clusterIP],
        internalTrafficPolicy: 'Cluster',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        ports: [port],
        selector: wish.selector,
        sessionAffinity: 'None',
        type,
      },
      status: {
        loadBalancer:
          type === 'LoadBalancer'
            ? { ingress: [{ hostname: `${world.random.hex(16)}.elb.eu-central-1.amazonaws.com` }] }
            : {},
      },
    },
    wish.origin,
  );
}

function serviceAddress(world: World): string {
  const number = world.store.count('services') + 2;
  return `172.20.${(number >> 8) & 255}.${number & 255}`;
}
