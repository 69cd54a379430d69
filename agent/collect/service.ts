import type { Arrays } from '../../wire/kinds/index.ts';
import type { LoadBalancerPoint } from '../../wire/kinds/shapes.ts';
import type { IntOrString, RawObject } from './object.ts';
import { describe, identityOf, textOf } from './object.ts';

export type ServiceRecord = Arrays['services'][number];

/** status.loadBalancer of services and ingresses. */
export interface RawLoadBalancer {
  readonly ingress?: readonly { readonly ip?: string | null; readonly hostname?: string | null }[] | null;
}

/** core/v1 Service. */
export interface RawService extends RawObject {
  readonly spec?: {
    readonly type?: string | null;
    readonly clusterIP?: string | null;
    readonly clusterIPs?: readonly string[] | null;
    readonly externalIPs?: readonly string[] | null;
    readonly externalName?: string | null;
    readonly sessionAffinity?: string | null;
    readonly selector?: Readonly<Record<string, string>> | null;
    readonly ports?:
      | readonly {
          readonly name?: string | null;
          readonly protocol?: string | null;
          readonly port: number;
          readonly targetPort?: IntOrString | null;
          readonly nodePort?: number | null;
          readonly appProtocol?: string | null;
        }[]
      | null;
  } | null;
  readonly status?: { readonly loadBalancer?: RawLoadBalancer | null } | null;
}

/** Where a load balancer answers. */
export const loadBalancerPoints = (balancer: RawLoadBalancer | null | undefined): LoadBalancerPoint[] =>
  (balancer?.ingress ?? []).map(({ ip, hostname }) => ({ ip: ip || null, hostname: hostname || null }));

/** A service as sent (AG-10). */
export function mapService({ metadata, spec, status }: RawService): ServiceRecord {
  return {
    ...identityOf(metadata),
    type: spec?.type || 'ClusterIP',
    cluster_ip: spec?.clusterIP || null,
    cluster_ips: [...(spec?.clusterIPs ?? [])],
    external_ips: [...(spec?.externalIPs ?? [])],
    external_name: spec?.externalName || null,
    session_affinity: spec?.sessionAffinity || null,
    ports: (spec?.ports ?? []).map((port) => ({
      name: port.name || null,
      protocol: port.protocol || 'TCP',
      port: port.port,
      target_port: textOf(port.targetPort),
      // 0 is how an unallocated node port is written.
      node_port: port.nodePort || null,
      app_protocol: port.appProtocol || null,
    })),
    selector: { ...spec?.selector },
    load_balancer: loadBalancerPoints(status?.loadBalancer),
    ...describe(metadata),
  };
}
