import { boolean, by, defineKind, integer, list, map, nullable, shape, text, texts } from './define.ts';
import { namespacedIdentity } from './shapes.ts';

/** EndpointSlices (DiscoveryV1). */
export const endpointSlices = defineKind({
  name: 'endpoint_slices',
  table: 'k8s_endpoint_slices',
  path: 'endpoint-slices',
  kubernetesKinds: ['EndpointSlice'],
  coverage: 'endpointslices',
  fields: {
    ...namespacedIdentity,
    address_type: text(),
    /** Owning service, label kubernetes.io/service-name. */
    service: nullable(text()),
    endpoints: list(
      shape({
        addresses: texts(),
        /** A missing condition reads as ready (discovery/v1 EndpointConditions). */
        ready: boolean(),
        serving: boolean(),
        terminating: boolean(),
        node_name: nullable(text()),
        zone: nullable(text()),
        target_kind: nullable(text()),
        target_name: nullable(text()),
      }),
    ),
    ports: list(
      shape({
        name: nullable(text()),
        protocol: text(),
        port: nullable(integer()),
        app_protocol: nullable(text()),
      }),
    ),
    labels: map(),
  },
  sortKeys: { address_type: by('address_type'), service: by('service') },
});
