import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Answer } from './answer.ts';

const compress = promisify(gzip);

/** The API server compresses answers above this size, for clients that accept it. */
const gzipFromBytes = 128 * 1024;

/** Sends an answer; with `cutAfterBytes` the connection breaks after so much of the body (null: half of it). */
export async function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  cutAfterBytes?: number | null,
): Promise<void> {
  const { status, contentType, headers = {} } = answer;
  let body: Buffer = Buffer.from(answer.body);
  response.statusCode = status;
  response.setHeader('Cache-Control', 'no-cache, private');
  if (contentType !== null) response.setHeader('Content-Type', contentType);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (body.length > gzipFromBytes && /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) {
    body = await compress(body, { level: constants.Z_BEST_SPEED });
    response.setHeader('Content-Encoding', 'gzip');
    response.setHeader('Vary', 'Accept-Encoding');
  }
  if (status !== 204) response.setHeader('Content-Length', body.length);
  if (cutAfterBytes === undefined) {
    response.end(body);
    return;
  }
  const sent = body.subarray(0, cutAfterBytes ?? Math.floor(body.length / 2));
  // The length promises the whole body, so the client can see that it got less.
  response.write(sent, () => response.destroy());
}
