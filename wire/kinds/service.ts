import { by, defineKind, integer, keptCount, list, map, nullable, shape, text, texts } from './define.ts';
import { loadBalancerPoint, namespacedIdentity } from './shapes.ts';

/** Services (CoreV1). `endpoints` is counted by the backend from the endpoint slices of the same snapshot. */
export const services = defineKind({
  name: 'services',
  table: 'k8s_services',
  path: 'services',
  kubernetesKinds: ['Service'],
  coverage: 'services',
  fields: {
    ...namespacedIdentity,
    type: text(),
    /** An address, or `None` for a headless service; null for ExternalName. */
    cluster_ip: nullable(text()),
    cluster_ips: texts(),
    external_ips: texts(),
    external_name: nullable(text()),
    session_affinity: nullable(text()),
    ports: list(
      shape({
        name: nullable(text()),
        protocol: text(),
        port: integer(),
        /** A number or a container port's name, as text. */
        target_port: nullable(text()),
        node_port: nullable(integer()),
        app_protocol: nullable(text()),
      }),
    ),
    selector: map(),
    load_balancer: list(loadBalancerPoint),
    labels: map(),
    annotations: map(),
  },
  derived: {
    /** Distinct ready addresses behind the service; kept while endpoint slices are unverified. */
    endpoints: keptCount(),
  },
  sortKeys: {
    type: by('type'),
    cluster_ip: { columns: ['cluster_ip'], as: 'address' },
    endpoints: by('endpoints'),
  },
});
