/** Which objects PROXIMA_K8S_EXCLUDE_NAMESPACES keeps out, before any cap (AG-20 to AG-24). */

interface Placed {
  readonly metadata: { readonly namespace?: string | null };
}

/** True for an object in one of the namespaces; a cluster-scoped object is in none. */
export const isExcluded = (object: Placed, excluded: ReadonlySet<string>): boolean =>
  excluded.has(object.metadata.namespace ?? '');

/**
 * True for an event that lies in one of the namespaces, is about an object there, or about the namespace itself:
 * events about cluster-scoped objects are written to `default` (AG-23).
 */
export function isEventExcluded(
  event: Placed & {
    readonly involvedObject?: {
      readonly kind?: string | null;
      readonly namespace?: string | null;
      readonly name?: string | null;
    } | null;
  },
  excluded: ReadonlySet<string>,
): boolean {
  const about = event.involvedObject;
  if (isExcluded(event, excluded) || excluded.has(about?.namespace ?? '')) return true;
  return about?.kind === 'Namespace' && excluded.has(about.name ?? '');
}
