import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A request as the scripted server received it. */
export interface Received {
  readonly method: string;
  readonly url: URL;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export type Script = (request: Received, response: http.ServerResponse) => void | Promise<void>;

export interface ScriptedServer {
  readonly url: string;
  readonly received: Received[];
  /** Connections that were opened so far. */
  connections(): number;
  stop(): Promise<void>;
}

/** A remote server that answers what the script says, for the answers that no real server gives on demand. */
export async function startScripted(script: Script): Promise<ScriptedServer> {
  const received: Received[] = [];
  let opened = 0;
  const server = http.createServer(async (incoming, response) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    const request = {
      method: incoming.method ?? '',
      url: new URL(incoming.url ?? '', 'http://scripted'),
      headers: incoming.headers,
      body,
    };
    received.push(request);
    await script(request, response);
  });
  server.on('connection', () => {
    opened += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    connections: () => opened,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers JSON. */
export function answer(
  response: http.ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** A folder of its own under the system's temporary one. */
export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'proxima-agent-spec-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Writes a kubeconfig for a server, with a bearer token, and returns its path. */
export async function writeKubeconfig(folder: string, server: string, token: string): Promise<string> {
  const path = join(folder, 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'spec',
    clusters: [{ name: 'spec', cluster: { server } }],
    users: [{ name: 'spec', user: { token } }],
    contexts: [{ name: 'spec', context: { cluster: 'spec', user: 'spec' } }],
  };
  await writeFile(path, JSON.stringify(config));
  return path;
}
