/** `endpoints` of a service: counted here from the endpoint slices of the same snapshot (contracts.md section 1). */

import type { CoverageBlock } from '../../wire/coverage.ts';
import type { Arrays } from '../../wire/kinds/index.ts';

type Slice = Pick<Arrays['endpoint_slices'][number], 'namespace' | 'service' | 'endpoints'>;
type Service = Arrays['services'][number];

/**
 * The services with the number of distinct ready addresses behind each. Null, which keeps the stored number, while the
 * slices were not read; a cut list of slices still counts.
 */
export function withEndpointCounts(
  services: readonly Service[],
  slices: readonly Slice[],
  coverage: CoverageBlock | undefined,
): (Service & { endpoints: number | null })[] {
  const state = coverage === undefined ? 'complete' : (coverage.endpointslices?.state ?? 'error');
  if (state !== 'complete' && state !== 'truncated') {
    return services.map((service) => ({ ...service, endpoints: null }));
  }
  const ready = new Map<string, Set<string>>();
  for (const slice of slices) {
    if (slice.service === null) continue;
    const key = serviceKey(slice.namespace, slice.service);
    const addresses = ready.get(key) ?? new Set();
    ready.set(key, addresses);
    for (const endpoint of slice.endpoints) {
      if (endpoint.ready) for (const address of endpoint.addresses) addresses.add(address);
    }
  }
  return services.map((service) => ({
    ...service,
    endpoints: ready.get(serviceKey(service.namespace, service.name))?.size ?? 0,
  }));
}

const serviceKey = (namespace: string, name: string): string => `${namespace}\u0000${name}`;
