import { canonicalQuantities } from '../../rules/kube/quantity.ts';
import type { Arrays } from '../../wire/kinds/index.ts';
import type { RawObject } from './object.ts';
import { identityOf, labelsOf } from './object.ts';

export type ResourceQuotaRecord = Arrays['resource_quotas'][number];

/** core/v1 ResourceQuota. */
export interface RawResourceQuota extends RawObject {
  readonly spec?: {
    readonly hard?: Readonly<Record<string, string>> | null;
    readonly scopes?: readonly string[] | null;
    readonly scopeSelector?: {
      readonly matchExpressions?: readonly { readonly scopeName: string }[] | null;
    } | null;
  } | null;
  readonly status?: { readonly used?: Readonly<Record<string, string>> | null } | null;
}

/** A quota as sent (AG-17): the limits that are set, what is used of them, and the scopes by either way of naming. */
export function mapResourceQuota({ metadata, spec, status }: RawResourceQuota): ResourceQuotaRecord {
  const selected = (spec?.scopeSelector?.matchExpressions ?? []).map(({ scopeName }) => scopeName);
  return {
    ...identityOf(metadata),
    hard: canonicalQuantities(spec?.hard),
    used: canonicalQuantities(status?.used),
    scopes: [...new Set([...(spec?.scopes ?? []), ...selected])],
    labels: labelsOf(metadata),
  };
}
