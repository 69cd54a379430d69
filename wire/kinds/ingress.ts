import { by, defineKind, list, map, nullable, object, shape, text, texts } from './define.ts';
import { loadBalancerPoint, namespacedIdentity } from './shapes.ts';

/** A service backend; `port` is a number or a port's name, as text. A resource backend has neither. */
const backend = shape({ service: nullable(text()), port: nullable(text()) });

/** Ingresses (NetworkingV1). */
export const ingresses = defineKind({
  name: 'ingresses',
  table: 'k8s_ingresses',
  path: 'ingresses',
  kubernetesKinds: ['Ingress'],
  coverage: 'ingresses',
  fields: {
    ...namespacedIdentity,
    class: nullable(text()),
    rules: list(
      shape({
        host: nullable(text()),
        paths: list(shape({ path: nullable(text()), path_type: text(), backend: object(backend) })),
      }),
    ),
    /** Host names and the name of the Secret; its content is never read. */
    tls: list(shape({ hosts: texts(), secret_name: nullable(text()) })),
    default_backend: nullable(object(backend)),
    load_balancer: list(loadBalancerPoint),
    labels: map(),
    annotations: map(),
  },
  sortKeys: { class: by('class') },
});
