import type { ClusterOptions } from '../../sim/cluster.ts';
import { SimCluster } from '../../sim/cluster.ts';
import type { SimServer, SimServerOptions } from '../../sim/server.ts';
import { defaultToken, startSimServer } from '../../sim/server.ts';

/** Any JSON object of the API, as far as these specs look into it. */
export interface Body {
  readonly kind: string;
  readonly apiVersion: string;
  readonly reason?: string;
  readonly message?: string;
  readonly code?: number;
  readonly details?: object;
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items?: readonly Body[];
  readonly [field: string]: unknown;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed text; throws when it is no JSON. */
  body(): Body;
}

export interface Rig {
  readonly cluster: SimCluster;
  readonly server: SimServer;
  get(path: string, options?: { token?: string | null; accept?: string }): Promise<Reply>;
  send(method: string, path: string, body?: object | string, token?: string): Promise<Reply>;
}

/** A small served cluster; the caller stops `server`. */
export async function startRig(
  cluster: Partial<ClusterOptions> = {},
  options: SimServerOptions = {},
): Promise<Rig> {
  const simulated = new SimCluster({ seed: 7, now: '2026-06-01T10:00:00Z', pods: 60, ...cluster });
  const server = await startSimServer(simulated, options);
  const ask = async (
    path: string,
    init: RequestInit,
    token: string | null = defaultToken,
  ): Promise<Reply> => {
    const headers = new Headers(init.headers);
    if (token !== null) headers.set('Authorization', `Bearer ${token}`);
    const answer = await fetch(server.url + path, { ...init, headers, signal: AbortSignal.timeout(10_000) });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: () => JSON.parse(text) as Body };
  };
  return {
    cluster: simulated,
    server,
    get: (path, { token, accept = 'application/json' } = {}) =>
      ask(path, { headers: { Accept: accept } }, token),
    send: (method, path, body = '', token = defaultToken) =>
      ask(
        path,
        {
          method,
          headers: { 'Content-Type': 'application/json' },
          ...(body === '' ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        },
        token,
      ),
  };
}

/** Names of a list's items, with their namespaces. */
export function namesOf(list: Body): string[] {
  return (list.items ?? []).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
}
