/** Live reads of an agent over a real nats-server and the simulated API server, asked as the backend asks. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NatsConnection } from 'nats';
import { createJwtIssuer } from '../../../actors/agentJwt.ts';
import { openKubeAccess } from '../../../agent/kubeAccess.ts';
import { createKubeApi } from '../../../agent/kubeApi.ts';
import { LIVE_BOUNDS, type LiveServer, serveLive } from '../../../agent/live/serve.ts';
import { connectNats } from '../../../agent/natsLink.ts';
import { createIdentity } from '../../../agent/nkey.ts';
import { SimCluster } from '../../../sim/cluster.ts';
import { type SimServer, startSimServer } from '../../../sim/server.ts';
import { checkKubeReply, type KubeQuery, type KubeReply } from '../../../wire/kubeQuery.ts';
import { commandSubject } from '../../../wire/subjects.ts';
import { startNats } from '../../support/nats.ts';
import { keepLog } from '../quietLog.ts';
import { AGENT_ID } from '../samples.ts';
import { temporaryFolder } from '../scripted.ts';

export interface LiveRig {
  readonly cluster: SimCluster;
  readonly sim: SimServer;
  readonly kept: ReturnType<typeof keepLog>;
  readonly live: LiveServer;
  /** The backend's own connection. */
  readonly backend: NatsConnection;
  readonly subject: string;
  /** A Deployment of the cluster that has pods. */
  readonly place: { readonly namespace: string; readonly name: string };
  /** Asks for the Deployment's manifest unless told otherwise; the reply has passed the wire's own check. */
  ask(changes?: Partial<KubeQuery>): Promise<KubeReply>;
  stop(): Promise<void>;
}

export const manifestOf = (place: LiveRig['place'], changes: Partial<KubeQuery> = {}): KubeQuery => ({
  type: 'kube_query',
  schema: 1,
  op: 'manifest',
  kind: 'Deployment',
  ...place,
  container: null,
  tail: null,
  previous: false,
  since_time: null,
  timestamps: false,
  tier: 'read-only',
  actor: 'ada@example.com',
  ...changes,
});

export async function startLiveRig(argo = false): Promise<LiveRig> {
  const folder = await temporaryFolder();
  const nats = await startNats();
  const cluster = new SimCluster({ argo, seed: 7, pods: 40, now: '2026-12-01T05:00:00Z' });
  const sim = await startSimServer(cluster);
  const kubeconfig = join(folder.path, 'kubeconfig');
  await writeFile(kubeconfig, sim.kubeconfig());
  const identity = createIdentity();
  const jwt = await createJwtIssuer({
    account: nats.keys.account.publicKey,
    signingSeed: nats.keys.signing.seed,
  }).issue({ client: 'acme', environment: 'prod', agentId: AGENT_ID }, identity.publicKey);
  const kept = keepLog();
  const link = await connectNats({
    servers: [nats.url],
    caFile: null,
    agentId: AGENT_ID,
    seed: identity.seed,
    jwt: () => jwt,
    refused: () => undefined,
    signal: AbortSignal.timeout(30_000),
    log: kept.log,
  });
  if (link === null) throw new Error('the agent is not connected');
  const access = await openKubeAccess(kubeconfig);
  const api = createKubeApi(access, 'proxima-agent/spec', LIVE_BOUNDS);
  const live = serveLive({ link, agentId: AGENT_ID, api, log: kept.log });
  const backend = await nats.connectAs(nats.backend);
  const subject = commandSubject(AGENT_ID);
  const found = cluster.list('deployments').find(({ spec }) => (spec.replicas ?? 0) > 0);
  if (found === undefined) throw new Error('the cluster has no Deployment with pods');
  const place = { namespace: found.metadata.namespace ?? '', name: found.metadata.name };
  return {
    cluster,
    sim,
    kept,
    live,
    backend,
    subject,
    place,
    async ask(changes) {
      const query = manifestOf(place, changes);
      const { data } = await backend.request(subject, JSON.stringify(query), { timeout: 15_000 });
      const reply: unknown = JSON.parse(new TextDecoder().decode(data));
      const checked = checkKubeReply(query.op, reply);
      if (!checked.ok) throw new Error(`no reply of ours: ${JSON.stringify(checked)}`);
      return checked.value;
    },
    async stop() {
      await live.stop();
      await link.drain();
      await sim.stop();
      await nats.stop();
      await folder.remove();
    },
  };
}
