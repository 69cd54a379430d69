import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createJwtIssuer } from '../../actors/agentJwt.ts';
import { type NatsLink as BackendLink, connectNats as connectBackend } from '../../actors/natsLink.ts';
import { startHeartbeat } from '../../agent/heartbeat.ts';
import type { LinkOptions, NatsLink } from '../../agent/natsLink.ts';
import { connectNats } from '../../agent/natsLink.ts';
import { createIdentity } from '../../agent/nkey.ts';
import type { PublishOutcome } from '../../agent/publish.ts';
import { publishSnapshot } from '../../agent/publish.ts';
import { checkHeartbeat } from '../../wire/heartbeat.ts';
import { decodeSnapshot } from '../../wire/inventory.ts';
import { HEADER_ROOM_BYTES, MAX_SNAPSHOT_BYTES } from '../../wire/limits.ts';
import type { Snapshot } from '../../wire/snapshot.ts';
import type { Sender } from '../../wire/subjects.ts';
import { dataSubject } from '../../wire/subjects.ts';
import { factsOf, workloadOf } from '../support/heavy.ts';
import type { NatsUnderTest } from '../support/nats.ts';
import { startNats } from '../support/nats.ts';
import { snapshotOf } from '../support/snapshots.ts';
import { keepLog } from './quietLog.ts';
import { AGENT_ID, eventually } from './samples.ts';

const from: Sender = { client: 'acme', environment: 'prod', agentId: AGENT_ID };
const WAITS = { windowMs: 15_000, attemptMs: 1000, firstPauseMs: 50 };

describe("the agent's NATS connection", function () {
  this.timeout(60_000);
  let nats: NatsUnderTest;
  let backend: BackendLink;
  const identity = createIdentity();
  let link: NatsLink | null = null;
  let kept: ReturnType<typeof keepLog>;
  let jwt = '';
  let refusals = 0;

  before(async () => {
    nats = await startNats();
    backend = await connectBackend(nats.backend, 10_000, () => undefined);
    await backend.ensureStream({ maxBytes: 256 * 1024 * 1024, ackWaitMs: 30_000 });
  });
  after(async () => {
    await backend.close();
    await nats.stop();
  });
  beforeEach(async () => {
    kept = keepLog();
    refusals = 0;
    jwt = await issue();
  });
  afterEach(async () => {
    await link?.drain();
    link = null;
  });

  const issue = (o: { lifeSeconds?: number; now?: () => Date } = {}): Promise<string> =>
    createJwtIssuer({
      account: nats.keys.account.publicKey,
      signingSeed: nats.keys.signing.seed,
      ...o,
    }).issue(from, identity.publicKey);

  const options = (changes: Partial<LinkOptions> = {}): LinkOptions => ({
    servers: [nats.url],
    caFile: null,
    agentId: AGENT_ID,
    seed: identity.seed,
    jwt: () => jwt,
    refused: () => {
      refusals += 1;
    },
    signal: AbortSignal.timeout(30_000),
    log: kept.log,
    reconnectWaitMs: 100,
    ...changes,
  });

  async function open(changes: Partial<LinkOptions> = {}): Promise<NatsLink> {
    link = await connectNats(options(changes));
    assert.ok(link);
    return link;
  }

  const publish = (
    over: NatsLink,
    snapshot: Snapshot = snapshotOf({}, { agent_id: AGENT_ID }),
    accepts = ['gzip'],
  ): Promise<PublishOutcome> =>
    publishSnapshot({
      link: over,
      from,
      snapshot,
      accepts,
      mayPublish: () => true,
      signal: AbortSignal.timeout(20_000),
      waits: WAITS,
    });

  it('stores a compressed snapshot that the backend reads back', async () => {
    const snapshot = snapshotOf({}, { agent_id: AGENT_ID });
    const outcome = await publish(await open(), snapshot);
    assert.ok(outcome.kind === 'published');
    const delivery = await backend.pull(5000);
    assert.ok(delivery);
    delivery.ack();
    assert.equal(delivery.subject, `proxima.acme.prod.${AGENT_ID}.kubernetes`);
    assert.equal(delivery.contentEncoding, 'gzip');
    assert.equal(delivery.bytes.length, outcome.wireBytes);
    assert.ok(outcome.wireBytes < outcome.completeBytes);
    const decoded = await decodeSnapshot(delivery.bytes, delivery.contentEncoding);
    assert.ok(decoded.ok);
    assert.deepEqual(decoded.snapshot, snapshot);
  });

  it('sends plain JSON to a backend that did not say it takes gzip (D12)', async () => {
    await publish(await open(), undefined, []);
    const delivery = await backend.pull(5000);
    assert.ok(delivery);
    delivery.ack();
    assert.equal(delivery.contentEncoding, undefined);
    assert.equal(JSON.parse(Buffer.from(delivery.bytes).toString()).agent_id, AGENT_ID);
  });

  it('stores a repetition with the same message id once', async () => {
    const over = await open();
    const subject = dataSubject(from, 'kubernetes');
    const once = { messageId: `${AGENT_ID}:0123456789abcdef`, contentEncoding: undefined, timeoutMs: 5000 };
    const first = await over.store(subject, Buffer.from('{}'), once);
    const second = await over.store(subject, Buffer.from('{}'), once);
    assert.ok(first.kind === 'stored' && second.kind === 'stored');
    assert.deepEqual([first.duplicate, second.duplicate], [false, true]);
    assert.equal(second.sequence, first.sequence);
    (await backend.pull(5000))?.ack();
    assert.equal(await backend.pull(1000), null);
  });

  it('publishes nothing larger than the server takes, and says both sizes (ErrPayloadTooLarge)', async () => {
    const over = await open();
    const pods = snapshotOf({}, { agent_id: AGENT_ID, agent_version: 'x'.repeat(9 * 1024 * 1024) });
    const outcome = await publish(over, pods, []);
    assert.ok(outcome.kind === 'too_large');
    assert.equal(outcome.limit, over.maxPayload() - HEADER_ROOM_BYTES);
    assert.ok(outcome.completeBytes > outcome.limit);
    assert.equal((await publish(over, pods, ['gzip'])).kind, 'published');
    (await backend.pull(5000))?.ack();
  });

  it('sheds what the backend would not unpack, however small it is when compressed (contracts.md section 1)', async () => {
    const facts = factsOf('x'.repeat(MAX_SNAPSHOT_BYTES));
    const snapshot = snapshotOf(
      { workloads: [{ ...workloadOf('api'), spec_facts: facts }] },
      { agent_id: AGENT_ID },
    );
    const outcome = await publish(await open(), snapshot);
    assert.ok(outcome.kind === 'published');
    assert.equal(outcome.shed, 'spec_facts_dropped');
    assert.ok(outcome.completeBytes > MAX_SNAPSHOT_BYTES && outcome.wireBytes < 10_000);
    (await backend.pull(5000))?.ack();
  });

  it('stores a snapshot once although the server goes away while it is published', async () => {
    const over = await open();
    const publishing = publish(over);
    await nats.restart(500);
    assert.equal((await publishing).kind, 'published');
    await eventually(() => over.isConnected(), 15_000);
    let deliveries = 0;
    for (let delivery = await pullAfterRestart(); delivery !== null; delivery = await backend.pull(1000)) {
      deliveries += 1;
      delivery.ack();
    }
    assert.equal(deliveries, 1);
    assert.match(kept.messages().join(), /disconnected.*connected again/);
  });

  async function pullAfterRestart(): ReturnType<BackendLink['pull']> {
    await eventually(() => backend.isConnected(), 15_000);
    return backend.pull(5000);
  }

  it('gives a refusal back at once, and logs a refused plain publish (contracts.md section 7)', async () => {
    const over = await open();
    const other = dataSubject({ ...from, environment: 'dev' }, 'kubernetes');
    const attempt = await over.store(other, Buffer.from('{}'), {
      messageId: 'x',
      contentEncoding: undefined,
      timeoutMs: 5000,
    });
    assert.deepEqual(attempt, { kind: 'refused', reason: 'PERMISSIONS_VIOLATION' });
    over.send(dataSubject({ ...from, environment: 'dev' }, 'heartbeat'), Buffer.from('{}'));
    await eventually(
      () => kept.lines.filter(({ fields }) => fields.code === 'PERMISSIONS_VIOLATION').length === 2,
    );
    const line = kept.lines.findLast(({ level }) => level === 'error');
    assert.equal(line?.fields.operation, 'publish');
    assert.ok(over.isConnected());
  });

  it('connects with renewed credentials after it was refused with expired ones', async () => {
    jwt = await issue({ lifeSeconds: 60, now: () => new Date(Date.now() - 3_600_000) });
    const connecting = connectNats(options());
    await eventually(() => refusals > 0);
    jwt = await issue();
    link = await connecting;
    assert.ok(link?.isConnected());
  });

  it('survives the expiry of its credentials while connected, with the newest from memory', async () => {
    jwt = await issue({ lifeSeconds: 2 });
    const over = await open();
    jwt = await issue();
    await eventually(() => kept.messages().includes('NATS is connected again'), 15_000);
    assert.equal((await publish(over)).kind, 'published');
    (await backend.pull(5000))?.ack();
  });

  it('keeps trying with expired credentials, more than twice, until there are new ones', async () => {
    jwt = await issue({ lifeSeconds: 1 });
    const over = await open();
    await eventually(() => refusals >= 4, 15_000);
    assert.ok(!over.isConnected());
    jwt = await issue();
    await eventually(() => over.isConnected(), 15_000);
  });

  it('gives up connecting when it is told to', async () => {
    assert.equal(
      await connectNats(options({ servers: ['nats://127.0.0.1:1'], signal: AbortSignal.timeout(300) })),
      null,
    );
  });

  it('refuses a server without TLS where a CA or tls:// asks for it', async () => {
    for (const changes of [{ servers: [nats.url.replace('nats:', 'tls:')] }, { caFile: '/dev/null' }]) {
      const signal = AbortSignal.timeout(500);
      assert.equal(await connectNats(options({ ...changes, signal })), null);
    }
    assert.ok(kept.lines.every(({ fields }) => fields.code === 'SERVER_OPT_NA'));
    assert.ok(kept.lines.length > 0);
  });

  it('sends a heartbeat at once and then periodically, and none late that fell due while disconnected (EN-12)', async () => {
    const heard: { value: unknown; lateMs: number }[] = [];
    const forget = backend.subscribe('proxima.*.*.*.heartbeat', (_, bytes) => {
      const value = JSON.parse(Buffer.from(bytes).toString());
      heard.push({ value, lateMs: Date.now() - Date.parse(value.timestamp) });
    });
    const over = await open();
    const stop = startHeartbeat({
      link: over,
      from,
      agentVersion: 'v0.9.0',
      clusterSlug: 'prod',
      epoch: null,
      mayBeat: () => true,
      everyMs: 100,
    });
    try {
      await eventually(() => heard.length >= 3);
      const checked = checkHeartbeat(heard[0]?.value);
      assert.ok(checked.ok);
      assert.equal(checked.value.agent_id, AGENT_ID);
      assert.equal(checked.value.cluster_slug, 'prod');
      await nats.restart(1500);
      const before = heard.length;
      await eventually(() => heard.length > before + 2, 15_000);
      assert.ok(Math.max(...heard.map(({ lateMs }) => lateMs)) < 1000);
      stop();
      await sleep(150);
      const last = heard.length;
      await sleep(300);
      assert.equal(heard.length, last);
    } finally {
      stop();
      forget();
    }
  });

  it('is closed after it was drained, and ignores what is sent later', async () => {
    const over = await open();
    await over.drain();
    assert.equal(await over.closed, null);
    assert.ok(!over.isConnected());
    over.send(dataSubject(from, 'heartbeat'), Buffer.from('{}'));
  });
});
