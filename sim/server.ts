import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './api/answer.ts';
import { type Fault, Faults, faultAnswer } from './api/faults.ts';
import { readBody } from './api/readBody.ts';
import { respond } from './api/respond.ts';
import { send } from './api/send.ts';
import { badRequest, failure, unauthorized } from './api/status.ts';
import { readTarget } from './api/target.ts';
import { authenticate, refusal, type TokenRights } from './api/tokens.ts';
import type { SimCluster } from './cluster.ts';
import { kubeconfigText } from './kubeconfig.ts';

/** One answered request. `path` has its query; a cut answer is logged with the status of its head. */
export interface RequestRecord {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

export interface SimServerOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** Bearer tokens by their text; default: one token that may do everything. */
  readonly tokens?: { readonly [token: string]: TokenRights };
}

/** The HTTP API of a simulated cluster, on 127.0.0.1 and without TLS. */
export interface SimServer {
  readonly url: string;
  /** The last requests in the order of their answers; at most 10,000 are remembered. */
  readonly requests: readonly RequestRecord[];
  readonly faults: Faults;
  /** The accepted bearer tokens; entries may come, change and go while the server runs. */
  readonly tokens: Map<string, TokenRights>;
  /** A kubeconfig with this server and a token (default: the first accepted one), as YAML text. */
  kubeconfig(token?: string): string;
  /** Breaks all connections, answers that are still delayed included, and frees the port. */
  stop(): Promise<void>;
}

/** The token that a server accepts when it is given none. */
export const defaultToken = 'simulated-administrator';

const keptRequests = 10_000;

/** Serves a cluster. Every answer shows the cluster as it stands at that moment; the server moves nothing by itself. */
export async function startSimServer(
  cluster: SimCluster,
  options: SimServerOptions = {},
): Promise<SimServer> {
  const tokens = new Map(Object.entries(options.tokens ?? { [defaultToken]: {} }));
  const faults = new Faults();
  const requests: RequestRecord[] = [];
  const stopped = new AbortController();
  const server = createServer((request, response) => {
    void serve(request, response).catch((cause: unknown) => {
      // A client that went away, or the stop of this server; nobody is left to be told.
      response.destroy(cause instanceof Error ? cause : undefined);
    });
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { fault, answer } = await answerTo(request);
    if (fault?.kind === 'slow') await sleep(fault.delayMs, undefined, { signal: stopped.signal });
    requests.push({ method: request.method ?? '', path: request.url ?? '', status: answer.status });
    if (requests.length > keptRequests) requests.shift();
    await send(request, response, answer, fault?.kind === 'cut' ? (fault.afterBytes ?? null) : undefined);
  }

  async function answerTo(request: IncomingMessage): Promise<{ fault: Fault | null; answer: Answer }> {
    const method = request.method ?? 'GET';
    const url = new URL(request.url ?? '/', 'http://simulated');
    const target = readTarget(method, url.pathname, url.searchParams);
    if (target === null) return { fault: null, answer: badRequest('the path is not readable') };
    const fault = faults.take(target, url.searchParams);
    const rights = authenticate(tokens, request.headers.authorization);
    const wrong = fault === null ? null : faultAnswer(fault, target, rights);
    if (wrong !== null) return { fault, answer: wrong };
    if (rights === null) return { fault, answer: unauthorized };
    const refused = refusal(rights, target);
    if (refused !== null) return { fault, answer: refused };
    const body = await readBody(request);
    if (body === null) {
      const message = 'Request entity too large: limit is 3145728';
      return { fault, answer: failure(413, 'RequestEntityTooLarge', message, {}) };
    }
    const { accept, host = '' } = request.headers;
    return {
      fault,
      answer: respond(cluster, { target, query: url.searchParams, rights, accept, host, body }),
    };
  }

  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    faults,
    tokens,
    kubeconfig: (token = [...tokens.keys()][0] ?? defaultToken) => kubeconfigText(url, token),
    async stop() {
      stopped.abort();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
