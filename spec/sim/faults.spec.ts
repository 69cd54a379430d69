import assert from 'node:assert/strict';
import { type Rig, startRig } from './rig.ts';

describe('sim: faults', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await startRig();
  });
  afterEach(() => rig.server.stop());

  it('answers with the status of a fault as often as told, and then as before', async () => {
    const expected = [
      ['unauthorized', 401, 'Unauthorized'],
      ['forbidden', 403, 'Forbidden'],
      ['expired', 410, 'Expired'],
      ['throttled', 429, 'TooManyRequests'],
      ['broken', 500, 'InternalError'],
    ] as const;
    for (const [kind, status, reason] of expected) {
      rig.server.faults.add({ kind, resource: 'pods', times: 2 });
      for (let n = 0; n < 2; n += 1) {
        const answer = await rig.get('/api/v1/pods?limit=1');
        assert.deepEqual([answer.status, answer.body().reason], [status, reason]);
      }
      assert.equal((await rig.get('/api/v1/pods?limit=1')).status, 200);
    }
  });

  it('meets only the requests that it describes', async () => {
    rig.server.faults.add({ kind: 'broken', resource: 'nodes', group: '' });
    rig.server.faults.add({ kind: 'broken', resource: 'services', namespace: 'kube-system' });
    rig.server.faults.add({ kind: 'broken', resource: 'pods', continued: true });
    rig.server.faults.add({ kind: 'broken', resource: '/version' });
    const statusOf = async (path: string): Promise<number> => (await rig.get(path)).status;
    assert.equal(await statusOf('/api/v1/nodes'), 500);
    assert.equal(await statusOf('/apis/metrics.k8s.io/v1beta1/nodes'), 200);
    assert.equal(await statusOf('/api/v1/services'), 200);
    assert.equal(await statusOf('/api/v1/namespaces/kube-system/services'), 500);
    const first = await rig.get('/api/v1/pods?limit=10');
    assert.equal(first.status, 200);
    assert.equal(await statusOf(`/api/v1/pods?continue=${first.body().metadata.continue}`), 500);
    assert.equal(await statusOf('/version'), 500);
    assert.equal(await statusOf('/api'), 200);
    rig.server.faults.clear();
    assert.equal(await statusOf('/version'), 200);
  });

  it('says with a 429 how long to wait, in the header and in the details', async () => {
    rig.server.faults.add({ kind: 'throttled', retryAfterSeconds: 7 });
    const answer = await rig.get('/api/v1/nodes');
    assert.equal(answer.headers.get('retry-after'), '7');
    assert.deepEqual(answer.body().details, { retryAfterSeconds: 7 });
  });

  it('breaks the connection inside a body', async () => {
    rig.server.faults.add({ kind: 'cut', resource: 'pods', afterBytes: 100, times: 1 });
    await assert.rejects(rig.get('/api/v1/pods'));
    assert.equal((await rig.get('/api/v1/pods')).status, 200);
  });

  it('takes its time, and not longer than until it is stopped', async () => {
    rig.server.faults.add({ kind: 'slow', delayMs: 150, times: 1 });
    const started = Date.now();
    assert.equal((await rig.get('/api/v1/nodes')).status, 200);
    assert.ok(Date.now() - started >= 145);
    rig.server.faults.add({ kind: 'slow', resource: 'nodes', delayMs: 3_600_000 });
    const waiting = assert.rejects(rig.get('/api/v1/nodes'));
    await rig.get('/version');
    await rig.server.stop();
    await waiting;
    rig = await startRig();
  });

  it('remembers what it was asked and how it answered', async () => {
    rig.server.faults.add({ kind: 'broken', times: 1 });
    await rig.get('/api/v1/nodes?limit=1');
    await rig.get('/apis/foo.io/v1');
    assert.deepEqual(rig.server.requests, [
      { method: 'GET', path: '/api/v1/nodes?limit=1', status: 500 },
      { method: 'GET', path: '/apis/foo.io/v1', status: 404 },
    ]);
  });
});
