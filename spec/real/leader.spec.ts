import { deepEqual, equal, notDeepEqual, ok } from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/backendProcess.ts';
import type { ControlPlane } from '../support/kubernetes.ts';
import { clusterKubeconfig, startControlPlane } from '../support/kubernetes.ts';
import type { WholeSystem } from '../support/wholeSystem.ts';
import { startWholeSystem } from '../support/wholeSystem.ts';

const root = join(import.meta.dirname, '../..');
const NAMESPACE = 'proxima-system';
const LEASE = 'proxima-cluster-agent';

/** The Role that the chart gives each agent beside the ClusterRole (DP-23, X-10). */
const role = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'lease', namespace: NAMESPACE },
    rules: [
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        verbs: ['get', 'update'],
        resourceNames: [LEASE],
      },
    ],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'lease', namespace: NAMESPACE },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'lease' },
    subjects: [{ kind: 'ServiceAccount', name: 'proxima-cluster-agent', namespace: NAMESPACE }],
  },
];

interface Lease {
  readonly metadata: { readonly uid: string };
  readonly spec: { readonly holderIdentity: string; readonly leaseTransitions: number };
}

/** Two agents with the waits of production, as processes: one of them is killed. */
describe('two agents on a real Lease', function () {
  this.timeout(240_000);
  let kube: ControlPlane;
  let system: WholeSystem;
  let api: Awaited<ReturnType<WholeSystem['admin']>>;
  const agents = new Map<string, { process: ChildProcess; probes: string; log: () => string }>();
  let env: Record<string, string>;
  /** The pod whose agent was killed. */
  let dead = '';

  async function start(pod: string): Promise<void> {
    const port = await freePort();
    const child = spawn(join(root, 'proxima'), ['agent'], {
      env: {
        ...env,
        POD_NAME: pod,
        PROXIMA_AGENT_DATA_DIR: join(system.dir, pod),
        PROXIMA_METRICS_ADDR: `127.0.0.1:${port}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk));
    agents.set(pod, { process: child, probes: `http://127.0.0.1:${port}`, log: () => text });
  }
  const lease = () => kube.get<Lease>('lease', LEASE, '-n', NAMESPACE);
  const podOf = ({ spec }: Lease): string => spec.holderIdentity.split('_')[0] ?? '';
  async function until<T>(what: string, withinMs: number, look: () => Promise<T | null>): Promise<T> {
    const deadline = performance.now() + withinMs;
    while (performance.now() < deadline) {
      const found = await look().catch(() => null);
      if (found !== null) return found;
      await sleep(250);
    }
    throw new Error(
      `${what}: not within ${withinMs} ms\n${[...agents.values()].map(({ log }) => log()).join('\n')}`,
    );
  }
  interface Row {
    readonly epoch_transitions: number | null;
    readonly snapshot_at: string | null;
  }
  const stored = async (): Promise<Row | null> => {
    const { rows } = await system.database.pool.query<Row>(
      'select epoch_lease_uid, epoch_transitions, snapshot_at::text from clusters where slug = $1',
      ['ha'],
    );
    return rows[0] ?? null;
  };

  before(async () => {
    [kube, system] = await Promise.all([startControlPlane(['--nodes', '1']), startWholeSystem()]);
    for (const name of ['namespace', 'serviceaccount', 'clusterrole', 'clusterrolebinding']) {
      await kube.kubectl(['apply', '-f', join(root, `deploy/k8s/cluster-agent/${name}.yaml`)]);
    }
    await kube.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: role }));
    const token = await kube.kubectl(['-n', NAMESPACE, 'create', 'token', 'proxima-cluster-agent']);
    const kubeconfig = join(system.dir, 'agent.kubeconfig');
    await writeFile(kubeconfig, clusterKubeconfig(kube, token.trim()), { mode: 0o600 });
    const { url } = await system.startBackend();
    api = await system.admin(url);
    const { environmentId } = await api.tenant('acme', 'prod');
    env = {
      PATH: process.env.PATH ?? '',
      PROXIMA_CLUSTER_NAME: 'High availability',
      PROXIMA_CLUSTER_SLUG: 'ha',
      PROXIMA_BACKEND_URL: url,
      PROXIMA_INSTALL_TOKEN: await api.installToken(environmentId),
      PROXIMA_K8S_SYNC_INTERVAL: '2s',
      PROXIMA_LOG_LEVEL: 'info',
      POD_NAMESPACE: NAMESPACE,
      KUBECONFIG: kubeconfig,
    };
  });
  after(async () => {
    for (const { process: child } of agents.values()) child.kill('SIGKILL');
    await Promise.all([system?.stop(), kube?.stop()]);
  });

  it('elects one, of which the inventory and the heartbeats come; both are ready (HA-01, HA-02, HA-06, X-14)', async () => {
    await start('proxima-cluster-agent-0');
    await start('proxima-cluster-agent-1');
    await until('a snapshot under an epoch', 60_000, async () =>
      ((await stored())?.epoch_transitions ?? null) === null ? null : true,
    );
    for (const { probes } of agents.values()) {
      await until('readiness', 30_000, async () =>
        (await fetch(`${probes}/readyz`)).status === 200 ? true : null,
      );
    }
    await until('the statuses of both', 30_000, async () => {
      const fleet = await api.get<{ status: string }[]>('/api/v1/agents');
      const statuses = fleet.map(({ status }) => status).sort();
      return statuses.join() === 'connected,standby' ? true : null;
    });
  });

  it('is taken over within 20 s of the death of its leader, who publishes within 30 s under a higher epoch (HA-03)', async () => {
    const before = await lease();
    dead = podOf(before);
    const killedAt = performance.now();
    const victim = agents.get(dead);
    ok(victim);
    victim.process.kill('SIGKILL');
    await once(victim.process, 'exit');
    agents.delete(dead);
    const held = await until('another holder', 20_000, async () => {
      const now = await lease();
      return podOf(now) === dead ? null : now;
    });
    ok(performance.now() - killedAt < 20_000);
    equal(held.metadata.uid, before.metadata.uid);
    ok(held.spec.leaseTransitions > before.spec.leaseTransitions);
    const row = await until('a snapshot of the new leader', 30_000, async () => {
      const now = await stored();
      return (now?.epoch_transitions ?? 0) === held.spec.leaseTransitions ? now : null;
    });
    ok(
      performance.now() - killedAt < 30_000,
      `published after ${Math.round(performance.now() - killedAt)} ms`,
    );
    ok(row.snapshot_at);
  });

  it('takes the dead one back as a standby, under an identity of its own', async () => {
    const held = await lease();
    await start(dead);
    const back = agents.get(dead);
    ok(back);
    await until('readiness', 30_000, async () =>
      (await fetch(`${back.probes}/readyz`)).status === 200 ? true : null,
    );
    const state = await until('its election', 20_000, async () => {
      const shown = (await (await fetch(`${back.probes}/debug/state`)).json()) as {
        state: unknown;
        election: { leading: boolean; identity: string } | null;
      };
      return shown.election === null ? null : shown;
    });
    deepEqual(state.state, { working: 'standby' });
    notDeepEqual(state.election?.identity, held.spec.holderIdentity);
  });

  it('is handed over at once when its leader is told to stop (OB-09)', async () => {
    const before = await lease();
    const leader = agents.get(podOf(before));
    ok(leader);
    const stoppedAt = performance.now();
    leader.process.kill('SIGTERM');
    const [code] = (await once(leader.process, 'exit')) as [number];
    equal(code, 0);
    await until('another holder', 10_000, async () => {
      const now = await lease();
      return podOf(now) === podOf(before) || podOf(now) === '' ? null : true;
    });
    ok(performance.now() - stoppedAt < 12_000);
    const log = leader.log();
    const order = [
      'no further sync starts',
      'probe server is closed',
      'no sync is running',
      'the Lease is given back',
      'NATS connection is closed',
    ];
    deepEqual(
      order.map((words) => log.indexOf(words)),
      order.map((words) => log.indexOf(words)).sort((a, b) => a - b),
    );
    ok(
      order.every((words) => log.includes(words)),
      log,
    );
  });
});
