/** From start to end: what runs is opened in one order and closed in the reverse one. */

import { access } from 'node:fs/promises';
import type { Sender } from '../wire/subjects.ts';
import type { AgentConfig } from './config.ts';
import { startHeartbeat } from './heartbeat.ts';
import { openKubeAccess } from './kubeAccess.ts';
import type { KubeApi } from './kubeApi.ts';
import { createKubeApi, KubeError } from './kubeApi.ts';
import type { Log } from './log.ts';
import type { NatsLink } from './natsLink.ts';
import { connectNats } from './natsLink.ts';
import type { ProbeServer } from './probes.ts';
import type { Renewal } from './renew.ts';
import { renew, startRenewal } from './renew.ts';
import { startSchedule } from './schedule.ts';
import type { Session } from './session.ts';
import { openSession } from './session.ts';
import type { StateStore } from './state.ts';
import { openStateStore } from './state.ts';
import { syncOnce } from './sync.ts';
import { AGENT_VERSION } from './version.ts';

/** How an agent ended. */
export type AgentEnd =
  | { readonly kind: 'stopped' }
  /** It can't run with its settings, its state or its record in the backend; `message` is for the operator. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Something broke that a restart may mend. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** A sync's own limit, on which stopping has no effect; keep terminationGracePeriodSeconds above it. */
const SYNC_DEADLINE_MS = 150_000;
const UID_DEADLINE_MS = 30_000;

/** What the probes ask about. */
export interface Parts {
  session: Session | null;
  link: NatsLink | null;
}

export interface Life {
  readonly config: AgentConfig;
  readonly parts: Parts;
  readonly probes: ProbeServer;
  readonly ending: Ending;
  readonly log: Log;
}

/**
 * One life of the agent. Resolves when all is closed, after `ending` was called or the agent had to end; rejects when
 * something broke that it can't go on without.
 */
export async function live(o: Life): Promise<void> {
  const { config, ending, log } = o;
  try {
    await requireCaFile(config);
    const kube = await openKubeAccess(config.kubeconfig);
    try {
      const api = createKubeApi(kube, `proxima-agent/${AGENT_VERSION}`);
      const store = openStateStore(config.dataDir);
      const outcome = await openSession({
        config,
        store,
        clusterUid: (signal) => readClusterUid(api, signal, log),
        signal: ending.signal,
        log,
      });
      if (outcome.kind === 'refused') ending.end(outcome);
      if (outcome.kind === 'enrolled') await serve(o, outcome.session, store, api);
    } finally {
      kube.close();
    }
  } finally {
    await o.probes.stop();
  }
}

/** Enrolled: connects, then works until the end is called for. */
async function serve(o: Life, session: Session, store: StateStore, api: KubeApi): Promise<void> {
  const { config, ending, log } = o;
  o.parts.session = session;
  const { agent_id: agentId, nats_url, nats_ca } = session.enrollment();
  const renewal = keepCredentials(o, session, store);
  try {
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
    if (link === null) return;
    o.parts.link = link;
    log.info({ agent_id: agentId }, 'connected to NATS');
    await work(o, session, link, api);
  } finally {
    await renewal.stop();
  }
}

function keepCredentials(o: Life, session: Session, store: StateStore): Renewal {
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
    log: o.log,
  });
}

/** Connected: heartbeats and syncs. The order at the end is OB-09's. */
async function work(o: Life, session: Session, link: NatsLink, api: KubeApi): Promise<void> {
  const { config, ending, log } = o;
  const { agent_id: agentId, client, environment, heartbeat_seconds } = session.enrollment();
  const from: Sender = { client, environment, agentId };
  link.closed.then(
    (error) => ending.end({ kind: 'failed', error: error ?? new Error('the NATS client closed by itself') }),
    (error) => ending.end({ kind: 'failed', error }),
  );
  const stopHeartbeat = startHeartbeat({
    link,
    from,
    agentVersion: AGENT_VERSION,
    clusterSlug: config.clusterSlug,
    epoch: () => null,
    everyMs: heartbeat_seconds * 1000,
  });
  const schedule = startSchedule({
    intervalMs: config.syncIntervalMs,
    deadlineMs: SYNC_DEADLINE_MS,
    run: (signal) =>
      syncOnce({ config, api, link, from, accepts: session.enrollment().accepts, signal, log }),
  });
  await ending.called;
  log.info({}, 'stopping: no further sync starts');
  const lastSync = schedule.stop();
  await o.probes.stop();
  log.info({}, 'stopping: the probe server is closed');
  await lastSync;
  stopHeartbeat();
  log.info({}, 'stopping: no sync is running');
  await link.drain();
  log.info({}, 'stopping: the NATS connection is closed');
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

/** The call to end, and why: the first reason counts. */
export interface Ending {
  readonly signal: AbortSignal;
  /** Resolves when the end was called for. */
  readonly called: Promise<void>;
  end(how: AgentEnd): void;
  how(): AgentEnd | null;
}

export function createEnding(): Ending {
  const controller = new AbortController();
  const { promise: called, resolve } = Promise.withResolvers<void>();
  let first: AgentEnd | null = null;
  return {
    signal: controller.signal,
    called,
    end(how) {
      first ??= how;
      controller.abort();
      resolve();
    },
    how: () => first,
  };
}
