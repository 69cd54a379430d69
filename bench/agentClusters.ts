/** The clusters of the agent's bench, each with the files of a ServiceAccount that may read it. */

import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { selfSigned } from '../sim/certificate.ts';
import { SimCluster } from '../sim/cluster.ts';
import { defaultToken, startSimServer } from '../sim/server.ts';
import type { ControlPlane } from './controlPlane.ts';
import { startControlPlane } from './controlPlane.ts';

/** An API server, as a pod is told of it. */
export interface BenchCluster {
  readonly host: string;
  readonly port: string;
  /** Folder with `token` and `ca.crt`. */
  readonly account: string;
  /** Requests answered so far; null where nobody counts. */
  requests(): number | null;
  stop(): Promise<void>;
}

/** A simulated cluster behind TLS. */
export async function simulatedCluster(o: {
  readonly dir: string;
  readonly pods: number;
  /** At least so many. */
  readonly replicaSets?: number;
  readonly delayMs?: number;
}): Promise<BenchCluster> {
  const cluster = new SimCluster({ seed: o.pods, pods: o.pods, argo: true, now: new Date() });
  addReplicaSets(cluster, o.replicaSets ?? 0);
  const sim = await startSimServer(cluster);
  if (o.delayMs !== undefined) sim.faults.add({ kind: 'slow', delayMs: o.delayMs, verb: 'list' });
  const { certificate, key } = selfSigned();
  const front = await startTlsFront(sim.url, certificate, key);
  return {
    host: '127.0.0.1',
    port: front.port,
    account: await writeAccount(o.dir, certificate, defaultToken),
    requests: () => sim.requests.length,
    async stop() {
      await front.stop();
      await sim.stop();
    },
  };
}

/** Old ones, as they pile up behind Deployments. */
function addReplicaSets(cluster: SimCluster, count: number): void {
  const sets = cluster.list('replicasets');
  for (let i = sets.length; i < count; i += 1) {
    const like = sets[i % sets.length];
    if (like === undefined) return;
    const { name, uid } = like.metadata;
    cluster.store.put('replicasets', {
      ...like,
      metadata: { ...like.metadata, name: `${name}-${i}`, uid: `${uid}-${i}` },
    });
  }
}

async function startTlsFront(
  url: string,
  cert: string,
  key: string,
): Promise<{ port: string; stop(): Promise<void> }> {
  const server = https.createServer({ cert, key }, (incoming, outgoing) => {
    const passed = http.request(
      new URL(incoming.url ?? '/', url),
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: String((server.address() as AddressInfo).port),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Pods of one create call; kubectl sends them one by one, within its own limit of requests. */
const AT_ONCE = 1000;
const NODES = 12;
const CA_DATA = '{.clusters[0].cluster.certificate-authority-data}';

/** A real control plane (SERVICES names the folder of its launcher) with pods on simulated nodes, minutes to fill. */
export async function realCluster(o: { readonly dir: string; readonly pods: number }): Promise<BenchCluster> {
  const kube = await startControlPlane(['--nodes', String(NODES), '--metrics']);
  try {
    const role = join(import.meta.dirname, '../deploy/k8s/cluster-agent/clusterrole.yaml');
    await kube.kubectl(['apply', '-f', role]);
    await kube.kubectl(['create', 'serviceaccount', 'bench', '-n', 'default']);
    const binding = ['--clusterrole=proxima-cluster-agent', '--serviceaccount=default:bench'];
    await kube.kubectl(['create', 'clusterrolebinding', 'bench', ...binding]);
    const names = (await kube.kubectl(['get', 'nodes', '-o', 'name'])).trim().split('\n');
    for (let from = 0; from < o.pods; from += AT_ONCE) {
      const items = Array.from({ length: Math.min(AT_ONCE, o.pods - from) }, (_, i) =>
        podOn(names[(from + i) % names.length]?.replace('node/', '') ?? '', from + i),
      );
      await kube.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    }
    await untilRunning(kube, o.pods);
    const token = await kube.kubectl(['create', 'token', 'bench', '-n', 'default']);
    const ca = await kube.kubectl(['config', 'view', '--raw', '-o', `jsonpath=${CA_DATA}`]);
    const account = await writeAccount(o.dir, Buffer.from(ca, 'base64').toString(), token);
    const { hostname, port } = kube.url;
    return { host: hostname, port, account, requests: () => null, stop: kube.stop };
  } catch (error) {
    await kube.stop();
    throw error;
  }
}

function podOn(nodeName: string, index: number): object {
  const workload = `service-${Math.floor(index / 20)}`;
  const env = Array.from({ length: 16 }, (_, i) => ({
    name: `SETTING_${i}`,
    value: `value-${i}-of-${workload}`,
  }));
  const resources = {
    requests: { cpu: '50m', memory: '64Mi' },
    limits: { cpu: '500m', memory: '256Mi' },
  };
  const labels = {
    'app.kubernetes.io/name': workload,
    'app.kubernetes.io/part-of': 'bench',
    'app.kubernetes.io/version': '1.2.3',
    tier: 'backend',
  };
  const container = (name: string) => ({
    name,
    image: `registry.example/bench/${workload}-${name}:1.2.3`,
    env,
    resources,
    ports: [{ name: 'http', containerPort: 8080 }],
    readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name: `${workload}-${index}`, labels },
    spec: { nodeName, containers: [container('main'), container('proxy')] },
  };
}

async function untilRunning(kube: ControlPlane, pods: number): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) {
    const running = await kube.kubectl([
      ...['get', 'pods', '-n', 'default', '-o', 'name'],
      '--field-selector=status.phase=Running',
    ]);
    if (running.split('\n').length > pods) return;
    await sleep(5_000);
  }
  throw new Error(`${pods} pods did not run in time`);
}

async function writeAccount(dir: string, ca: string, token: string): Promise<string> {
  const account = await mkdtemp(join(dir, 'account-'));
  await writeFile(join(account, 'ca.crt'), ca);
  await writeFile(join(account, 'token'), token);
  return account;
}
