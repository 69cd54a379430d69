/**
 * How to reach a cluster's API server, and as whom. The one module that uses @kubernetes/client-node, and only its
 * KubeConfig: its API classes open a TLS connection per call and hold whole lists (stack.md section 6).
 */

import { hash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { delimiter } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { openServiceAccount } from './serviceAccount.ts';

const MAX_SOCKETS = 8;

/** What one request needs: the kept-alive connections, and the headers that say who asks. */
export interface Credentials {
  readonly agent: http.Agent;
  readonly headers: Readonly<Record<string, string>>;
}

export interface KubeAccess {
  /** Base URL of the API server without a trailing slash; may have a path (a proxy such as Rancher's). */
  readonly serverUrl: string;
  /** Credentials as they are now: tokens and certificates on disk rotate. Rejects when they can't be read. */
  credentials(): Promise<Credentials>;
  /** Reads the configuration again, for when the server said 401 although nothing seemed to have changed. */
  reload(): Promise<void>;
  /** Closes the idle connections. */
  close(): void;
}

/** Address of the API server as Kubernetes gives it to every pod. */
export interface PodAddress {
  readonly host: string;
  readonly port: string;
}

/** What a pod has: the address, and where the files of its ServiceAccount lie unless that is the usual place. */
export interface Pod {
  readonly address: PodAddress;
  readonly dir?: string;
}

/** The pod that the settings speak of; null outside of one. */
export const podOf = (config: { readonly podAddress: PodAddress | null }, dir?: string): Pod | null =>
  config.podAddress === null ? null : { address: config.podAddress, ...(dir === undefined ? {} : { dir }) };

/**
 * Access by `kubeconfig` (one path or several, as in KUBECONFIG), else by the pod's ServiceAccount. Throws a message
 * that names both ways when there is neither: falling back to ~/.kube/config could report a stranger's cluster.
 */
export async function openKubeAccess(kubeconfig: string | null, pod: Pod | null = null): Promise<KubeAccess> {
  if (kubeconfig !== null) return openKubeconfig(kubeconfig);
  if (pod === null) {
    throw new Error('no KUBECONFIG is set and this is not a pod with a ServiceAccount token');
  }
  return openServiceAccount(pod);
}

async function openKubeconfig(kubeconfig: string): Promise<KubeAccess> {
  let config = await load(kubeconfig);
  const serverUrl = serverOf(config);
  let connections: { agent: http.Agent; material: string } | null = null;

  return {
    serverUrl,
    async credentials() {
      const options: https.RequestOptions = {};
      await config.applyToHTTPSOptions(options);
      const material = tlsMaterial(options);
      if (connections?.material !== material) {
        // Requests in flight finish on the old connections, which the server then closes as idle.
        connections = { agent: openConnections(serverUrl, config, options), material };
      }
      return { agent: connections.agent, headers: headersOf(options) };
    },
    async reload() {
      config = await load(kubeconfig);
    },
    close() {
      connections?.agent.destroy();
      connections = null;
    },
  };
}

async function load(kubeconfig: string): Promise<KubeConfig> {
  // 470 ms and 70 MB: paid only outside of a pod.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  const [first = '', ...others] = kubeconfig.split(delimiter).filter((path) => path !== '');
  config.loadFromFile(first);
  for (const path of others) {
    const further = new KubeConfig();
    further.loadFromFile(path);
    config.mergeConfig(further, true);
  }
  // The library refuses plain http unless verification is off; over http there is nothing to verify.
  config.clusters = config.clusters.map((cluster) =>
    cluster.server.startsWith('http:') ? { ...cluster, skipTLSVerify: true } : cluster,
  );
  return config;
}

function serverOf(config: KubeConfig): string {
  const server = config.getCurrentCluster()?.server;
  if (server === undefined || !URL.canParse(server)) {
    throw new Error('the kubeconfig names no current cluster with a server URL');
  }
  return server.replace(/\/+$/, '');
}

function openConnections(serverUrl: string, config: KubeConfig, options: https.RequestOptions): http.Agent {
  // A cluster behind a proxy keeps the connections that the library opens through it.
  if (config.getCurrentCluster()?.proxyUrl && options.agent instanceof http.Agent) return options.agent;
  const kept = { keepAlive: true, keepAliveMsecs: 30_000, maxSockets: MAX_SOCKETS };
  if (serverUrl.startsWith('http:')) return new http.Agent(kept);
  const { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername } = options;
  const given = { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername };
  return new https.Agent({
    ...kept,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  });
}

/** One text per set of certificates, so that a rotated one opens new connections. */
const tlsMaterial = (options: https.RequestOptions): string =>
  [options.ca, options.cert, options.key]
    .map((part) => (part === undefined ? '' : hash('sha256', Buffer.from(part as Buffer))))
    .join(' ');

function headersOf(options: https.RequestOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    // A token file may end with a newline, which node:http refuses in a header.
    if (value !== undefined) headers[name] = String(value).trim();
  }
  if (options.auth) headers.Authorization = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  return headers;
}
