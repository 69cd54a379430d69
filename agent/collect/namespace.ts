import type { Arrays } from '../../wire/kinds/index.ts';
import type { RawObject } from './object.ts';
import { identityOf, labelsOf } from './object.ts';

export type NamespaceRecord = Arrays['namespaces'][number];

/** core/v1 Namespace. */
export interface RawNamespace extends RawObject {
  readonly status?: { readonly phase?: string | null } | null;
}

/** A namespace as sent (AG-07), before its objects are counted. */
export function mapNamespace({ metadata, status }: RawNamespace): NamespaceRecord {
  const { name, uid, created_at } = identityOf(metadata);
  return {
    name,
    uid,
    status: status?.phase || 'Active',
    labels: labelsOf(metadata),
    workload_count: null,
    pod_count: null,
    service_count: null,
    created_at,
  };
}
