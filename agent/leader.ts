/**
 * Leader election on a coordination.k8s.io Lease (HA-01 to HA-08, U-38), by the rules of client-go's leaderelection.
 *
 * Nobody's clock is compared with another's: a candidate watches whether the record changes, on its own monotonic clock,
 * and takes over when it has not changed for the lease's duration. A leader stops when it could not renew for the renew
 * deadline, which is shorter, so that it has stopped before anybody else starts. The API server's optimistic concurrency
 * (metadata.resourceVersion) lets one of several writers through.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Epoch } from '../wire/snapshot.ts';
import type { KubeApi } from './kubeApi.ts';
import { KubeError } from './kubeApi.ts';
import type { Log } from './log.ts';

export const LEASE_NAME = 'proxima-cluster-agent';

export interface LeaseTimings {
  /** A record that did not change for this long is nobody's any more. */
  readonly durationMs: number;
  /** A leader that could not renew for this long leads no more; shorter than the duration. */
  readonly renewDeadlineMs: number;
  /** From one attempt to the next; up to a fifth is added by chance, so that candidates do not come together. */
  readonly retryMs: number;
}

export const LEASE_TIMINGS: LeaseTimings = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };

/** coordination/v1 Lease, what is read and written of it. */
interface Lease {
  readonly apiVersion: 'coordination.k8s.io/v1';
  readonly kind: 'Lease';
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly [field: string]: unknown;
  };
  readonly spec?: {
    readonly holderIdentity?: string | null;
    readonly leaseDurationSeconds?: number | null;
    readonly acquireTime?: string | null;
    readonly renewTime?: string | null;
    readonly leaseTransitions?: number | null;
    readonly [field: string]: unknown;
  } | null;
}

/** How the election stands, for `/debug/state`. */
export interface ElectionState {
  readonly identity: string;
  /** Who the record named when it was read last; null before and when nobody holds it. */
  readonly holder: string | null;
  readonly leading: boolean;
  readonly epoch: Epoch | null;
  /** Milliseconds since this process renewed the Lease; null when it does not lead. */
  readonly renewed_ms_ago: number | null;
  /** Why the last attempt failed, in a word; null when it did not. */
  readonly problem: string | null;
}

export interface Election {
  /** True while this process leads under this epoch, checked against its clock at the moment of the call. */
  leadsUnder(epoch: Epoch): boolean;
  state(): ElectionState;
  /** Ends the election; a held Lease is given back, so that another may take it at once. Never rejects. */
  stop(): Promise<void>;
}

export interface ElectionParts {
  readonly api: KubeApi;
  readonly namespace: string;
  /** Names this process among all that ever held the Lease: the pod's name with something drawn by chance. */
  readonly identity: string;
  readonly timings?: LeaseTimings;
  /** Called when this process has become the leader; the epoch is new to the world. */
  onLeading(epoch: Epoch): void;
  /** Called when it leads no more. */
  onStandby(): void;
  readonly log: Log;
}

const FORBIDDEN_RETRY_FACTOR = 5;
const MAX_DURATION_SECONDS = 3600;

/** Starts the election; it goes on until `stop`. */
export function startElection(o: ElectionParts): Election {
  const timings = o.timings ?? LEASE_TIMINGS;
  const path = `/apis/coordination.k8s.io/v1/namespaces/${o.namespace}/leases`;
  const stopping = new AbortController();
  let term: { readonly epoch: Epoch; renewedAt: number } | null = null;
  let observed: { readonly version: string; readonly at: number } | null = null;
  let held: Lease | null = null;
  let holder: string | null = null;
  let problem: string | null = null;

  const leads = (): boolean => term !== null && performance.now() - term.renewedAt < timings.renewDeadlineMs;

  const standDown = (why: string): void => {
    if (term === null) return;
    term = null;
    o.log.warn({ why, holder }, 'leads no more, standing by');
    o.onStandby();
  };

  const write = async (current: Lease | null, spec: Lease['spec']): Promise<Lease> => {
    const lease: Lease = {
      ...(current ?? {}),
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { ...current?.metadata, name: LEASE_NAME, namespace: o.namespace },
      spec: { ...current?.spec, ...spec },
    };
    const signal = AbortSignal.timeout(timings.renewDeadlineMs / 2);
    return current === null
      ? o.api.post<Lease>(path, lease, { signal })
      : o.api.put<Lease>(`${path}/${LEASE_NAME}`, lease, { signal });
  };

  /** Reads the record, null when there is none, and notes when it changed. */
  const look = async (): Promise<Lease | null> => {
    try {
      const lease = await o.api.get<Lease>(`${path}/${LEASE_NAME}`, {
        signal: AbortSignal.timeout(timings.renewDeadlineMs / 2),
      });
      const version = `${lease.metadata.uid} ${lease.metadata.resourceVersion}`;
      if (observed?.version !== version) observed = { version, at: performance.now() };
      holder = lease.spec?.holderIdentity || null;
      return lease;
    } catch (error) {
      if (!(error instanceof KubeError) || error.status !== 404) throw error;
      observed = null;
      holder = null;
      return null;
    }
  };

  const isFree = (lease: Lease): boolean => {
    const { holderIdentity, leaseDurationSeconds } = lease.spec ?? {};
    if (!holderIdentity) return true;
    // What the holder promised counts, where it is a time at all: it may run with other settings.
    const seconds = Number(leaseDurationSeconds);
    const promisedMs = seconds > 0 && seconds <= MAX_DURATION_SECONDS ? seconds * 1000 : timings.durationMs;
    return performance.now() - (observed?.at ?? 0) >= promisedMs;
  };

  /** One attempt to become or stay the leader. Throws what the API answers but a lost race. */
  const attempt = async (): Promise<void> => {
    const startedAt = performance.now();
    const lease = await look();
    const isMine = lease?.spec?.holderIdentity === o.identity;
    if (lease !== null && !isMine) {
      // Somebody took it over, which nobody does from a leader that still renews: it was too slow.
      standDown('another holds the Lease');
      held = null;
      if (!isFree(lease)) return;
    }
    const now = new Date().toISOString().replace('Z', '000Z');
    const before = Number(lease?.spec?.leaseTransitions);
    const transitions =
      lease === null ? 0 : (Number.isSafeInteger(before) && before >= 0 ? before : 0) + (isMine ? 0 : 1);
    const written = await write(lease, {
      holderIdentity: o.identity,
      leaseDurationSeconds: Math.max(1, Math.ceil(timings.durationMs / 1000)),
      renewTime: now,
      leaseTransitions: transitions,
      ...(isMine ? {} : { acquireTime: now }),
    });
    held = written;
    holder = o.identity;
    if (stopping.signal.aborted) return;
    const epoch: Epoch = { lease_uid: written.metadata.uid ?? '', transitions };
    if (term !== null && sameEpoch(term.epoch, epoch)) {
      // From before the request was sent: when the others saw the change is not known, only that it was later.
      term.renewedAt = startedAt;
      return;
    }
    standDown('the Lease was made anew');
    term = { epoch, renewedAt: startedAt };
    o.log.info({ epoch }, 'leads from now on');
    o.onLeading(epoch);
  };

  const report = (error: unknown): void => {
    const known = problem;
    problem = error instanceof KubeError ? (error.reason ?? `http_${error.status}`) : 'fault';
    if (problem === known) return;
    if (error instanceof KubeError && error.status === 403) {
      o.log.error(
        { err: error, namespace: o.namespace },
        'the Lease is refused, so that nothing is collected: bind a Role with create, get and update on leases of coordination.k8s.io in this namespace (the chart does), or unset POD_NAME to run without election',
      );
    } else {
      o.log.warn({ err: error }, 'the Lease cannot be read or written');
    }
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      let waitMs = timings.retryMs;
      try {
        await attempt();
        problem = null;
      } catch (error) {
        const isLostRace = error instanceof KubeError && error.status === 409;
        if (isLostRace) problem = null;
        else report(error);
        // Not the leader: the longer wait is past its renew deadline, so that one refusal would depose it.
        const isRefused = error instanceof KubeError && error.status === 403;
        if (isRefused && term === null) waitMs *= FORBIDDEN_RETRY_FACTOR;
      }
      if (term !== null && !leads()) standDown('the Lease could not be renewed in time');
      await sleep(waitMs * (1 + Math.random() / 5), undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
    }
  };
  // The loop may hang in a request past the deadline; the watch does not.
  const watch = setInterval(() => {
    if (term !== null && !leads()) standDown('the Lease could not be renewed in time');
  }, timings.retryMs / 4);
  const running = run();

  const giveBack = async (): Promise<void> => {
    if (held === null) return;
    term = null;
    const now = new Date().toISOString().replace('Z', '000Z');
    await write(held, { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now });
    o.log.info({}, 'the Lease is given back');
  };

  return {
    leadsUnder: (epoch) => leads() && term !== null && sameEpoch(term.epoch, epoch),
    state: () => ({
      identity: o.identity,
      holder,
      leading: leads(),
      epoch: term?.epoch ?? null,
      renewed_ms_ago: term === null ? null : Math.round(performance.now() - term.renewedAt),
      problem,
    }),
    async stop() {
      stopping.abort();
      await running;
      clearInterval(watch);
      await giveBack().catch((err) =>
        o.log.warn({ err }, 'the Lease could not be given back; it runs out by itself'),
      );
    },
  };
}

const sameEpoch = (a: Epoch, b: Epoch): boolean =>
  a.lease_uid === b.lease_uid && a.transitions === b.transitions;
