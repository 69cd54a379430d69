import assert from 'node:assert/strict';
import type { AgentUnderTest, IngestUnderTest } from '../support/ingest.ts';
import { eventually, startIngest } from '../support/ingest.ts';

describe('the presence sweep', function () {
  this.timeout(30_000);
  let ingest: IngestUnderTest;
  let agent: AgentUnderTest;
  let clock = new Date('2026-11-30T22:00:30Z');

  const row = async (): Promise<{ agent_status: string; status: string } | undefined> => {
    const { rows } = await ingest.database.pool.query<{ agent_status: string; status: string }>(
      'select agent_status, status from clusters',
    );
    return rows[0];
  };
  const options = { sweepEveryMs: 50, staleAfterMs: 15 * 60_000, now: () => clock };

  before(async () => {
    ingest = await startIngest();
    agent = await ingest.enroll('quiet');
    const system = await ingest.start(options);
    await agent.publish(agent.snapshot({ timestamp: '2026-11-30T22:00:00Z' }));
    await eventually('it is connected', async () => (await row())?.agent_status === 'connected');
    // The next backend knows the cluster from the database alone.
    await system.stop();
  });
  after(async () => {
    await ingest?.stop();
  });

  it('marks a cluster disconnected that no actor has touched since a restart, and nothing else of it (ST-01, ST-02)', async () => {
    clock = new Date('2026-11-30T22:14:59Z');
    const system = await ingest.start(options);
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.deepEqual(await row(), { agent_status: 'connected', status: 'healthy' });
    clock = new Date('2026-11-30T22:15:01Z');
    await eventually('it is disconnected', async () => (await row())?.agent_status === 'disconnected');
    assert.equal((await row())?.status, 'healthy');
    await eventually('its actor says so', () =>
      system.registry.list().some(({ state }) => JSON.stringify(state).includes('"presence":"disconnected"')),
    );
  });

  it('shows it connected again after its next snapshot (ST-03)', async () => {
    await agent.publish(agent.snapshot({ timestamp: '2026-11-30T22:15:00Z' }));
    await eventually('it is connected', async () => (await row())?.agent_status === 'connected');
  });
});
