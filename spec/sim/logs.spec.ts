import assert from 'node:assert/strict';
import type { Pod } from '../../sim/objects.ts';
import { type Reply, type Rig, startRig } from './rig.ts';

const NAMESPACE = 'default';
const startMs = Date.parse('2026-06-01T09:00:00Z');

describe('sim: pod logs', () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig();
    const one = [{ name: 'main', image: 'registry.example/a:1' }];
    const put = (name: string, spec: { containers: typeof one; initContainers?: typeof one }): Pod =>
      rig.cluster.put('pods', { metadata: { name, namespace: NAMESPACE }, spec });
    put('talker', { containers: one });
    put('prepared', { initContainers: [{ name: 'setup', image: 'i' }], containers: one });
    put('pair', {
      initContainers: [{ name: 'setup', image: 'i' }],
      containers: [...one, { name: 'side', image: 's' }],
    });
    rig.cluster.advance(60_000);
    const lines = [0, 1400, 1900, 3000].map((ms, n) => ({
      atMs: startMs + ms,
      nanos: 7,
      text: `line ${n} ü`,
    }));
    rig.cluster.logs.write(NAMESPACE, 'talker', 'main', lines);
    put('waiting', { containers: one });
  });
  after(() => rig.server.stop());

  const log = (pod: string, query = ''): Promise<Reply> =>
    rig.get(`/api/v1/namespaces/${NAMESPACE}/pods/${pod}/log?${query}`);

  it('gives the lines as they were written, with stamps of nine digits if asked', async () => {
    const plain = await log('talker');
    assert.match(plain.headers.get('content-type') ?? '', /^text\/plain/);
    assert.equal(plain.text, 'line 0 ü\nline 1 ü\nline 2 ü\nline 3 ü\n');
    assert.equal(
      (await log('talker', 'timestamps=true&tailLines=1')).text,
      '2026-06-01T09:00:03.000000007Z line 3 ü\n',
    );
    assert.equal((await log('talker', 'tailLines=0')).text, '');
  });

  it('knows since times to the second only, so lines of that second come again', async () => {
    const since = await log('talker', 'sinceTime=2026-06-01T09:00:01.500Z');
    assert.equal(since.text, 'line 1 ü\nline 2 ü\nline 3 ü\n');
    const seconds = (rig.cluster.nowMs - startMs) / 1000 - 2;
    assert.equal((await log('talker', `sinceSeconds=${seconds}`)).text, 'line 3 ü\n');
  });

  it('ends after limitBytes, stamps counted', async () => {
    assert.equal((await log('talker', 'limitBytes=13')).text, 'line 0 ü\nlin');
    assert.equal((await log('talker', 'limitBytes=20&timestamps=true')).text, '2026-06-01T09:00:00.');
  });

  it('answers 400 when the container is unknown, or not named among several', async () => {
    const unknown = await log('talker', 'container=none');
    assert.deepEqual(
      [unknown.status, unknown.body().message],
      [400, 'container none is not valid for pod talker'],
    );
    const several = await log('pair');
    assert.deepEqual(
      [several.status, several.body().message],
      [400, 'a container name must be specified for pod pair, choose one of: [setup main side]'],
    );
    assert.equal((await log('pair', 'container=side')).status, 200);
  });

  it('takes the only main container when none is named, whatever init containers there are', async () => {
    const unnamed = await log('prepared');
    assert.equal(unnamed.status, 200);
    assert.equal(unnamed.text, (await log('prepared', 'container=main')).text);
    assert.notEqual(unnamed.text, (await log('prepared', 'container=setup')).text);
  });

  it('answers 404 for a pod that is not there and 204 for one that has no node yet', async () => {
    assert.deepEqual((await log('none')).body().details, { name: 'none', kind: 'pods' });
    const waiting = await log('waiting');
    assert.deepEqual([waiting.status, waiting.text], [204, '']);
  });

  it('answers 422 with every cause for values out of range and 400 for what is no value', async () => {
    const answer = await log('talker', 'tailLines=-1&limitBytes=0');
    assert.equal(answer.status, 422);
    const { details, reason } = answer.body() as {
      details?: { causes?: { field: string }[] };
      reason?: string;
    };
    assert.equal(reason, 'Invalid');
    assert.deepEqual(
      details?.causes?.map(({ field }) => field),
      ['tailLines', 'limitBytes'],
    );
    assert.equal((await log('talker', 'sinceTime=2026-06-01T09:00:00Z&sinceSeconds=5')).status, 422);
    assert.equal((await log('talker', 'sinceTime=yesterday')).body().reason, 'BadRequest');
    assert.equal((await log('talker', 'tailLines=x')).body().reason, 'BadRequest');
  });

  it('has a previous log only for a container that ended before', async () => {
    const never = await log('talker', 'previous=true');
    assert.deepEqual(
      [never.status, never.body().message],
      [400, 'previous terminated container "main" in pod "talker" not found'],
    );
    const [deployment] = rig.cluster.list('deployments').filter(({ spec }) => (spec.replicas ?? 0) > 0);
    assert.ok(deployment);
    const { namespace = '', name } = deployment.metadata;
    rig.cluster.crash('Deployment', namespace, name);
    rig.cluster.advance(300_000);
    const crashed = rig.cluster
      .list('pods', namespace)
      .find((pod) => (pod.status.containerStatuses?.[0]?.restartCount ?? 0) > 0);
    const container = crashed?.spec.containers[0]?.name;
    const path = `/api/v1/namespaces/${namespace}/pods/${crashed?.metadata.name}/log`;
    const previous = await rig.get(`${path}?container=${container}&previous=true&tailLines=5`);
    assert.equal(previous.status, 200);
    assert.match(previous.text, /\n$/);
  });

  it('can not reach the log of a pod whose node is down', async () => {
    const node = rig.cluster.get('pods', NAMESPACE, 'talker')?.spec.nodeName ?? '';
    rig.cluster.nodeDown(node);
    const answer = await log('talker');
    rig.cluster.nodeUp(node);
    assert.deepEqual([answer.status, answer.body().reason], [500, undefined]);
  });
});
