import { deepEqual, equal } from 'node:assert/strict';
import { shortfalls } from '../../rules/listCoverage.ts';

const complete = { state: 'complete', listed: 1, sent: 1 } as const;

describe('what a list lacks (D10)', () => {
  it('is nothing when the resource is complete, or when the snapshot came without a coverage block', () => {
    equal(shortfalls('pods', { pods: complete }, {}), null);
    equal(shortfalls('pods', null, { pods: '2026-11-30T11:00:00Z' }), null);
  });

  it('names each short resource behind a kind, and since when it is unverified', () => {
    const forbidden = { state: 'forbidden', listed: 0, sent: 0 } as const;
    const since = '2026-11-30T11:00:00Z';
    deepEqual(
      shortfalls(
        { Job: 'jobs', CronJob: 'cronjobs' },
        { jobs: complete, cronjobs: forbidden },
        { cronjobs: since },
      ),
      { cronjobs: { ...forbidden, since } },
    );
  });

  it('takes a resource that the block lacks for an error', () => {
    deepEqual(shortfalls('pods', {}, {}), { pods: { state: 'error', listed: 0, sent: 0 } });
  });
});
