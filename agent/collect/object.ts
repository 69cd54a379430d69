/** What the mappers read of every object, and what they write of it. Only fields that are read are declared. */

import type { OwnerReference } from '../../rules/kube/owner.ts';
import { wireTime } from '../../rules/kube/time.ts';
import { scrubAnnotations } from '../../rules/scrub/annotations.ts';
import { sanitizeText } from '../../rules/scrub/text.ts';
import type { Condition, LabelSelector } from '../../wire/kinds/shapes.ts';

/** meta/v1 ObjectMeta. */
export interface RawMeta {
  readonly name: string;
  readonly namespace?: string | null;
  readonly uid?: string | null;
  readonly creationTimestamp?: string | null;
  readonly labels?: Readonly<Record<string, string>> | null;
  readonly annotations?: Readonly<Record<string, string>> | null;
  readonly ownerReferences?: readonly OwnerReference[] | null;
}

/** An object of which only the metadata is read (meta/v1 PartialObjectMetadata). */
export interface RawObject {
  readonly metadata: RawMeta;
}

/** A condition as most kinds have it. */
export interface RawCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | null;
  readonly message?: string | null;
  readonly lastTransitionTime?: string | null;
}

/** meta/v1 LabelSelector. */
export interface RawSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | null;
  readonly matchExpressions?:
    | readonly {
        readonly key: string;
        readonly operator: string;
        readonly values?: readonly string[] | null;
      }[]
    | null;
}

/** util/intstr: a number, or a percentage or a port's name. */
export type IntOrString = number | string;

/** Names, uid and age of a namespaced object. */
export const identityOf = (
  meta: RawMeta,
): { namespace: string; name: string; uid: string; created_at: string | null } => ({
  namespace: meta.namespace ?? '',
  name: meta.name,
  uid: meta.uid ?? '',
  created_at: wireTime(meta.creationTimestamp),
});

/** Labels as sent: they select, so they stay whole. */
export const labelsOf = (meta: RawMeta): Record<string, string> => ({ ...meta.labels });

/** Labels and annotations as sent: every kind's annotations pass the scrubber here, at one place (AG-30, AG-31, X-29). */
export const describe = (
  meta: RawMeta,
): { labels: Record<string, string>; annotations: Record<string, string> } => ({
  labels: labelsOf(meta),
  annotations: scrubAnnotations(meta.annotations),
});

/**
 * Free text that others wrote, as sent; it quotes command lines, addresses and what containers print (AG-32). Reasons are
 * words by convention only: whoever may write an event or a status writes what they like.
 */
export const freeTextOf = (text: string | null | undefined): string | null =>
  text ? sanitizeText(text) : null;

/** Conditions as sent. */
export const conditionsOf = (conditions: readonly RawCondition[] | null | undefined): Condition[] =>
  (conditions ?? []).map((condition) => ({
    type: condition.type,
    status: condition.status,
    reason: freeTextOf(condition.reason),
    message: freeTextOf(condition.message),
    last_transition_at: wireTime(condition.lastTransitionTime),
  }));

/** A selector as sent: an empty one selects everything and stays an object, an absent one nothing and is null. */
export const selectorOf = (selector: RawSelector | null | undefined): LabelSelector | null =>
  selector === null || selector === undefined
    ? null
    : {
        match_labels: { ...selector.matchLabels },
        match_expressions: (selector.matchExpressions ?? []).map(({ key, operator, values }) => ({
          key,
          operator,
          values: [...(values ?? [])],
        })),
      };

/** A number or name as text; null for none. */
export const textOf = (value: IntOrString | null | undefined): string | null =>
  value === null || value === undefined || value === '' ? null : String(value);
