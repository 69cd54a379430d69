import { createJwtIssuer } from '../../actors/agentJwt.ts';
import { connectNats, type NatsLink } from '../../actors/natsLink.ts';
import type { AgentConfig } from '../../agent/config.ts';
import { readConfig } from '../../agent/config.ts';
import type { RunningAgent } from '../../agent/main.ts';
import { startAgent } from '../../agent/main.ts';
import type { EnrollRequest } from '../../wire/enroll.ts';
import { decodeSnapshot } from '../../wire/inventory.ts';
import type { Snapshot } from '../../wire/snapshot.ts';
import type { NatsUnderTest } from '../support/nats.ts';
import { startNats } from '../support/nats.ts';
import { keepLog } from './quietLog.ts';
import { AGENT_ID, enrollmentOf } from './samples.ts';
import type { Script, ScriptedServer } from './scripted.ts';
import { answer, startScripted, temporaryFolder, writeKubeconfig } from './scripted.ts';

export const CLUSTER_UID = '11111111-2222-4333-8444-555555555555';

/** A nats-server with the stream, as the backend sets it up. */
export interface Stream {
  readonly nats: NatsUnderTest;
  readonly backend: NatsLink;
  /** The next snapshot; null when none came within the time. */
  next(withinMs?: number): Promise<Snapshot | null>;
  stop(): Promise<void>;
}

export async function startStream(): Promise<Stream> {
  const nats = await startNats();
  const backend = await connectNats(nats.backend, 10_000, () => undefined);
  await backend.ensureStream({ maxBytes: 256 * 1024 * 1024, ackWaitMs: 30_000 });
  return {
    nats,
    backend,
    async next(withinMs = 10_000) {
      const delivery = await backend.pull(withinMs);
      if (delivery === null) return null;
      delivery.ack();
      const decoded = await decodeSnapshot(delivery.bytes, delivery.contentEncoding);
      if (!decoded.ok) throw new Error(`${decoded.path} ${decoded.problem}`);
      return decoded.snapshot;
    },
    async stop() {
      await backend.close();
      await nats.stop();
    },
  };
}

/** What a spec changes about the two remote servers of an agent. */
export interface RigScripts {
  /** Answers of the Kubernetes API before the standard ones; true when it answered. */
  kubernetes?(...request: Parameters<Script>): boolean | Promise<boolean>;
  /** The same for the backend's enrollment and renewal. */
  backend?(...request: Parameters<Script>): boolean | Promise<boolean>;
}

export interface Rig {
  readonly kubernetes: ScriptedServer;
  readonly backend: ScriptedServer;
  readonly dataDir: string;
  /** The environment of an agent on these servers. */
  env(changes?: Record<string, string>): Record<string, string>;
  config(changes?: Record<string, string>): AgentConfig;
  /** Starts an agent that `stop` ends. */
  start(changes?: Record<string, string>): Promise<RunningAgent>;
  readonly kept: ReturnType<typeof keepLog>;
  /** A JWT for this nkey as the backend signs it. */
  jwt(nkey: string, o?: { lifeSeconds?: number; now?: () => Date }): Promise<string>;
  stop(): Promise<void>;
}

/** An empty cluster and a backend that enrolls everyone, both scripted; NATS is real. */
export async function startRig(stream: Stream, scripts: RigScripts = {}): Promise<Rig> {
  const folder = await temporaryFolder();
  const kept = keepLog();
  const agents = new Set<RunningAgent>();
  const { nats } = stream;
  let bound = '';
  const jwt: Rig['jwt'] = (nkey, o = {}) =>
    createJwtIssuer({
      account: nats.keys.account.publicKey,
      signingSeed: nats.keys.signing.seed,
      ...o,
    }).issue({ client: 'acme', environment: 'prod', agentId: AGENT_ID }, nkey);
  // One candidate only: whoever writes holds it. Competition is played on the simulated cluster.
  let held: object | null = null;
  const lease: (...request: Parameters<Script>) => void = (request, response) => {
    if (request.method === 'GET' && held === null)
      return answer(response, 404, { kind: 'Status', reason: 'NotFound' });
    if (request.method !== 'GET') {
      const written = JSON.parse(request.body) as { metadata: object };
      held = { ...written, metadata: { ...written.metadata, uid: 'lease-uid', resourceVersion: '1' } };
    }
    answer(response, 200, held ?? {});
  };
  const kubernetes = await startScripted(async (request, response) => {
    if (await scripts.kubernetes?.(request, response)) return;
    const { pathname } = request.url;
    if (pathname === '/version') return answer(response, 200, { gitVersion: 'v1.37.2' });
    if (pathname === '/api/v1/namespaces/kube-system') {
      return answer(response, 200, { metadata: { name: 'kube-system', uid: CLUSTER_UID } });
    }
    if (pathname.startsWith('/apis/metrics.k8s.io')) {
      response.writeHead(404, { 'Content-Type': 'text/plain' });
      response.end('404 page not found\n');
      return;
    }
    if (pathname.startsWith('/apis/coordination.k8s.io')) return lease(request, response);
    answer(response, 200, { items: [], metadata: {} });
  });
  const backend = await startScripted(async (request, response) => {
    if (await scripts.backend?.(request, response)) return;
    if (request.url.pathname.endsWith('/enroll')) bound = (JSON.parse(request.body) as EnrollRequest).nkey;
    answer(response, 200, enrollmentOf({ nats_url: nats.url, jwt: await jwt(bound), heartbeat_seconds: 1 }));
  });
  const kubeconfig = await writeKubeconfig(folder.path, kubernetes.url, 'token');
  const dataDir = `${folder.path}/data`;

  const env: Rig['env'] = (changes = {}) => ({
    PROXIMA_CLUSTER_NAME: 'Prod',
    PROXIMA_BACKEND_URL: backend.url,
    PROXIMA_INSTALL_TOKEN: 'hunter2',
    PROXIMA_AGENT_DATA_DIR: dataDir,
    PROXIMA_METRICS_ADDR: '127.0.0.1:0',
    KUBECONFIG: kubeconfig,
    ...changes,
  });
  const config: Rig['config'] = (changes) => {
    const read = readConfig(env(changes));
    if (!read.ok) throw new Error(read.faults.join());
    return read.config;
  };
  return {
    kubernetes,
    backend,
    dataDir,
    env,
    config,
    kept,
    jwt,
    async start(changes) {
      const agent = await startAgent(config(changes), { log: kept.log });
      agents.add(agent);
      return agent;
    },
    async stop() {
      await Promise.all([...agents].map((agent) => agent.stop()));
      await kubernetes.stop();
      await backend.stop();
      await folder.remove();
    },
  };
}
