import type { Arrays } from '../../wire/kinds/index.ts';
import type { RawObject } from './object.ts';
import { describe, identityOf, textOf } from './object.ts';
import type { RawLoadBalancer } from './service.ts';
import { loadBalancerPoints } from './service.ts';

export type IngressRecord = Arrays['ingresses'][number];
type Backend = NonNullable<IngressRecord['default_backend']>;

/** networking.k8s.io/v1 IngressBackend; one that names another resource has no service. */
interface RawBackend {
  readonly service?: {
    readonly name: string;
    readonly port?: { readonly name?: string | null; readonly number?: number | null } | null;
  } | null;
}

/** networking.k8s.io/v1 Ingress. */
export interface RawIngress extends RawObject {
  readonly spec?: {
    readonly ingressClassName?: string | null;
    readonly defaultBackend?: RawBackend | null;
    readonly tls?:
      | readonly { readonly hosts?: readonly string[] | null; readonly secretName?: string | null }[]
      | null;
    readonly rules?:
      | readonly {
          readonly host?: string | null;
          readonly http?: {
            readonly paths?:
              | readonly {
                  readonly path?: string | null;
                  readonly pathType?: string | null;
                  readonly backend?: RawBackend | null;
                }[]
              | null;
          } | null;
        }[]
      | null;
  } | null;
  readonly status?: { readonly loadBalancer?: RawLoadBalancer | null } | null;
}

/** How the class was named before spec.ingressClassName; many charts still write it. */
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

/** An ingress as sent (AG-11). */
export function mapIngress({ metadata, spec, status }: RawIngress): IngressRecord {
  const described = describe(metadata);
  return {
    ...identityOf(metadata),
    class: spec?.ingressClassName || described.annotations[CLASS_ANNOTATION] || null,
    rules: (spec?.rules ?? []).map((rule) => ({
      host: rule.host || null,
      paths: (rule.http?.paths ?? []).map((path) => ({
        path: path.path || null,
        path_type: path.pathType || 'ImplementationSpecific',
        backend: backendOf(path.backend),
      })),
    })),
    tls: (spec?.tls ?? []).map(({ hosts, secretName }) => ({
      hosts: [...(hosts ?? [])],
      secret_name: secretName || null,
    })),
    default_backend: spec?.defaultBackend ? backendOf(spec.defaultBackend) : null,
    load_balancer: loadBalancerPoints(status?.loadBalancer),
    ...described,
  };
}

const backendOf = (backend: RawBackend | null | undefined): Backend => ({
  service: backend?.service?.name ?? null,
  port: textOf(backend?.service?.port?.number || backend?.service?.port?.name),
});
