import { deepEqual, equal } from 'node:assert/strict';
import { getRejected, keepRejected, listRejected } from '../../store/rejected.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { freshDatabase } from '../support/postgres.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.parse('2026-11-30T12:00:00Z');

describe('rejected messages (contracts.md section 2)', () => {
  let database: FreshDatabase;
  beforeEach(async () => {
    database = await freshDatabase();
  });
  afterEach(() => database.drop());

  const keep = (agentId: string, hoursAgo: number, bytes = Buffer.from('{')) =>
    keepRejected(database.pool, {
      agentId,
      type: 'kubernetes',
      subject: `proxima.acme.prod.${agentId}.kubernetes`,
      reason: 'json',
      detail: null,
      clusterSlug: null,
      clusterUid: null,
      publishedAt: new Date(NOW - hoursAgo * HOUR_MS),
      receivedAt: new Date(NOW - hoursAgo * HOUR_MS),
      contentEncoding: null,
      bytes,
    });
  const kept = async () => (await listRejected(database.pool, { page: 1, perPage: 100 })).rows;

  it('are kept for 7 days', async () => {
    await keep('old', 7 * 24 + 1);
    await keep('young', 7 * 24 - 1);
    await keep('now', 0);
    deepEqual(
      (await kept()).map((message) => message.agent_id),
      ['now', 'young'],
    );
  });

  it('are kept as the newest twenty of each agent', async () => {
    await keep('other', 2);
    for (let n = 25; n > 0; n -= 1) await keep('flood', n / 60);
    const messages = await kept();
    equal(messages.filter((message) => message.agent_id === 'other').length, 1);
    const flood = messages.filter((message) => message.agent_id === 'flood');
    equal(flood.length, 20);
    equal(flood[0]?.received_at, '2026-11-30T11:59:00Z');
    equal(flood.at(-1)?.received_at, '2026-11-30T11:40:00Z');
  });

  it('are kept with their size and their first 64 KiB', async () => {
    await keep('large', 0, Buffer.alloc(100_000, 1));
    const [message] = await kept();
    equal(message?.size_bytes, 100_000);
    equal((await getRejected(database.pool, message?.id ?? ''))?.head.length, 65_536);
  });
});
