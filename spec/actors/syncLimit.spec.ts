import { equal } from 'node:assert/strict';
import type { Sync } from '../../actors/clusterActor.ts';
import { syncCluster } from '../../actors/syncCluster.ts';
import type { IngestUnderTest } from '../support/ingest.ts';
import { eventually, startIngest } from '../support/ingest.ts';

describe('the limit of a sync', () => {
  let ingest: IngestUnderTest;
  before(async () => {
    ingest = await startIngest();
  });
  after(() => ingest.stop());

  it('is 60 seconds for the whole transaction (IN-06)', async () => {
    const limits: number[] = [];
    const sync: Sync = (pool, input, options) => {
      limits.push(options.timeoutMs);
      return syncCluster(pool, input, options);
    };
    await ingest.start({}, sync);
    const agent = await ingest.enroll('k8s-1');
    await agent.publish(agent.snapshot());
    await eventually('the snapshot is settled', async () => (await ingest.kept()) === 0);
    equal(limits.join(), '60000');
  });
});
