import { deepEqual, equal } from 'node:assert/strict';
import { assetStatus, CLUSTER_STATUSES, clusterStatus } from '../../rules/clusterStatus.ts';

describe('cluster status', () => {
  it('maps to the status of the asset (ST-07, X-36)', () => {
    deepEqual(CLUSTER_STATUSES.map(assetStatus), ['active', 'degraded', 'unreachable', 'active']);
  });

  it('reads a word of a newer agent as unknown', () => {
    equal(clusterStatus('degraded'), 'degraded');
    equal(clusterStatus('on fire'), 'unknown');
  });
});
