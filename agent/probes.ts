/** The agent's HTTP server: probes (OB-07, OB-08). */

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

/**
 * Serves `/healthz`, which answers 200 as long as the process lives, and `/readyz`, which answers 200 only while enrolled
 * and connected to NATS, else 503. Rejects when the address cannot be bound.
 */
export async function startProbes(
  address: ListenAddress,
  readiness: () => Readiness,
  stopMs = STOP_MS,
): Promise<ProbeServer> {
  const server = http.createServer((request, response) => {
    const { status, body } = answer(request, readiness);
    response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
    response.end(request.method === 'HEAD' ? undefined : `${JSON.stringify(body)}\n`);
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

function answer(request: http.IncomingMessage, readiness: () => Readiness): { status: number; body: object } {
  if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, body: {} };
  switch (request.url?.split('?', 1)[0]) {
    case '/healthz':
      return { status: 200, body: { status: 'ok' } };
    case '/readyz': {
      const state = readiness();
      return { status: state.enrolled && state.connected ? 200 : 503, body: state };
    }
    default:
      return { status: 404, body: {} };
  }
}
