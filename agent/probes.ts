/** The agent's HTTP server: probes, metrics and what the agent is doing (OB-01, OB-07, OB-08). */

import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ListenAddress } from './readers.ts';

export interface Readiness {
  readonly enrolled: boolean;
  /** Connected to NATS. */
  readonly connected: boolean;
}

export interface ProbeServer {
  /** Base URL on this machine, with the port that was bound. */
  readonly url: string;
  /** Refuses new requests and waits for the open ones at most 5 s (OB-09, OB-10). */
  stop(): Promise<void>;
}

const STOP_MS = 5000;

/** What the server tells. */
export interface Told {
  readiness(): Readiness;
  metrics(): Promise<{ readonly contentType: string; readonly body: string }>;
  /** For `/debug/state`; holds no secret. */
  state(): object;
}

/**
 * Serves `/healthz`, which answers 200 as long as the process lives, `/readyz`, which answers 200 only while enrolled and
 * connected to NATS, else 503, `/metrics` and `/debug/state`. Rejects when the address cannot be bound.
 */
export async function startProbes(
  address: ListenAddress,
  told: Told,
  stopMs = STOP_MS,
): Promise<ProbeServer> {
  const server = http.createServer(async (request, response) => {
    const { status, contentType, text } = await answer(request, told).catch(() => json(500, {}));
    response.writeHead(status, { 'Content-Type': contentType, 'Cache-Control': 'no-store' });
    response.end(request.method === 'HEAD' ? undefined : text);
  });
  server.listen(address.port, address.host ?? undefined);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host = address.host ?? '127.0.0.1';
  let stopped: Promise<void> | null = null;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    stop() {
      stopped ??= close(server, stopMs);
      return stopped;
    },
  };
}

async function close(server: http.Server, patienceMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), patienceMs);
  await closed;
  clearTimeout(timer);
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

const json = (status: number, body: object): Answer => ({
  status,
  contentType: 'application/json',
  text: `${JSON.stringify(body)}\n`,
});

async function answer(request: http.IncomingMessage, told: Told): Promise<Answer> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return json(405, {});
  switch (request.url?.split('?', 1)[0]) {
    case '/healthz':
      return json(200, { status: 'ok' });
    case '/readyz': {
      const state = told.readiness();
      return json(state.enrolled && state.connected ? 200 : 503, state);
    }
    case '/metrics': {
      const { contentType, body } = await told.metrics();
      return { status: 200, contentType, text: body };
    }
    case '/debug/state':
      return json(200, told.state());
    default:
      return json(404, {});
  }
}
