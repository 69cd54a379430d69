/** Bare requests to a Kubernetes API, real or simulated, for specs that look at the answer itself. */
import { readFileSync } from 'node:fs';
import { request as plain } from 'node:http';
import { request as tls } from 'node:https';
import { parse } from 'yaml';

/** Where to ask, and as whom. */
export interface Asked {
  readonly url: string;
  readonly token: string;
  /** PEM; null for plain HTTP. */
  readonly ca: string | null;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

export interface Question {
  readonly method?: string;
  readonly path: string;
  readonly accept?: string;
  readonly body?: unknown;
  /** Replaces the asker's token. */
  readonly token?: string;
}

const TIMEOUT_MS = 20_000;

/** Sends one request on a connection of its own. Throws on a network fault or after 20 s. */
export function ask(where: Asked, { method = 'GET', path, accept, body, token }: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = (where.ca === null ? plain : tls)(
      new URL(path, where.url),
      {
        method,
        headers: {
          authorization: `Bearer ${token ?? where.token}`,
          accept: accept ?? 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        agent: false,
        timeout: TIMEOUT_MS,
        ...(where.ca === null ? {} : { ca: where.ca }),
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            contentType: incoming.headers['content-type'] ?? '',
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer to ${method} ${path}`)));
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** PEM of the certificate authority in a kubeconfig file. */
export function certificateAuthority(kubeconfig: string): string {
  const config = parse(readFileSync(kubeconfig, 'utf8')) as {
    clusters: { cluster: { 'certificate-authority-data'?: string; 'certificate-authority'?: string } }[];
  };
  const cluster = config.clusters[0]?.cluster ?? {};
  const file = cluster['certificate-authority'];
  return file === undefined
    ? Buffer.from(cluster['certificate-authority-data'] ?? '', 'base64').toString()
    : readFileSync(file, 'utf8');
}
