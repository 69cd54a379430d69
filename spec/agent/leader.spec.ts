import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeAccess } from '../../agent/kubeAccess.ts';
import { openKubeAccess } from '../../agent/kubeAccess.ts';
import type { KubeApi } from '../../agent/kubeApi.ts';
import { createKubeApi } from '../../agent/kubeApi.ts';
import { REQUEST_BOUNDS } from '../../agent/kubeRequest.ts';
import type { Election, LeaseTimings } from '../../agent/leader.ts';
import { LEASE_NAME, LEASE_TIMINGS, startElection } from '../../agent/leader.ts';
import { SimCluster } from '../../sim/cluster.ts';
import type { SimServer } from '../../sim/server.ts';
import { startSimServer } from '../../sim/server.ts';
import type { Epoch } from '../../wire/snapshot.ts';
import { keepLog } from './quietLog.ts';
import { eventually } from './samples.ts';
import { temporaryFolder, writeKubeconfig } from './scripted.ts';

const NAMESPACE = 'kube-system';
/** Shorter than in production, in the same order. A Lease counts whole seconds. */
const QUICK: LeaseTimings = { durationMs: 1000, renewDeadlineMs: 600, retryMs: 120 };
const PATH = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/${LEASE_NAME}`;

interface Candidate {
  readonly name: string;
  readonly election: Election;
  /** Terms so far, in order; the last one is under way while `leading`. */
  readonly terms: Epoch[];
  leading: boolean;
  readonly log: ReturnType<typeof keepLog>;
}

interface Record {
  readonly metadata: { readonly uid: string; readonly resourceVersion: string };
  readonly spec: {
    readonly holderIdentity: string;
    readonly leaseTransitions: number;
    readonly leaseDurationSeconds: number;
  };
}

describe('leader election', () => {
  let cluster: SimCluster;
  let server: SimServer;
  let access: KubeAccess;
  let api: KubeApi;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let candidates: Candidate[];

  beforeEach(async () => {
    cluster = new SimCluster({ seed: 'lease', pods: 1, now: new Date() });
    server = await startSimServer(cluster);
    folder = await temporaryFolder();
    access = await openKubeAccess(await writeKubeconfig(folder.path, server.url, 'simulated-administrator'));
    api = createKubeApi(access, 'proxima-agent/spec', { ...REQUEST_BOUNDS, attempts: 1 });
    candidates = [];
  });
  afterEach(async () => {
    server.faults.clear();
    await Promise.all(candidates.map(({ election }) => election.stop()));
    access.close();
    await server.stop();
    await folder.remove();
  });

  function stand(name: string, with_: { api?: KubeApi; timings?: LeaseTimings } = {}): Candidate {
    const log = keepLog();
    const candidate: Candidate = {
      name,
      terms: [],
      leading: false,
      log,
      election: startElection({
        api: with_.api ?? api,
        namespace: NAMESPACE,
        identity: name,
        timings: with_.timings ?? QUICK,
        onLeading(epoch) {
          candidate.terms.push(epoch);
          candidate.leading = true;
        },
        onStandby() {
          candidate.leading = false;
        },
        log: log.log,
      }),
    };
    candidates.push(candidate);
    return candidate;
  }
  /** An API whose requests hang while `hung`. */
  function hangingApi(): { api: KubeApi; hung: boolean } {
    const hanging = { api, hung: false };
    const wait = (signal: AbortSignal): Promise<never> =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('hung')), { once: true }),
      );
    hanging.api = {
      ...api,
      get: (path, o) => (hanging.hung ? wait(o.signal) : api.get(path, o)),
      put: (path, body, o) => (hanging.hung ? wait(o.signal) : api.put(path, body, o)),
    };
    return hanging;
  }
  const lease = () => api.get<Record>(PATH, { signal: AbortSignal.timeout(5000) });
  const leaders = (): Candidate[] => candidates.filter(({ leading }) => leading);

  it('waits as client-go does: 15 s, 10 s, 2 s (U-38)', () => {
    deepEqual(LEASE_TIMINGS, { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 });
  });

  it('makes one of three the leader, and keeps it while it renews (HA-01, HA-04)', async () => {
    for (const name of ['a', 'b', 'c']) stand(name);
    await eventually(() => leaders().length === 1);
    const [first] = leaders();
    await sleep(2 * QUICK.durationMs);
    deepEqual(leaders(), [first]);
    const { metadata, spec } = await lease();
    equal(spec.holderIdentity, first?.name);
    deepEqual(first?.terms, [{ lease_uid: metadata.uid, transitions: spec.leaseTransitions }]);
    ok(first?.terms[0] && first.election.leadsUnder(first.terms[0]));
  });

  it('hands over at once when the leader stops, under a higher epoch (HA-03, HA-08)', async () => {
    const first = stand('a');
    await eventually(() => first.leading);
    const second = stand('b');
    await sleep(QUICK.retryMs);
    const before = performance.now();
    await first.election.stop();
    await eventually(() => second.leading);
    ok(performance.now() - before < QUICK.durationMs, 'waited for the lease to run out');
    equal(second.terms[0]?.lease_uid, first.terms[0]?.lease_uid);
    ok((second.terms[0]?.transitions ?? 0) > (first.terms[0]?.transitions ?? 0));
  });

  it('stops a leader that cannot renew before anybody else starts (HA-04)', async () => {
    const hanging = hangingApi();
    const first = stand('a', { api: hanging.api });
    await eventually(() => first.leading);
    const second = stand('b');
    await sleep(QUICK.retryMs);
    hanging.hung = true;
    let stoppedAt = 0;
    let startedAt = 0;
    await eventually(() => {
      const { terms } = first;
      const [term] = terms;
      if (stoppedAt === 0 && term && !first.election.leadsUnder(term)) stoppedAt = performance.now();
      if (startedAt === 0 && second.leading) startedAt = performance.now();
      return stoppedAt > 0 && startedAt > 0;
    }, 5 * QUICK.durationMs);
    ok(stoppedAt < startedAt, `stopped ${stoppedAt - startedAt} ms after the other had started`);
    equal(first.leading, false);
    hanging.hung = false;
    await sleep(QUICK.durationMs);
    deepEqual(leaders(), [second]);
  });

  it('never takes an epoch up again, not under the same pod name either', async () => {
    const hanging = hangingApi();
    const first = stand('pod-0_one', { api: hanging.api });
    await eventually(() => first.leading);
    // As in a crash, the record stays as it was: nothing gives it back.
    hanging.hung = true;
    const crashed = first.terms[0];
    await first.election.stop();
    const second = stand('pod-0_two');
    await eventually(() => second.leading);
    ok(crashed && second.terms[0]);
    ok(second.terms[0].transitions > crashed.transitions);
  });

  it('goes on under a new epoch when the Lease was deleted under the leader', async () => {
    const first = stand('a');
    await eventually(() => first.leading);
    const [term] = first.terms;
    cluster.remove('leases', NAMESPACE, LEASE_NAME);
    await eventually(() => first.terms.length === 2);
    ok(term && first.terms[1]);
    ok(first.terms[1].lease_uid !== term.lease_uid);
    ok(!first.election.leadsUnder(term) && first.election.leadsUnder(first.terms[1]));
  });

  it('takes over a Lease that nobody holds or that makes no sense', async () => {
    for (const spec of [
      {},
      { holderIdentity: '', leaseTransitions: 7 },
      { holderIdentity: null, leaseTransitions: 'x' },
    ]) {
      await api
        .post(PATH.slice(0, PATH.lastIndexOf('/')), leaseOf(spec), { signal: AbortSignal.timeout(5000) })
        .catch(() => undefined);
      const candidate = stand(`c-${candidates.length}`);
      await eventually(() => candidate.leading);
      await candidate.election.stop();
      cluster.remove('leases', NAMESPACE, LEASE_NAME);
    }
  });

  it('counts the holder’s own duration, on its own clock and not by the times in the record', async () => {
    const past = '2001-01-01T00:00:00.000000Z';
    const spec = {
      holderIdentity: 'other',
      leaseDurationSeconds: 2,
      renewTime: past,
      acquireTime: past,
      leaseTransitions: 3,
    };
    await api.post(PATH.slice(0, PATH.lastIndexOf('/')), leaseOf(spec), {
      signal: AbortSignal.timeout(5000),
    });
    const candidate = stand('a');
    await sleep(1000);
    equal(candidate.leading, false, 'the record is old by its own times, but was seen only now');
    await eventually(() => candidate.leading, 5000);
    equal(candidate.terms[0]?.transitions, 4);
  });

  it('stands by while the Lease is refused, says how to mend it once, and leads when it may (X-03)', async () => {
    server.faults.add({ kind: 'forbidden', resource: 'leases' });
    const candidate = stand('a');
    await sleep(8 * QUICK.retryMs);
    equal(candidate.leading, false);
    const errors = candidate.log.lines.filter(({ level }) => level === 'error');
    equal(errors.length, 1);
    match(JSON.stringify(errors), /Role.*create, get and update on leases/);
    equal(candidate.election.state().problem, 'Forbidden');
    server.faults.clear();
    await eventually(() => candidate.leading, 5000);
    equal(candidate.election.state().problem, null);
  });

  it('keeps its leader through a single refusal, which it outlasts by its next attempt', async () => {
    const candidate = stand('a');
    await eventually(() => candidate.leading);
    server.faults.add({ kind: 'forbidden', resource: 'leases', times: 1 });
    await eventually(() => candidate.election.state().problem === 'Forbidden');
    const end = performance.now() + 2 * QUICK.renewDeadlineMs;
    while (performance.now() < end) {
      ok(candidate.leading, 'one refusal deposed the leader');
      await sleep(5);
    }
    equal(candidate.election.state().problem, null);
    equal(candidate.terms.length, 1);
  });

  it('survives an API server that answers anything: throttled, broken, cut, slow', async () => {
    const candidate = stand('a');
    await eventually(() => candidate.leading);
    for (const fault of [
      { kind: 'throttled', times: 2 },
      { kind: 'broken', times: 2 },
      { kind: 'cut', times: 2 },
      { kind: 'slow', delayMs: 300, times: 2 },
      { kind: 'unauthorized', times: 2 },
    ] as const) {
      server.faults.add({ ...fault, resource: 'leases' });
      await sleep(3 * QUICK.retryMs);
    }
    await eventually(() => candidate.leading && candidate.election.state().problem === null, 5000);
  });

  it('has at most one leader at any moment while candidates come, go and hang', async () => {
    const hanging = ['a', 'b', 'c'].map((name) => {
      const its = hangingApi();
      return { name, its, candidate: stand(name, { api: its.api }) };
    });
    const epochs = new Map<string, string>();
    const end = performance.now() + 7_000;
    let nextTurn = performance.now() + 1_000;
    while (performance.now() < end) {
      const now = hanging.filter(({ candidate }) => {
        const term = candidate.terms.at(-1);
        return term !== undefined && candidate.election.leadsUnder(term);
      });
      ok(now.length <= 1, `${now.map(({ name }) => name)} lead at once`);
      if (now.length === 1 && performance.now() > nextTurn) {
        nextTurn = performance.now() + 1_500;
        for (const one of hanging) one.its.hung = now[0] === one;
      }
      await sleep(5);
    }
    for (const { name, candidate } of hanging) {
      for (const { lease_uid, transitions } of candidate.terms) {
        // One that hung and found its own record untouched goes on under its epoch; nobody else ever does.
        const epoch = `${lease_uid} ${transitions}`;
        equal(epochs.get(epoch) ?? name, name, `two agents under ${epoch}`);
        epochs.set(epoch, name);
      }
    }
    ok(epochs.size >= 2, 'nobody ever took over');
  });
});

const leaseOf = (spec: object) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: LEASE_NAME, namespace: NAMESPACE },
  spec,
});
