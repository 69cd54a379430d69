/** An API server for collect specs: lists held in memory, paged as asked, and refusals on demand, over real HTTP. */

import { setTimeout as sleep } from 'node:timers/promises';
import { openKubeAccess } from '../../../agent/kubeAccess.ts';
import type { KubeApi } from '../../../agent/kubeApi.ts';
import { createKubeApi } from '../../../agent/kubeApi.ts';
import { REQUEST_BOUNDS } from '../../../agent/kubeRequest.ts';
import { answer, startScripted, temporaryFolder, writeKubeconfig } from '../scripted.ts';

export interface Refusal {
  readonly status: number;
  /** `reason` of the Status; without one the body is plain text, as for an absent API group. */
  readonly reason?: string;
}

/** A page that is no page: other JSON, or one whose connection ends before it does. */
export type BrokenPage = { readonly body: unknown } | 'cut';

export interface ListServer {
  readonly api: KubeApi;
  readonly url: string;
  /** Objects by list path. A path that is not set lists nothing. */
  readonly lists: Record<string, object[]>;
  /** Refused paths. */
  readonly refused: Record<string, Refusal>;
  /** What `get` answers, by path. */
  readonly objects: Record<string, object>;
  /** What happens once instead of the second page of a path. */
  readonly secondPage: Map<string, () => Refusal | BrokenPage>;
  /** How long each page of a path takes, in milliseconds. */
  readonly slow: Record<string, number>;
  /** Paths that never answer. */
  readonly silent: Set<string>;
  /** Requests so far: method, path and what was accepted. */
  readonly requests: () => { method: string; path: string; accept: string }[];
  stop(): Promise<void>;
}

export async function startListServer(): Promise<ListServer> {
  const lists: Record<string, object[]> = {};
  const refused: Record<string, Refusal> = {};
  const objects: Record<string, object> = {};
  const secondPage = new Map<string, () => Refusal | BrokenPage>();
  const slow: Record<string, number> = {};
  const silent = new Set<string>();
  const server = await startScripted(async ({ url }, response) => {
    const path = url.pathname;
    if (silent.has(path)) return;
    const from = Number(url.searchParams.get('continue') ?? 0);
    const interrupt = from > 0 ? secondPage.get(path) : undefined;
    if (interrupt !== undefined) secondPage.delete(path);
    if (slow[path] !== undefined) await sleep(slow[path]);
    const refusal = interrupt?.() ?? refused[path];
    if (refusal === 'cut') {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100_000 });
      response.write('{"items":[{"metadata":{"name":"half');
      setImmediate(() => response.destroy());
      return;
    }
    if (refusal !== undefined && 'body' in refusal) return answer(response, 200, refusal.body);
    if (refusal?.reason) return answer(response, refusal.status, { kind: 'Status', reason: refusal.reason });
    if (refusal) {
      response.writeHead(refusal.status, { 'Content-Type': 'text/plain' }).end('404 page not found\n');
      return;
    }
    const object = objects[path];
    if (object !== undefined) return answer(response, 200, object);
    const limit = Number(url.searchParams.get('limit'));
    const items = lists[path] ?? [];
    const next = from + limit < items.length ? String(from + limit) : '';
    answer(response, 200, { metadata: { continue: next }, items: items.slice(from, from + limit) });
  });
  const folder = await temporaryFolder();
  const access = await openKubeAccess(await writeKubeconfig(folder.path, server.url, 'token'));
  const bounds = { ...REQUEST_BOUNDS, attempts: 2, firstWaitMs: 1 };
  return {
    api: createKubeApi(access, 'proxima-agent/spec', bounds),
    url: server.url,
    lists,
    refused,
    objects,
    secondPage,
    slow,
    silent,
    requests: () =>
      server.received.map(({ method, url, headers }) => ({
        method,
        path: url.pathname,
        accept: String(headers.accept),
      })),
    async stop() {
      access.close();
      await server.stop();
      await folder.remove();
    },
  };
}
