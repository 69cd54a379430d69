/** Objects as a live read may show them: redacted inside the cluster, before anything is measured or logged (LV-04, U-03). */

import { type Fields, isFields, redactFields, UnexpectedShape } from './manifestWalk.ts';
import { RedactionNotes } from './redactionNotes.ts';

/** The kinds that a manifest can be asked of. ConfigMaps and Secrets are none of them. */
export const MANIFEST_KINDS = [
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'Rollout',
  'ReplicaSet',
  'Pod',
  'Service',
  'Ingress',
  'HorizontalPodAutoscaler',
  'Job',
  'CronJob',
  'NetworkPolicy',
  'PersistentVolumeClaim',
] as const;
export type ManifestKind = (typeof MANIFEST_KINDS)[number];

export const isManifestKind = (kind: string): kind is ManifestKind =>
  (MANIFEST_KINDS as readonly string[]).includes(kind);

/** `notes` names the places that were redacted and how often, never a value. An error names no value either. */
export type Redacted =
  | { readonly kind: 'redacted'; readonly object: Fields; readonly notes: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * A copy of the object without its secrets. Refused, with nothing of it, for another kind than it says, for a kind that is
 * not in the list, and where a list or an object is expected and something else stands.
 */
export function redactManifest(kind: string, object: unknown): Redacted {
  if (!isManifestKind(kind)) return { kind: 'refused', reason: 'objects of this kind are not shown' };
  if (isFields(object) && object.kind !== undefined && object.kind !== kind) {
    return { kind: 'refused', reason: `the object is no ${kind}` };
  }
  return redactWhole(object, '');
}

/** The same for a pod template alone, as each revision of a workload carries one (LV-08). */
export const redactPodTemplate = (template: unknown): Redacted => redactWhole(template, 'template');

function redactWhole(object: unknown, path: string): Redacted {
  if (!isFields(object)) return { kind: 'refused', reason: 'the answer is no object' };
  const odd = ['metadata', 'spec', 'status'].find((part) => !isFields(object[part] ?? {}));
  if (odd !== undefined) return { kind: 'refused', reason: `${odd} is no object` };
  const notes = new RedactionNotes();
  try {
    return { kind: 'redacted', object: redactFields(object, path, notes), notes: notes.lines() };
  } catch (error) {
    // Anything may be wrong with the object; what matters is that none of it is shown.
    const reason = error instanceof UnexpectedShape ? error.message : 'the object could not be redacted';
    return { kind: 'refused', reason };
  }
}
