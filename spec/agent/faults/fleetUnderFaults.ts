/** Two agents that compete for a Lease on a simulated cluster full of markers, for schedules of faults. */

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createJwtIssuer } from '../../../actors/agentJwt.ts';
import { readConfig } from '../../../agent/config.ts';
import type { RunningAgent } from '../../../agent/main.ts';
import { startAgent } from '../../../agent/main.ts';
import { SimCluster } from '../../../sim/cluster.ts';
import type { SimServer } from '../../../sim/server.ts';
import { startSimServer } from '../../../sim/server.ts';
import { COVERED_RESOURCES } from '../../../wire/coverage.ts';
import type { EnrollRequest } from '../../../wire/enroll.ts';
import type { NatsUnderTest } from '../../support/nats.ts';
import { keepLog } from '../quietLog.ts';
import { enrollmentOf } from '../samples.ts';
import { answer, startScripted, temporaryFolder, writeKubeconfig } from '../scripted.ts';

const TrueDate = globalThis.Date;

/** Moves the wall clock of everything in this process; the returned function puts it right again. */
export function jumpClock(ms: number): () => void {
  globalThis.Date = class extends TrueDate {
    constructor(...at: [] | ConstructorParameters<DateConstructor>) {
      if (at.length === 0) super(TrueDate.now() + ms);
      else super(...(at as [number]));
    }
    static override now(): number {
      return TrueDate.now() + ms;
    }
  } as DateConstructor;
  return () => {
    globalThis.Date = TrueDate;
  };
}

/** A fifteenth of what production waits. */
const LEASE = { durationMs: 1000, renewDeadlineMs: 600, retryMs: 120 };
const NAMESPACE = 'kube-system';

export interface FleetUnderFaults {
  readonly cluster: SimCluster;
  readonly server: SimServer;
  /** Client slug of these agents: their subjects begin with it. */
  readonly client: string;
  /** Texts that must never leave the cluster. */
  readonly markers: readonly string[];
  /** Objects of each listed resource; the cluster stands still. */
  readonly counts: Readonly<Record<string, number>>;
  /** Ends an agent without giving its Lease back, and starts another under its name, as a crash does. */
  crash(index: number): Promise<void>;
  stop(): Promise<void>;
}

/** What stands still in the cluster: metrics are measured anew, and of ReplicaSets nothing is sent. */
const RESOURCES = COVERED_RESOURCES.filter(
  (resource) => resource !== 'node_metrics' && resource !== 'replicasets',
);

export async function startFleetUnderFaults(nats: NatsUnderTest, seed: string): Promise<FleetUnderFaults> {
  const cluster = new SimCluster({ seed, pods: 60, argo: true, now: new Date() });
  const markers = plantMarkers(cluster, seed);
  const server = await startSimServer(cluster);
  const folder = await temporaryFolder();
  const client = `c-${randomUUID().slice(0, 8)}`;
  const issuer = createJwtIssuer({
    account: nats.keys.account.publicKey,
    signingSeed: nats.keys.signing.seed,
    // Somebody else's clock: it does not jump with the agents'.
    now: () => new TrueDate(),
  });
  const backend = await startScripted(async ({ url, body }, response) => {
    // Each name keeps its identity, as with the real backend.
    const name = (JSON.parse(body) as EnrollRequest).name ?? url.pathname.split('/').at(-2);
    const nkey = (JSON.parse(body) as EnrollRequest).nkey;
    const known = identities.get(name) ?? { agentId: randomUUID(), nkey };
    identities.set(name, known);
    identities.set(known.agentId, known);
    const jwt = await issuer.issue({ client, environment: 'prod', agentId: known.agentId }, known.nkey);
    const placed = { agent_id: known.agentId, client, environment: 'prod' };
    answer(response, 200, enrollmentOf({ ...placed, nats_url: nats.url, jwt, heartbeat_seconds: 1 }));
  });
  const identities = new Map<string, { agentId: string; nkey: string }>();
  const kubeconfig = await writeKubeconfig(folder.path, server.url, 'simulated-administrator');
  const start = (name: string): Promise<RunningAgent> => {
    const read = readConfig({
      PROXIMA_CLUSTER_NAME: 'Faulty',
      PROXIMA_BACKEND_URL: backend.url,
      PROXIMA_INSTALL_TOKEN: 'token',
      PROXIMA_AGENT_DATA_DIR: join(folder.path, name),
      PROXIMA_METRICS_ADDR: '127.0.0.1:0',
      PROXIMA_K8S_SYNC_INTERVAL: '1s',
      POD_NAME: name,
      POD_NAMESPACE: NAMESPACE,
      KUBECONFIG: kubeconfig,
    });
    if (!read.ok) throw new Error(read.faults.join());
    return startAgent(read.config, { log: keepLog().log, leaseTimings: LEASE });
  };
  const names = ['proxima-cluster-agent-0', 'proxima-cluster-agent-1'];
  const agents = await Promise.all(names.map(start));
  return {
    cluster,
    server,
    client,
    markers,
    counts: Object.fromEntries(
      RESOURCES.map((resource) => [resource, cluster.list(resource as 'pods').length]),
    ),
    async crash(index) {
      const [name = ''] = names.slice(index, index + 1);
      // Its writes fail while it stops, so that the Lease has to run out.
      server.faults.add({ kind: 'broken', resource: 'leases', verb: 'update', times: 20 });
      await agents[index]?.stop();
      server.faults.clear();
      agents[index] = await start(name);
    },
    async stop() {
      await Promise.all(agents.map((agent) => agent.stop()));
      await backend.stop();
      await server.stop();
      await folder.remove();
    },
  };
}

/** Secrets where Kubernetes users leave them: values, arguments, annotations, copies, messages, URLs, Helm values. */
function plantMarkers(cluster: SimCluster, seed: string): string[] {
  const markers: string[] = [];
  const marker = (): string => {
    const text = `m4rker${seed.replace(/\W/g, '')}x${markers.length}q`;
    markers.push(text);
    return text;
  };
  for (const resource of [
    'deployments',
    'statefulsets',
    'daemonsets',
    'rollouts',
    'services',
    'ingresses',
  ] as const) {
    for (const { metadata } of cluster.list(resource).slice(0, 3)) {
      cluster.annotate(resource, metadata.namespace ?? '', metadata.name, {
        'example.com/db-password': marker(),
        'kubectl.kubernetes.io/last-applied-configuration': `{"env":[{"value":"${marker()}"}]}`,
        'example.com/note': `connect with password=${marker()} please`,
        'example.com/url': `https://user:${marker()}@host.example/path`,
      });
    }
  }
  for (const resource of ['deployments', 'rollouts'] as const) {
    for (const { metadata } of cluster.list(resource).slice(0, 3)) {
      cluster.editConfig(resource, metadata.namespace ?? '', metadata.name, {
        env: { DB_PASSWORD: marker(), PLAIN: marker() },
      });
    }
  }
  for (const event of cluster.list('events').slice(0, 5)) {
    cluster.store.put('events', { ...event, message: `Authorization: Bearer ${marker()} was refused` });
  }
  for (const application of cluster.list('applications').slice(0, 3)) {
    const spec = application.spec as Readonly<Record<string, unknown>>;
    cluster.store.put('applications', {
      ...application,
      spec: {
        ...spec,
        source: {
          repoURL: `https://git:${marker()}@git.example/repo?token=${marker()}#${marker()}`,
          path: 'app',
          helm: { values: `password: ${marker()}`, parameters: [{ name: 'x', value: marker() }] },
          plugin: { env: [{ name: 'TOKEN', value: marker() }] },
          kustomize: { patches: [{ patch: marker() }] },
        },
      },
    } as typeof application);
  }
  return markers;
}
