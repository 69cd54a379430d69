/** Annotations as they may leave the cluster: in snapshots and in live reads alike (AG-30, AG-31, X-29, U-23). */

import { isHarmlessWord } from './harmless.ts';
import { redactedValue } from './redacted.ts';
import { classifyKey } from './secretKeys.ts';
import { sanitizeText } from './text.ts';

/**
 * Annotations in which tools keep a copy of the whole object, every value of it included: kubectl, qbec and Banzai's
 * operators (`last-applied…`), kapp, Consul and Rancher. Some are compressed, so that nothing in them could be found.
 */
const COPY = /last-applied|\/original-pod$|^kapp\.k14s\.io\/original|rio\.cattle\.io\/applied$/i;

/** Helm charts write the checksum of a Secret to restart pods when it changes; it is public and tells revisions apart. */
const CHECKSUM_KEY = /^checksum\//;
const CHECKSUM = /^[0-9a-f]{32,128}$/;

/** What becomes of one annotation. `reason` tells a copy from a value; `value` is what may be shown. */
export type AnnotationVerdict =
  | { readonly kind: 'keep' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'redact' | 'sanitize'; readonly value: string };

/** Judges an annotation by its key, then by its value. */
export function judgeAnnotation(key: string, value: string): AnnotationVerdict {
  if (COPY.test(key)) return { kind: 'drop' };
  const shown = shownValue(key, value);
  if (shown !== null) return shown === value ? { kind: 'keep' } : { kind: 'redact', value: shown };
  const text = sanitizeText(value);
  return text === value ? { kind: 'keep' } : { kind: 'sanitize', value: text };
}

/**
 * What may be shown of a value whose key names a secret, as its last part, prefix and slash aside; null when it names none.
 * A value that is obviously none stays, as `true` does.
 */
export function shownValue(key: string, value: string): string | null {
  const name = key.lastIndexOf('/') + 1;
  if (classifyKey(key, name, key.length) === null) return null;
  const isChecksum = CHECKSUM_KEY.test(key) && CHECKSUM.test(value);
  return value === '' || isChecksum || isHarmlessWord(value.trim()) ? value : redactedValue(value);
}

/**
 * The annotations without copies of the object, with the values under secrets' names replaced, and the others sanitized as
 * text. Empty for an object that has none; what is not a string is left out.
 */
export function scrubAnnotations(
  annotations: Readonly<Record<string, string>> | null | undefined,
): Record<string, string> {
  const kept = Object.entries(annotations ?? {}).flatMap(([key, value]): [string, string][] => {
    if (typeof value !== 'string') return [];
    const verdict = judgeAnnotation(key, value);
    if (verdict.kind === 'drop') return [];
    return [[key, verdict.kind === 'keep' ? value : verdict.value]];
  });
  return Object.fromEntries(kept);
}
