import { deepEqual, equal } from 'node:assert/strict';
import { nanos } from 'nats';
import type { NatsLink } from '../../actors/natsLink.ts';
import { connectNats } from '../../actors/natsLink.ts';
import { NAK_DELAYS_MS } from '../../actors/settle.ts';
import type { NatsUnderTest } from '../support/nats.ts';
import { startNats } from '../support/nats.ts';

const MAX_BYTES = 1024 ** 3;

describe('the stream and its consumer (contracts.md section 2)', () => {
  let nats: NatsUnderTest;
  let link: NatsLink;

  before(async () => {
    nats = await startNats();
    link = await connectNats(nats.backend, 5_000);
  });
  after(async () => {
    await link.close();
    await nats.stop();
  });

  const stored = async () => {
    const manager = await (await nats.connectAs(nats.backend)).jetstreamManager({ checkAPI: false });
    const { config: stream } = await manager.streams.info('EVENTS');
    const { config: consumer } = await manager.consumers.info('EVENTS', 'kubernetes-worker');
    return { stream, consumer };
  };

  it('are made as the contract says, with a flood and a forgotten message bounded', async () => {
    await link.ensureStream({ maxBytes: MAX_BYTES, ackWaitMs: 90_000 });
    const { stream, consumer } = await stored();
    const expected = {
      subjects: ['proxima.*.*.*.kubernetes'],
      storage: 'file',
      retention: 'workqueue',
      max_age: nanos(24 * 3_600_000),
      discard: 'new',
      max_msgs_per_subject: 300,
      max_msgs: -1,
      max_bytes: MAX_BYTES,
      duplicate_window: nanos(120_000),
      max_msg_size: -1,
      deny_purge: true,
      deny_delete: true,
    } as const;
    deepEqual({ ...stream, ...expected }, stream);
    equal(consumer.durable_name, 'kubernetes-worker');
    equal(consumer.deliver_subject, undefined);
    equal(consumer.ack_policy, 'explicit');
    equal(consumer.ack_wait, nanos(90_000));
    equal(consumer.max_deliver, -1);
    equal(consumer.max_ack_pending, -1);
  });

  it('take changed settings at the next start', async () => {
    await link.ensureStream({ maxBytes: MAX_BYTES / 2, ackWaitMs: 120_000 });
    const { stream, consumer } = await stored();
    equal(stream.max_bytes, MAX_BYTES / 2);
    equal(consumer.ack_wait, nanos(120_000));
  });

  it('lie on a server that takes messages of 8 MB, and of no byte more', async () => {
    const { info } = await nats.connectAs(nats.backend);
    equal(info?.max_payload, 8 * 1024 * 1024);
  });

  it('see a failed message again after 1, 5, 15, then every 60 seconds', () => {
    deepEqual(NAK_DELAYS_MS, [1_000, 5_000, 15_000, 60_000]);
  });
});
