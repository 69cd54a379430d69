/** The part of the Kubernetes API that the agent uses: paged lists and single objects as raw JSON, and its own Lease. */

import type { KubeAccess } from './kubeAccess.ts';
import { KubeError } from './kubeError.ts';
import type { RequestBounds } from './kubeRequest.ts';
import { REQUEST_BOUNDS, requestJson, requestList, requestText } from './kubeRequest.ts';

export { KubeError } from './kubeError.ts';

/** Objects per page: as kubectl and client-go ask. They are read one by one, so a page costs no more memory than one. */
const PAGE_LIMIT = 500;

const JSON_ONLY = 'application/json';
/** Names, labels, annotations and owners without spec and status; a server that can't sends whole objects. */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

export interface ListOptions<T> {
  /** Ends the whole list; it then throws KubeError with reason `cancelled`. */
  readonly signal: AbortSignal;
  /** Asks for `metadata` alone (meta/v1 PartialObjectMetadata). */
  readonly metadataOnly?: boolean;
  /** Called before the first page, and again when the list starts over: what was gathered is then void. */
  onStart(): void;
  /**
   * Called for each object in the server's order. When `list` throws after some calls, what they gave is a part and void.
   */
  onItem(item: T): void;
}

export interface KubeApi {
  /** Base URL of the API server. */
  readonly serverUrl: string;
  /**
   * Lists every object under a path such as `/api/v1/pods`. `listed` counts the objects of the run that ended.
   * Throws KubeError. `T` is what the caller takes the objects for; nothing checks it.
   */
  list<T>(path: string, options: ListOptions<T>): Promise<{ listed: number }>;
  /** One object or discovery document. Throws KubeError. */
  get<T>(path: string, options: { signal: AbortSignal }): Promise<T>;
  /** The body of an answer that is not JSON, such as a log. Throws KubeError. */
  text(path: string, options: { signal: AbortSignal }): Promise<string>;
  /** Creates an object, in one attempt; answers it as stored. Throws KubeError, 409 when it is there. */
  post<T>(path: string, body: object, options: { signal: AbortSignal }): Promise<T>;
  /** Replaces an object, in one attempt; answers it as stored. Throws KubeError, 409 when it has changed since. */
  put<T>(path: string, body: object, options: { signal: AbortSignal }): Promise<T>;
}

/**
 * The API of one cluster.
 * @param userAgent what the audit log of the cluster shows, such as `proxima-agent/v0.9.0`
 */
export function createKubeApi(
  access: KubeAccess,
  userAgent: string,
  bounds: RequestBounds = REQUEST_BOUNDS,
): KubeApi {
  const write =
    (method: 'POST' | 'PUT') =>
    async <T>(path: string, body: object, { signal }: { signal: AbortSignal }): Promise<T> =>
      (await requestJson(access, path, {
        signal,
        accept: JSON_ONLY,
        userAgent,
        bounds,
        write: { method, body },
      })) as T;

  /** Every page once. Null when the list expired between two pages. */
  async function listOnce<T>(path: string, o: ListOptions<T>): Promise<{ listed: number } | null> {
    const accept = o.metadataOnly === true ? METADATA_ONLY : JSON_ONLY;
    let listed = 0;
    let token = '';
    const onItem = (item: unknown): void => {
      listed += 1;
      o.onItem(item as T);
    };
    o.onStart();
    do {
      const page = pagePath(path, token);
      try {
        const list = await requestList(access, page, { signal: o.signal, accept, userAgent, bounds }, onItem);
        token = nextToken(path, list);
      } catch (error) {
        if (token !== '' && error instanceof KubeError && error.status === 410) return null;
        throw error;
      }
    } while (token !== '');
    return { listed };
  }

  return {
    serverUrl: access.serverUrl,
    async list<T>(path: string, o: ListOptions<T>) {
      // The token inside a 410 would go on with another state of the cluster: a list that is neither old nor new.
      const listed = (await listOnce(path, o)) ?? (await listOnce(path, o));
      if (listed === null) throw new KubeError(path, 410, 'Expired');
      return listed;
    },
    get: async <T>(path: string, { signal }: { signal: AbortSignal }) =>
      (await requestJson(access, path, { signal, accept: JSON_ONLY, userAgent, bounds })) as T,
    text: (path, { signal }) => requestText(access, path, { signal, accept: '*/*', userAgent, bounds }),
    post: write('POST'),
    put: write('PUT'),
  };
}

/** No resourceVersion: with one of 0 the server ignores the limit and answers everything at once. */
function pagePath(path: string, token: string): string {
  const query = new URLSearchParams({ limit: String(PAGE_LIMIT) });
  if (token !== '') query.set('continue', token);
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** The token of the page after this list without its items; empty behind the last. Throws KubeError where it is no list. */
function nextToken(path: string, list: unknown): string {
  const { items, metadata } = (list ?? {}) as {
    items?: unknown;
    metadata?: { continue?: unknown } | null;
  };
  // Go writes an empty list that was never made as null.
  if (items !== null && !Array.isArray(items)) throw new KubeError(path, 0, 'bad_body');
  const token = metadata?.continue;
  return typeof token === 'string' ? token : '';
}
