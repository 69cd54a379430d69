import type { Arrays } from '../../wire/kinds/index.ts';
import type { RawObject } from './object.ts';
import { identityOf, labelsOf } from './object.ts';

export type EndpointSliceRecord = Arrays['endpoint_slices'][number];

/** discovery.k8s.io/v1 EndpointSlice. */
export interface RawEndpointSlice extends RawObject {
  readonly addressType: string;
  readonly endpoints?:
    | readonly {
        readonly addresses?: readonly string[] | null;
        readonly conditions?: {
          readonly ready?: boolean | null;
          readonly serving?: boolean | null;
          readonly terminating?: boolean | null;
        } | null;
        readonly nodeName?: string | null;
        readonly zone?: string | null;
        readonly targetRef?: { readonly kind?: string | null; readonly name?: string | null } | null;
      }[]
    | null;
  readonly ports?:
    | readonly {
        readonly name?: string | null;
        readonly protocol?: string | null;
        readonly port?: number | null;
        readonly appProtocol?: string | null;
      }[]
    | null;
}

/** An endpoint slice as sent (AG-18). An unset ready means ready, an unset serving means what ready says. */
export function mapEndpointSlice(slice: RawEndpointSlice): EndpointSliceRecord {
  return {
    ...identityOf(slice.metadata),
    address_type: slice.addressType,
    service: slice.metadata.labels?.['kubernetes.io/service-name'] || null,
    endpoints: (slice.endpoints ?? []).map((endpoint) => {
      const ready = endpoint.conditions?.ready ?? true;
      return {
        addresses: [...(endpoint.addresses ?? [])],
        ready,
        serving: endpoint.conditions?.serving ?? ready,
        terminating: endpoint.conditions?.terminating ?? false,
        node_name: endpoint.nodeName || null,
        zone: endpoint.zone || null,
        target_kind: endpoint.targetRef?.kind || null,
        target_name: endpoint.targetRef?.name || null,
      };
    }),
    ports: (slice.ports ?? []).map((port) => ({
      name: port.name || null,
      protocol: port.protocol || 'TCP',
      port: port.port ?? null,
      app_protocol: port.appProtocol || null,
    })),
    labels: labelsOf(slice.metadata),
  };
}
