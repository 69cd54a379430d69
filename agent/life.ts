/**
 * The agent's life: what `machines/collector` only names is provided here. What runs is opened in one order and closed in
 * the reverse one.
 */

import { randomBytes } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createActor, fromCallback, fromPromise, waitFor } from 'xstate';
import type { CollectorEvent, Step, Term } from '../machines/collector.ts';
import { collectorMachine } from '../machines/collector.ts';
import type { AgentConfig } from './config.ts';
import type { Ending } from './ending.ts';
import type { KubeAccess } from './kubeAccess.ts';
import { openKubeAccess, podOf } from './kubeAccess.ts';
import type { KubeApi } from './kubeApi.ts';
import { createKubeApi, KubeError } from './kubeApi.ts';
import type { LeaseTimings } from './leader.ts';
import { startElection } from './leader.ts';
import type { LiveServer } from './live/serve.ts';
import { LIVE_BOUNDS, serveLive } from './live/serve.ts';
import type { Log } from './log.ts';
import type { AgentMetrics } from './metrics.ts';
import { connectNats } from './natsLink.ts';
import type { Parts } from './parts.ts';
import type { ProbeServer } from './probes.ts';
import type { Renewal } from './renew.ts';
import { renew, startRenewal } from './renew.ts';
import { SERVICE_ACCOUNT_DIR } from './serviceAccount.ts';
import type { Session } from './session.ts';
import { openSession } from './session.ts';
import type { StateStore } from './state.ts';
import { openStateStore } from './state.ts';
import { createSync } from './sync.ts';
import { startTerm } from './term.ts';
import { AGENT_VERSION } from './version.ts';

const UID_DEADLINE_MS = 30_000;
const USER_AGENT = `proxima-agent/${AGENT_VERSION}`;

export interface Life {
  readonly config: AgentConfig;
  readonly parts: Parts;
  readonly probes: ProbeServer;
  readonly metrics: AgentMetrics;
  readonly ending: Ending;
  readonly log: Log;
  readonly leaseTimings?: LeaseTimings;
  /** Where the files of the ServiceAccount lie; their usual place without. */
  readonly serviceAccountDir?: string;
}

/** What one life opens, in this order. */
interface Opened {
  kube?: KubeAccess;
  api?: KubeApi;
  store?: StateStore;
  /** Enrolled in this life. */
  fresh: boolean;
  renewal?: Renewal;
  live?: LiveServer;
  /** The step of the way that is under way; cancelled by `ending.signal`, it still has to come to its end. */
  step: Promise<unknown>;
}

/** One life of the agent. Resolves when all is closed, after `ending` was called or the agent had to end. Never rejects. */
export async function live(o: Life): Promise<void> {
  const { ending, parts } = o;
  const opened: Opened = { fresh: false, step: Promise.resolve() };
  /** A step of the way; what breaks in it ends the agent as failed. */
  const step = (work: () => Promise<Step>) =>
    fromPromise<Step>(() => {
      const done = work().catch((error): Step => {
        ending.end({ kind: 'failed', error });
        return 'cancelled';
      });
      opened.step = done;
      return done;
    });
  const actor = createActor(
    collectorMachine.provide({
      actors: {
        enroll: step(() => enroll(o, opened)),
        connect: step(() => connect(o, opened)),
        elect: fromCallback<CollectorEvent>(({ sendBack }) => {
          elect(o, opened, sendBack).catch((error) => ending.end({ kind: 'failed', error }));
        }),
        lead: fromCallback<CollectorEvent, Term>(({ input }) => startTerm(o, input)),
        drain: fromPromise<void>(() => drain(o, opened)),
      },
    }),
  );
  actor.subscribe({
    next: (snapshot) => parts.entered(snapshot.value),
    // A fault of the machine itself; every step above reports its own.
    error: (error) => ending.end({ kind: 'failed', error }),
  });
  actor.start();
  void ending.called.then(() => actor.send({ type: 'end.called' }));
  await waitFor(actor, (snapshot) => snapshot.status !== 'active').catch((error) =>
    ending.end({ kind: 'failed', error }),
  );
  await o.probes.stop();
}

/** From the settings to an identity, on disk or asked for. */
async function enroll(o: Life, opened: Opened): Promise<Step> {
  const { config, ending, log } = o;
  await requireCaFile(config);
  opened.kube = await openKubeAccess(config.kubeconfig, podOf(config, o.serviceAccountDir));
  const api = createKubeApi(opened.kube, USER_AGENT);
  const store = openStateStore(config.dataDir);
  opened.api = api;
  opened.store = store;
  const outcome = await openSession({
    config,
    store,
    clusterUid: (signal) => readClusterUid(api, signal, log),
    signal: ending.signal,
    log,
  });
  if (outcome.kind === 'refused') ending.end(outcome);
  if (outcome.kind !== 'enrolled') return outcome.kind;
  o.parts.session = outcome.session;
  opened.fresh = outcome.fresh;
  return 'done';
}

/** Enrolled: keeps the credentials fresh and connects to NATS, for as long as that takes. */
async function connect(o: Life, opened: Opened): Promise<Step> {
  const { config, ending, log, metrics, parts } = o;
  const { session } = parts;
  const { api, kube, store } = opened;
  if (session === null || api === undefined || kube === undefined || store === undefined)
    throw new Error('connects before enrolling');
  const { agent_id: agentId, client, environment, nats_url, nats_ca } = session.enrollment();
  const renewal = keepCredentials(o, session, store, opened.fresh);
  opened.renewal = renewal;
  const link = await connectNats({
    servers: config.natsUrls ?? nats_url.split(','),
    caFile: config.natsCaFile ?? (nats_ca === null ? null : store.caPath),
    agentId,
    seed: session.identity.seed,
    jwt: () => session.enrollment().jwt,
    refused: () => renewal.urge(),
    signal: ending.signal,
    log,
  });
  if (link === null) return 'cancelled';
  parts.link = link;
  link.closed.then(
    (error) => ending.end({ kind: 'failed', error: error ?? new Error('the NATS client closed by itself') }),
    (error) => ending.end({ kind: 'failed', error }),
  );
  parts.sync = createSync({
    config,
    api,
    link,
    from: () => ({ client, environment, agentId }),
    accepts: () => session.enrollment().accepts,
    metrics,
    log,
  });
  // A standby serves too: the backend asks whoever was heard of last.
  opened.live = serveLive({ link, agentId, api: createKubeApi(kube, USER_AGENT, LIVE_BOUNDS), log });
  log.info({ agent_id: agentId }, 'connected to NATS');
  return 'done';
}

function keepCredentials(o: Life, session: Session, store: StateStore, fresh: boolean): Renewal {
  const agentId = session.enrollment().agent_id;
  return startRenewal({
    jwt: () => session.enrollment().jwt,
    ask: (signal) =>
      renew({
        backendUrl: o.config.backendUrl,
        agentId,
        identity: session.identity,
        at: new Date(),
        signal,
      }),
    take: (renewed) => session.take(renewed),
    deleted: () =>
      o.ending.end({
        kind: 'refused',
        message: `the backend has deleted agent ${agentId}; to enroll anew, remove ${store.path} and set PROXIMA_INSTALL_TOKEN`,
      }),
    fresh,
    log: o.log,
  });
}

/** Connected: with a pod's name it stands for election, without one it is the only collector (HA-09). */
async function elect(o: Life, opened: Opened, sendBack: (event: CollectorEvent) => void): Promise<void> {
  const { config, parts, metrics, log } = o;
  if (config.podName === null) {
    metrics.leading(true);
    sendBack({ type: 'leadership.won', epoch: null });
    return;
  }
  const namespace = config.podNamespace ?? (await readNamespace());
  if (namespace === null) {
    o.ending.end({
      kind: 'refused',
      message: 'POD_NAMESPACE is required beside POD_NAME: the Lease of the election lies in it',
    });
    return;
  }
  if (o.ending.signal.aborted || opened.api === undefined) return;
  log.info({ namespace }, 'standing by until the Lease can be had');
  parts.election = startElection({
    api: opened.api,
    namespace,
    // A process that restarts under its pod's name is another candidate: it must not take its old epoch up again.
    identity: `${config.podName}_${randomBytes(8).toString('hex')}`,
    ...(o.leaseTimings === undefined ? {} : { timings: o.leaseTimings }),
    onLeading(epoch) {
      metrics.leading(true);
      sendBack({ type: 'leadership.won', epoch });
    },
    onStandby() {
      metrics.leading(false);
      sendBack({ type: 'leadership.lost' });
    },
    log,
  });
}

async function readNamespace(): Promise<string | null> {
  const text = await readFile(join(SERVICE_ACCOUNT_DIR, 'namespace'), 'utf8').catch(() => '');
  return text.trim() || null;
}

/** The order of OB-09; a running sync is waited for, the Lease kept until it has ended. */
async function drain(o: Life, opened: Opened): Promise<void> {
  const { parts, log } = o;
  log.info({}, 'stopping: no further sync starts');
  await opened.step;
  await o.probes.stop();
  log.info({}, 'stopping: the probe server is closed');
  await opened.live?.stop();
  await parts.lastSync;
  log.info({}, 'stopping: no sync is running');
  await parts.election?.stop();
  o.metrics.leading(false);
  await parts.link?.drain();
  if (parts.link !== null) log.info({}, 'stopping: the NATS connection is closed');
  await opened.renewal?.stop();
  opened.kube?.close();
}

async function requireCaFile(config: AgentConfig): Promise<void> {
  if (config.natsCaFile === null) return;
  await access(config.natsCaFile).catch((cause) => {
    throw new Error('the file that PROXIMA_NATS_CA_FILE names cannot be read', { cause });
  });
}

/** Null when the namespace can't be read: the first snapshot that can tell fills it in (contracts.md section 1). */
async function readClusterUid(api: KubeApi, signal: AbortSignal, log: Log): Promise<string | null> {
  try {
    const namespace = await api.get<{ metadata?: { uid?: string } }>('/api/v1/namespaces/kube-system', {
      signal: AbortSignal.any([signal, AbortSignal.timeout(UID_DEADLINE_MS)]),
    });
    return namespace.metadata?.uid ?? null;
  } catch (err) {
    if (!(err instanceof KubeError)) throw err;
    log.warn({ err }, "the cluster's UID cannot be read; enrolling without it");
    return null;
  }
}
