/** An HTTP server in the place of a store: it keeps what it is sent, and answers as it is told. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

export interface StoreRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  /** Unpacked. */
  readonly bytes: Buffer;
  readonly body: string;
}

export interface RecordingStore {
  readonly url: string;
  readonly requests: StoreRequest[];
  answer(status: number | null): void;
  stop(): Promise<void>;
}

export async function startRecordingStore(): Promise<RecordingStore> {
  const requests: StoreRequest[] = [];
  let status: number | null = 204;
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const sent = Buffer.concat(chunks);
      const bytes = incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      requests.push({
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        bytes,
        body: bytes.toString(),
      });
      if (status !== null) response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer(next) {
      status = next;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
