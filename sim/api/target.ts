/** What a request is about, read from its method and path alone: authorization needs no more, and comes first. */
export type Target = { readonly kind: 'path'; readonly verb: string; readonly path: string } | ResourceTarget;

export interface ResourceTarget {
  readonly kind: 'resource';
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty at the cluster scope. */
  readonly namespace: string;
  /** Empty for a whole collection. */
  readonly name: string;
  readonly subresource: string;
}

const verbs: { readonly [method: string]: readonly [one: string, many: string] } = {
  GET: ['get', 'list'],
  POST: ['create', 'create'],
  PUT: ['update', 'update'],
  PATCH: ['patch', 'patch'],
  DELETE: ['delete', 'deletecollection'],
};

/**
 * Reads `/api/v1/...` and `/apis/<group>/<version>/...`; whatever names no resource is a plain path, discovery among
 * them. Null when the path's percent-encoding is broken.
 */
export function readTarget(method: string, path: string, query: URLSearchParams): Target | null {
  let parts: string[];
  try {
    parts = path.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    return null;
  }
  const core = parts[0] === 'api';
  const [group = '', version = '', ...rest] = core ? ['', ...parts.slice(1)] : parts.slice(1);
  if ((!core && parts[0] !== 'apis') || rest.length === 0) {
    return { kind: 'path', verb: method.toLowerCase(), path };
  }
  // `/namespaces/x` is a namespace, `/namespaces/x/pods` is what it holds.
  const inside =
    rest[0] === 'namespaces' && rest.length > 2 && !['status', 'finalize'].includes(rest[2] ?? '');
  const namespace = inside ? (rest[1] ?? '') : '';
  const [resource = '', name = '', ...deeper] = inside ? rest.slice(2) : rest;
  const [one, many] = verbs[method] ?? [method.toLowerCase(), method.toLowerCase()];
  const verb = name === '' ? many : one;
  const isWatch = verb === 'list' && ['true', '1'].includes(query.get('watch') ?? '');
  return {
    kind: 'resource',
    verb: isWatch ? 'watch' : verb,
    group,
    version,
    resource,
    namespace,
    name,
    subresource: deeper.join('/'),
  };
}
