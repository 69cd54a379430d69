import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentEnd } from '../../agent/ending.ts';
import type { RunningAgent } from '../../agent/main.ts';
import { createIdentity } from '../../agent/nkey.ts';
import { openStateStore } from '../../agent/state.ts';
import type { EnrollRequest } from '../../wire/enroll.ts';
import type { Rig, RigScripts, Stream } from './rig.ts';
import { CLUSTER_UID, startRig, startStream } from './rig.ts';
import { AGENT_ID, enrollmentOf, eventually, jwtOf } from './samples.ts';
import { answer } from './scripted.ts';

describe('the agent', function () {
  this.timeout(60_000);
  let stream: Stream;
  let rig: Rig;

  before(async () => {
    stream = await startStream();
  });
  after(() => stream.stop());
  afterEach(async () => {
    await rig.stop();
    while ((await stream.next(1000)) !== null);
  });

  async function setUp(scripts?: RigScripts): Promise<Rig> {
    rig = await startRig(stream, scripts);
    return rig;
  }
  const probe = async (agent: RunningAgent, path: string): Promise<number> =>
    (await fetch(agent.probesUrl + path)).status;
  const enrollments = (): EnrollRequest[] =>
    rig.backend.received
      .filter(({ url }) => url.pathname.endsWith('/enroll'))
      .map(({ body }) => JSON.parse(body) as EnrollRequest);
  const refusal = (end: AgentEnd): string => {
    assert.ok(end.kind === 'refused', JSON.stringify(end));
    return end.message;
  };

  it('enrolls once, becomes ready, and publishes the cluster at once and every interval (EN-01, EN-13, CF-07)', async () => {
    await setUp();
    const pod = { POD_NAME: 'proxima-cluster-agent-0', POD_NAMESPACE: 'proxima-system' };
    const agent = await rig.start({ PROXIMA_K8S_SYNC_INTERVAL: '2s', ...pod });
    const first = await stream.next();
    const second = await stream.next();
    assert.ok(first && second);
    assert.equal(await probe(agent, '/readyz'), 200);
    assert.equal(first.agent_id, AGENT_ID);
    assert.deepEqual(first.epoch, { lease_uid: 'lease-uid', transitions: 0 });
    assert.equal(first.data.cluster.slug, 'prod');
    assert.equal(first.data.cluster.display_name, 'Prod');
    assert.equal(first.data.cluster.uid, CLUSTER_UID);
    assert.equal(first.coverage?.pods?.state, 'complete');
    const apart = Date.parse(second.timestamp) - Date.parse(first.timestamp);
    assert.ok(apart > 1500 && apart < 3500, `${apart} ms apart`);
    const [request, ...more] = enrollments();
    assert.deepEqual(more, []);
    assert.equal(request?.name, 'proxima-cluster-agent-0');
    assert.equal(request?.cluster_uid, CLUSTER_UID);
    assert.match(request?.agent_version ?? '', /^v\d+\.\d+\.\d+$/);
  });

  it('is the only collector without POD_NAME: no Lease is asked for, no epoch sent (HA-09)', async () => {
    await setUp();
    const agent = await rig.start();
    assert.equal((await stream.next())?.epoch, null);
    assert.ok(rig.kubernetes.received.every(({ url }) => !url.pathname.includes('leases')));
    const state = (await (await fetch(`${agent.probesUrl}/debug/state`)).json()) as Record<string, unknown>;
    assert.deepEqual([state.state, state.election], [{ working: 'leading' }, null]);
    assert.ok(!JSON.stringify(state).includes('hunter2'));
  });

  it('says which setting is missing when a pod has a name and no namespace', async () => {
    await setUp();
    const agent = await rig.start({ POD_NAME: 'proxima-cluster-agent-0' });
    assert.match(refusal(await agent.ended), /^POD_NAMESPACE is required beside POD_NAME/);
  });

  it('logs its enrollment and each collection, and no secret (OB-11)', async () => {
    await setUp();
    await rig.start();
    await stream.next();
    await eventually(() => rig.kept.messages().includes('the inventory was collected and published'));
    assert.ok(rig.kept.messages().includes('enrolled'));
    const { nkey_seed } = JSON.parse(await readFile(join(rig.dataDir, 'state.json'), 'utf8'));
    const logged = JSON.stringify(rig.kept.lines);
    for (const secret of ['hunter2', nkey_seed]) assert.ok(!logged.includes(secret));
  });

  it('does not enroll again with its state, and needs no token then (EN-04, X-27)', async () => {
    await setUp();
    const first = await rig.start();
    await stream.next();
    await first.stop();
    const second = await rig.start({ PROXIMA_INSTALL_TOKEN: '' });
    const snapshot = await stream.next();
    assert.equal(snapshot?.agent_id, AGENT_ID);
    assert.equal(await probe(second, '/readyz'), 200);
    assert.equal(enrollments().length, 1);
  });

  it('names the token when there is neither one nor a state (CF-06, X-27)', async () => {
    await setUp();
    const agent = await rig.start({ PROXIMA_INSTALL_TOKEN: '' });
    assert.match(refusal(await agent.ended), /^PROXIMA_INSTALL_TOKEN is required/);
    assert.deepEqual(rig.backend.received, []);
  });

  it('lives but is not ready while it cannot enroll (OB-07, OB-08)', async () => {
    await setUp({
      backend(_, response) {
        response.destroy();
        return true;
      },
    });
    const agent = await rig.start();
    await eventually(() => rig.backend.received.length > 0);
    assert.equal(await probe(agent, '/healthz'), 200);
    assert.equal(await probe(agent, '/readyz'), 503);
    await agent.stop();
    assert.deepEqual(await agent.ended, { kind: 'stopped' });
  });

  it('asks again with the same nkey when a reply was lost, also after a restart (X-55)', async () => {
    let lost = true;
    await setUp({
      backend(_, response) {
        if (lost) response.destroy();
        return lost;
      },
    });
    const first = await rig.start();
    await eventually(() => rig.backend.received.length > 0);
    await first.stop();
    lost = false;
    await rig.start();
    assert.ok(await stream.next());
    assert.equal(new Set(enrollments().map(({ nkey }) => nkey)).size, 1);
  });

  it('ends with the remedy when its name is bound to another identity (EN-03, EN-05)', async () => {
    await setUp({
      backend(_, response) {
        answer(response, 409, { error: { code: 'already_enrolled', details: { held_by: 'this_cluster' } } });
        return true;
      },
    });
    const agent = await rig.start();
    assert.match(refusal(await agent.ended), /prod-collector of cluster prod is already enrolled/);
    await assert.rejects(fetch(`${agent.probesUrl}/healthz`));
  });

  it('ends when its state belongs to another cluster or is damaged', async () => {
    await setUp();
    const state = {
      name: 'n',
      nkey_seed: createIdentity().seed,
      cluster_slug: 'dev',
      enrollment: enrollmentOf(),
    };
    await openStateStore(rig.dataDir).save(state);
    const agent = await rig.start();
    assert.match(refusal(await agent.ended), /is the identity of cluster dev/);
    await openStateStore(rig.dataDir).save({ ...state, name: '' });
    const again = await rig.start();
    assert.match(refusal(await again.ended), /state\.json is damaged: \/name/);
    assert.deepEqual(rig.backend.received, []);
  });

  it('connects to PROXIMA_NATS_URL rather than to the enrolled one (EN-11, CF-12)', async () => {
    await setUp({
      async backend({ body }, response) {
        const jwt = await rig.jwt((JSON.parse(body) as EnrollRequest).nkey);
        answer(response, 200, enrollmentOf({ nats_url: 'nats://127.0.0.1:1', jwt }));
        return true;
      },
    });
    await rig.start({ PROXIMA_NATS_URL: stream.nats.url });
    assert.ok(await stream.next());
  });

  it('publishes nothing when nothing of the cluster can be read, says so, and goes on', async () => {
    let refused = true;
    await setUp({
      kubernetes({ url }, response) {
        if (!refused || url.pathname === '/version') return false;
        answer(response, 404, { kind: 'Status', reason: 'NotFound', message: 'hidden-name is not here' });
        return true;
      },
    });
    const agent = await rig.start({ PROXIMA_K8S_SYNC_INTERVAL: '1s' });
    await eventually(() => rig.kept.lines.some(({ level }) => level === 'error'), 10_000);
    assert.equal(await stream.next(1000), null);
    assert.equal(await probe(agent, '/readyz'), 200);
    assert.doesNotMatch(JSON.stringify(rig.kept.lines), /hidden-name/);
    refused = false;
    assert.ok(await stream.next());
  });

  it('enrolls without the UID of a cluster that hides it', async () => {
    await setUp({
      kubernetes({ url }, response) {
        if (url.pathname !== '/api/v1/namespaces/kube-system') return false;
        answer(response, 403, { kind: 'Status', reason: 'Forbidden' });
        return true;
      },
    });
    await rig.start();
    const snapshot = await stream.next();
    assert.equal(snapshot?.data.cluster.uid, null);
    assert.equal(enrollments()[0]?.cluster_uid, null);
  });

  it('renews credentials that expired while it was off, keeps them, and connects', async () => {
    const identity = createIdentity();
    await setUp({
      async backend({ url }, response) {
        assert.ok(url.pathname.endsWith(`${AGENT_ID}/renew`));
        answer(
          response,
          200,
          enrollmentOf({ nats_url: stream.nats.url, jwt: await rig.jwt(identity.publicKey) }),
        );
        return true;
      },
    });
    const store = openStateStore(rig.dataDir);
    const expired = await rig.jwt(identity.publicKey, {
      lifeSeconds: 60,
      now: () => new Date(Date.now() - 3_600_000),
    });
    await store.save({
      name: 'prod-collector',
      nkey_seed: identity.seed,
      cluster_slug: 'prod',
      enrollment: enrollmentOf({ nats_url: stream.nats.url, jwt: expired }),
    });
    await rig.start();
    assert.ok(await stream.next(15_000));
    const loaded = await store.load();
    assert.ok(loaded.kind === 'loaded');
    assert.notEqual(loaded.state.enrollment?.jwt, expired);
    assert.deepEqual(enrollments(), []);
  });

  it('ends when the backend says that it was deleted', async () => {
    await setUp({
      backend(_, response) {
        answer(response, 410, { error: { code: 'gone' } });
        return true;
      },
    });
    await openStateStore(rig.dataDir).save({
      name: 'prod-collector',
      nkey_seed: createIdentity().seed,
      cluster_slug: 'prod',
      enrollment: enrollmentOf({ nats_url: stream.nats.url, jwt: jwtOf(7200, 3600) }),
    });
    const agent = await rig.start();
    assert.match(refusal(await agent.ended), /has deleted agent .* remove .*state\.json/);
  });

  it('finishes and publishes a running sync when it is stopped, then closes NATS last (OB-09, X-30)', async () => {
    await setUp({
      async kubernetes({ url }) {
        if (url.pathname === '/api/v1/pods') await sleep(1000);
        return false;
      },
    });
    const agent = await rig.start();
    await eventually(() => rig.kubernetes.received.some(({ url }) => url.pathname === '/api/v1/pods'));
    await agent.stop();
    assert.deepEqual(await agent.ended, { kind: 'stopped' });
    assert.ok(await stream.next());
    const order = rig.kept.messages().filter((message) => /^stopping|collected and published/.test(message));
    assert.deepEqual(order, [
      'stopping: no further sync starts',
      'stopping: the probe server is closed',
      'the inventory was collected and published',
      'stopping: no sync is running',
      'stopping: the NATS connection is closed',
    ]);
  });

  it('fails without a CA file that the settings name (CF-13)', async () => {
    await setUp();
    const agent = await rig.start({ PROXIMA_NATS_CA_FILE: join(rig.dataDir, 'none.pem') });
    const end = await agent.ended;
    assert.ok(end.kind === 'failed');
    assert.match(String(end.error), /PROXIMA_NATS_CA_FILE/);
  });

  it('says that its data folder must be writable', async () => {
    await setUp();
    const agent = await rig.start({ PROXIMA_AGENT_DATA_DIR: '/dev/null/data' });
    const end = await agent.ended;
    assert.ok(end.kind === 'failed');
    assert.match(String(end.error), /cannot read \/dev\/null\/data\/state\.json/);
  });
});
