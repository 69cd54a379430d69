import assert from 'node:assert/strict';
import { findAgent } from '../../store/agents.ts';
import { listRejected } from '../../store/rejected.ts';
import { dataSubject } from '../../wire/subjects.ts';
import type { AgentUnderTest, IngestUnderTest } from '../support/ingest.ts';
import { eventually, metric, startIngest } from '../support/ingest.ts';

describe('a heartbeat (EN-12)', () => {
  let ingest: IngestUnderTest;
  let agent: AgentUnderTest;

  before(async () => {
    ingest = await startIngest();
    await ingest.start();
    agent = await ingest.enroll('shop');
  });
  after(() => ingest.stop());

  const beat = (change: Readonly<Record<string, unknown>> = {}): void => {
    const heartbeat = {
      agent_id: agent.sender.agentId,
      agent_version: '0.9.1',
      cluster_slug: 'shop',
      epoch: { lease_uid: 'lease', transitions: 3 },
      timestamp: '2026-11-30T22:00:00Z',
      ...change,
    };
    agent.connection.publish(dataSubject(agent.sender, 'heartbeat'), JSON.stringify(heartbeat));
  };
  const stored = async () => findAgent(ingest.database.pool, agent.sender.agentId);
  const rejections = async () => {
    const { rows } = await listRejected(ingest.database.pool, { page: 1, perPage: 100 });
    return rows.map((row) => [row.type, row.reason, row.detail, row.cluster_slug]);
  };

  it('of the enrolled agent is recorded with its version and epoch, at the time of its receipt', async () => {
    const before = Date.now();
    beat();
    await eventually('recorded', async () => (await stored())?.last_heartbeat_at !== null);
    const { last_heartbeat_at: at, agent_version: version, epoch } = (await stored()) ?? {};
    assert.deepEqual([version, epoch], ['0.9.1', { lease_uid: 'lease', transitions: 3 }]);
    assert.ok((at?.getTime() ?? 0) >= before && (at?.getTime() ?? 0) <= Date.now());
  });

  it("with another cluster's slug or agent, or of the wrong shape, is counted, listed and not recorded", async () => {
    const heard = (await stored())?.last_heartbeat_at;
    const labels = { outcome: 'rejected', reason: 'foreign_cluster' };
    const before = await metric('proxima_ingest_outcomes_total', labels);
    const faults: [Readonly<Record<string, unknown>>, string][] = [
      [{ cluster_slug: 'other' }, 'foreign_cluster'],
      [{ agent_id: '00000000-0000-4000-8000-000000000001' }, 'foreign_cluster'],
      [{ epoch: 'none' }, 'schema'],
    ];
    for (const [n, [change]] of faults.entries()) {
      beat(change);
      await eventually('listed', async () => (await rejections()).length === n + 1);
    }
    assert.deepEqual(await rejections(), [
      ['heartbeat', 'schema', '/epoch must be object', null],
      ['heartbeat', 'foreign_cluster', 'agent_id', 'shop'],
      ['heartbeat', 'foreign_cluster', 'cluster_slug', 'other'],
    ]);
    assert.equal((await metric('proxima_ingest_outcomes_total', labels)) - before, 2);
    assert.deepEqual((await stored())?.last_heartbeat_at, heard);
  });

  it('is still heard after the server restarted, by the same subscription', async () => {
    const heard = (await stored())?.last_heartbeat_at?.getTime() ?? 0;
    await ingest.nats.restart(200);
    await eventually('a newer one', async () => {
      beat();
      await new Promise((resolve) => setTimeout(resolve, 100));
      return ((await stored())?.last_heartbeat_at?.getTime() ?? 0) > heard;
    });
  });
});
