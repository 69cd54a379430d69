import assert from 'node:assert/strict';
import { type Reply, type Rig, startRig } from './rig.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/proxima-system/leases';

function lease(holder: string, metadata: object): object {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata,
    spec: { holderIdentity: holder, leaseDurationSeconds: 15, renewTime: '2026-06-01T10:00:00.000000Z' },
  };
}

function outcome(reply: Reply): [number, string | undefined] {
  return [reply.status, reply.body().reason];
}

describe('sim: Leases', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await startRig();
  });
  afterEach(() => rig.server.stop());

  it('lets one of many create a Lease and tells the others that it exists', async () => {
    const replies = await Promise.all(
      ['a', 'b', 'c', 'd'].map((holder) => rig.send('POST', LEASES, lease(holder, { name: 'leader' }))),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409, 409, 409]);
    const lost = replies.filter(({ status }) => status === 409);
    assert.deepEqual(
      lost.map((reply) => reply.body().reason),
      ['AlreadyExists', 'AlreadyExists', 'AlreadyExists'],
    );
    const list = (await rig.get(LEASES)).body();
    assert.equal(list.items?.length, 1);
  });

  it('lets one of many who read the same version update it and tells the others of a conflict', async () => {
    const made = (await rig.send('POST', LEASES, lease('a', { name: 'leader' }))).body();
    const { resourceVersion } = made.metadata;
    const replies = await Promise.all(
      ['b', 'c', 'd'].map((holder) =>
        rig.send('PUT', `${LEASES}/leader`, lease(holder, { name: 'leader', resourceVersion })),
      ),
    );
    assert.deepEqual(replies.map(outcome).sort(), [
      [200, undefined],
      [409, 'Conflict'],
      [409, 'Conflict'],
    ]);
    const won = replies.find(({ status }) => status === 200)?.body();
    assert.deepEqual((await rig.get(`${LEASES}/leader`)).body(), won);
    assert.notEqual(won?.metadata.resourceVersion, resourceVersion);
  });

  it('refuses an update without a version, of another name, or of a Lease that was made anew', async () => {
    const made = (await rig.send('POST', LEASES, lease('a', { name: 'leader' }))).body();
    const put = async (metadata: object): Promise<[number, string | undefined]> =>
      outcome(await rig.send('PUT', `${LEASES}/leader`, lease('b', metadata)));
    assert.deepEqual(await put({ name: 'leader' }), [422, 'Invalid']);
    assert.deepEqual(await put({ name: 'other' }), [400, 'BadRequest']);
    const { resourceVersion } = made.metadata;
    assert.deepEqual(await put({ name: 'leader', resourceVersion, uid: 'another' }), [409, 'Conflict']);
  });

  it('creates by update what is not there, as the API server does for Leases', async () => {
    const reply = await rig.send('PUT', `${LEASES}/fresh`, lease('a', { name: 'fresh' }));
    assert.equal(reply.status, 201);
    assert.equal(reply.body().metadata.namespace, 'proxima-system');
  });

  it('does not bring back by update a Lease that is gone, told by its uid', async () => {
    const gone = { name: 'gone', resourceVersion: '7' };
    const put = async (metadata: object): Promise<[number, string | undefined]> =>
      outcome(await rig.send('PUT', `${LEASES}/gone`, lease('a', metadata)));
    assert.deepEqual(await put({ ...gone, uid: 'its-uid' }), [409, 'Conflict']);
    assert.equal((await rig.get(`${LEASES}/gone`)).status, 404);
    assert.equal((await put(gone))[0], 201);
  });

  it('refuses what is no Lease, and a namespace that is not there', async () => {
    const post = async (body: object | string, path = LEASES): Promise<[number, string | undefined]> =>
      outcome(await rig.send('POST', path, body));
    assert.deepEqual(await post('{broken'), [400, 'BadRequest']);
    assert.deepEqual(await post(lease('a', {})), [422, 'Invalid']);
    assert.deepEqual(await post(lease('a', { name: 'Not A Name' })), [422, 'Invalid']);
    assert.deepEqual(await post(lease('a', { name: 'x', namespace: 'default' })), [400, 'BadRequest']);
    const elsewhere = LEASES.replace('proxima-system', 'none');
    assert.deepEqual(await post(lease('a', { name: 'x' }), elsewhere), [404, 'NotFound']);
  });
});
