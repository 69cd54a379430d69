import type { KubeObject } from '../objects.ts';
import type { ResourceRow } from '../resources.ts';

/** How a client wants objects: whole, or their metadata alone. */
export type Form =
  | { readonly kind: 'whole' }
  | { readonly kind: 'metadata'; readonly version: 'v1' | 'v1beta1'; readonly list: boolean }
  | { readonly kind: 'unacceptable' };

const asMetadata = /;as=(PartialObjectMetadata(?:List)?)(?:;|$)/;

/** The first alternative of an Accept header that this server can write. */
export function readAccept(header: string | undefined): Form {
  if (header === undefined || header.trim() === '') return { kind: 'whole' };
  for (const alternative of header.split(',').map((each) => each.replaceAll(/\s/g, ''))) {
    const [type = ''] = alternative.split(';');
    if (!['application/json', 'application/*', '*/*'].includes(type)) continue;
    if (!alternative.includes(';as=')) return { kind: 'whole' };
    const wanted = asMetadata.exec(alternative)?.[1];
    const version = /;v=(v1|v1beta1)(?:;|$)/.exec(alternative)?.[1];
    if (wanted === undefined || !alternative.includes(';g=meta.k8s.io') || version === undefined) continue;
    return { kind: 'metadata', version: version === 'v1' ? 'v1' : 'v1beta1', list: wanted.endsWith('List') };
  }
  return { kind: 'unacceptable' };
}

// Objects never change, so their text is remembered by identity: 5,000 pods are written once and then only joined.
const bodies = new WeakMap<KubeObject, string>();
const metadataTexts = new WeakMap<KubeObject, string>();

/**
 * An object as it stands in a list. Built-in kinds leave out `kind` and `apiVersion` there; custom resources keep them,
 * with all keys sorted, because the server holds them as unstructured maps.
 */
export function itemText(row: ResourceRow, object: KubeObject): string {
  const known = bodies.get(object);
  if (known !== undefined) return known;
  const { kind: _kind, apiVersion: _version, ...body } = object;
  const text = row.custom ? JSON.stringify(sorted(object)) : JSON.stringify(body);
  bodies.set(object, text);
  return text;
}

/** An object by itself: always with `kind` and `apiVersion`. */
export function objectText(row: ResourceRow, object: KubeObject): string {
  const text = itemText(row, object);
  if (row.custom) return text;
  const head = JSON.stringify({ kind: object.kind, apiVersion: object.apiVersion });
  return `${head.slice(0, -1)},${text.slice(1)}`;
}

/** An object's `metadata` as meta/v1 PartialObjectMetadata. */
export function metadataText(object: KubeObject, version: 'v1' | 'v1beta1'): string {
  let text = metadataTexts.get(object);
  if (text === undefined) {
    text = JSON.stringify(object.metadata);
    metadataTexts.set(object, text);
  }
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}","metadata":${text}}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inside]) => [key, sorted(inside)]),
  );
}
