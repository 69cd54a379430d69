/**
 * Access to the API server as the pod's ServiceAccount, by the files that the kubelet keeps in every pod
 * (https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/). Without the Kubernetes client library, which
 * costs the agent 70 MB: here there is nothing that it would be needed for.
 */

import { readFile } from 'node:fs/promises';
import https from 'node:https';
import { join } from 'node:path';
import type { KubeAccess } from './kubeAccess.ts';

/** Where a pod finds its token, the CA of the API server, and its namespace. */
export const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The kubelet writes a new token when four fifths of the old one have passed; client-go looks as often. */
const READ_AGAIN_MS = 60_000;
const MAX_SOCKETS = 8;

interface Files {
  readonly token: string;
  readonly ca: string;
  readonly readAt: number;
}

/**
 * Access to the server at `address`, as Kubernetes names it to every pod. Rejects with a message for the operator when
 * the token or the CA can't be read.
 */
export async function openServiceAccount(o: {
  readonly address: { readonly host: string; readonly port: string };
  readonly dir?: string;
  readonly readAgainMs?: number;
}): Promise<KubeAccess> {
  const dir = o.dir ?? SERVICE_ACCOUNT_DIR;
  const readAgainMs = o.readAgainMs ?? READ_AGAIN_MS;
  const { host, port } = o.address;

  const read = async (): Promise<Files> => {
    const [token, ca] = await Promise.all(
      ['token', 'ca.crt'].map((name) =>
        readFile(join(dir, name), 'utf8').catch((cause) => {
          throw new Error(`${name} of the pod's ServiceAccount cannot be read`, { cause });
        }),
      ),
    );
    if (!token?.trim() || !ca) throw new Error("the token of the pod's ServiceAccount is empty");
    return { token: token.trim(), ca, readAt: performance.now() };
  };
  let files = await read();
  let connections = open(files.ca);

  /** Requests in flight finish on the connections of the old CA. */
  const take = (fresh: Files): void => {
    if (fresh.ca !== files.ca) connections = open(fresh.ca);
    files = fresh;
  };

  return {
    serverUrl: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    async credentials() {
      // A token that cannot be read now is good for some time yet: the server decides.
      if (performance.now() - files.readAt >= readAgainMs) await read().then(take, () => undefined);
      return { agent: connections, headers: { Authorization: `Bearer ${files.token}` } };
    },
    async reload() {
      take(await read());
    },
    close: () => connections.destroy(),
  };
}

const open = (ca: string): https.Agent =>
  new https.Agent({ keepAlive: true, keepAliveMsecs: 30_000, maxSockets: MAX_SOCKETS, ca });
