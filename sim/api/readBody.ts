import type { IncomingMessage } from 'node:http';

/** The API server reads no body larger than this. */
const maxBytes = 3 * 1024 * 1024;

/** The text of a request's body, or null when it is too large. */
export async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes).toString();
}
