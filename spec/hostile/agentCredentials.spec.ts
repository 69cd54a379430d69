import assert from 'node:assert/strict';
import type { NatsConnection } from 'nats';
import { headers } from 'nats';
import { agentInbox, BACKEND_INBOX, commandSubject, dataSubject } from '../../wire/subjects.ts';
import type { AgentUnderTest, IngestUnderTest } from '../support/ingest.ts';
import { eventually, startIngest } from '../support/ingest.ts';

const SETTLE_MS = 300;
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, SETTLE_MS));

/** True when the server refuses the publish, which it tells by a status event alone. */
async function isRefused(connection: NatsConnection, publish: () => void): Promise<boolean> {
  const status = connection.status();
  const iterator = status[Symbol.asyncIterator]();
  publish();
  await connection.flush();
  const first = await Promise.race([iterator.next(), settle()]);
  await iterator.return?.();
  return first !== undefined && !first.done && String(first.value.data).includes('PERMISSIONS_VIOLATION');
}

/** True when the server refuses the subscription. */
async function isDeaf(connection: NatsConnection, subject: string): Promise<boolean> {
  let refused = false;
  const subscription = connection.subscribe(subject, {
    callback: (error) => {
      refused ||= error !== null;
    },
  });
  await connection.flush();
  await settle();
  subscription.unsubscribe();
  return refused;
}

describe("a hostile holder of one agent's credentials", function () {
  this.timeout(60_000);
  let ingest: IngestUnderTest;
  let attacker: AgentUnderTest;
  let victim: AgentUnderTest;
  let tick = 0;

  /** A stamp later than all before. */
  const later = (): string => {
    tick += 1;
    return new Date(Date.UTC(2026, 0, 1) + tick * 1000).toISOString();
  };

  const storedAt = async (slug: string): Promise<string | undefined> => {
    const { rows } = await ingest.database.pool.query<{ snapshot_at: Date }>(
      'select snapshot_at from clusters where slug = $1',
      [slug],
    );
    return rows[0]?.snapshot_at.toISOString();
  };

  /** The victim's next snapshot arrives in its row: stream, consumer and backend still work, and for it. */
  async function assertVictimUnharmed(): Promise<void> {
    const timestamp = later();
    await victim.publish(victim.snapshot({ timestamp }));
    await eventually(
      'the snapshot of the victim is stored',
      async () => (await storedAt('victim')) === timestamp,
    );
  }

  before(async () => {
    ingest = await startIngest();
    await ingest.start();
    attacker = await ingest.enroll('attacker');
    victim = await ingest.enroll('victim');
    const { version } = (await ingest.nats.connectAs(ingest.nats.backend)).info ?? {};
    console.log(`    nats-server ${version ?? 'of unknown version'}`);
    await assertVictimUnharmed();
  });
  after(async () => {
    await ingest?.stop();
  });

  it('cannot publish a snapshot or a heartbeat as another agent', async () => {
    for (const type of ['kubernetes', 'heartbeat'] as const) {
      const subject = dataSubject(victim.sender, type);
      assert.ok(await isRefused(attacker.connection, () => attacker.connection.publish(subject, '{}')), type);
    }
    await assert.rejects(
      attacker.connection.jetstream().publish(dataSubject(victim.sender, 'kubernetes'), '{}'),
      /PERMISSIONS_VIOLATION|Permissions Violation/i,
    );
    await assertVictimUnharmed();
  });

  it('cannot listen to anything but its own commands and its own inbox', async () => {
    const wide = ['>', 'proxima.>', 'proxima.*.*.*.kubernetes', '$JS.>', '_INBOX.>', `${BACKEND_INBOX}.>`];
    const foreign = [
      commandSubject(victim.sender.agentId),
      `${agentInbox(victim.sender.agentId)}.>`,
      dataSubject(victim.sender, 'kubernetes'),
      'proxima.system.commands.*',
      '$JS.ACK.>',
    ];
    for (const subject of [...wide, ...foreign])
      assert.ok(await isDeaf(attacker.connection, subject), subject);
    assert.equal(await isDeaf(attacker.connection, commandSubject(attacker.sender.agentId)), false);
  });

  it('cannot command itself with the reply going to another agent, nor command others', async () => {
    const heard: string[] = [];
    const own = attacker.connection.subscribe(commandSubject(attacker.sender.agentId), {
      callback: (error, message) => {
        if (error === null) heard.push(message.subject);
      },
    });
    for (const target of [attacker, victim]) {
      const refused = await isRefused(attacker.connection, () =>
        attacker.connection.publish(commandSubject(target.sender.agentId), '{}', {
          reply: dataSubject(victim.sender, 'kubernetes'),
        }),
      );
      assert.ok(refused);
    }
    own.unsubscribe();
    assert.deepEqual(heard, []);
    await assertVictimUnharmed();
  });

  it('cannot purge, delete, change or read the stream, settle its messages or answer in the backend’s name', async () => {
    for (const subject of [
      '$JS.API.STREAM.PURGE.EVENTS',
      '$JS.API.STREAM.DELETE.EVENTS',
      '$JS.API.STREAM.UPDATE.EVENTS',
      '$JS.API.STREAM.INFO.EVENTS',
      '$JS.API.STREAM.MSG.GET.EVENTS',
      '$JS.API.STREAM.MSG.DELETE.EVENTS',
      '$JS.API.CONSUMER.DELETE.EVENTS.kubernetes-worker',
      '$JS.API.CONSUMER.MSG.NEXT.EVENTS.kubernetes-worker',
      '$JS.API.CONSUMER.CREATE.EVENTS',
      '$JS.ACK.EVENTS.kubernetes-worker.1.1.1.1.1',
      `${BACKEND_INBOX}.anything`,
      `${agentInbox(victim.sender.agentId)}.anything`,
    ]) {
      const refused = await isRefused(attacker.connection, () => attacker.connection.publish(subject, '{}'));
      assert.ok(refused, subject);
    }
    await assertVictimUnharmed();
  });

  it('gains nothing by steering its PubAck at the stream, at another agent or at the backend', async () => {
    const commanded: string[] = [];
    victim.connection.subscribe(commandSubject(victim.sender.agentId), {
      callback: (error, message) => {
        if (error === null) commanded.push(message.string());
      },
    });
    for (const reply of [
      '$JS.API.STREAM.PURGE.EVENTS',
      '$JS.API.STREAM.DELETE.EVENTS',
      '$JS.API.CONSUMER.DELETE.EVENTS.kubernetes-worker',
      `${BACKEND_INBOX}.anything`,
      dataSubject(victim.sender, 'kubernetes'),
      commandSubject(victim.sender.agentId),
    ]) {
      const message = JSON.stringify(attacker.snapshot({ timestamp: later() }));
      attacker.connection.publish(dataSubject(attacker.sender, 'kubernetes'), message, { reply });
      await attacker.connection.flush();
      await assertVictimUnharmed();
    }
    // A PubAck has no reply subject and no command's shape: nothing an agent acts on.
    assert.ok(commanded.every((text) => !text.includes('kube_query')));
  });

  it('silences nobody by planting message ids, and rolls nothing up', async () => {
    for (let guess = 0; guess < 20; guess += 1) {
      await attacker.publish(attacker.snapshot({ timestamp: later() }), {
        'Nats-Msg-Id': `${victim.sender.agentId}:${guess.toString(16).padStart(16, '0')}`,
      });
    }
    const header = headers();
    header.set('Nats-Rollup', 'all');
    await assert.rejects(
      attacker.connection
        .jetstream()
        .publish(dataSubject(attacker.sender, 'kubernetes'), '{}', { headers: header }),
    );
    await assertVictimUnharmed();
  });

  it('floods its own subject and loses its own messages alone', async () => {
    const before = later();
    await victim.publish(victim.snapshot({ timestamp: before }));
    const subject = dataSubject(attacker.sender, 'kubernetes');
    const rubbish = Buffer.alloc(1024, 0x7b);
    for (let n = 0; n < 2_000; n += 1) attacker.connection.publish(subject, rubbish);
    await attacker.connection.flush();
    await eventually(
      'the snapshot sent before the flood is stored',
      async () => (await storedAt('victim')) === before,
    );
    await assertVictimUnharmed();
    assert.ok((await ingest.kept()) <= 301);
  });
});
