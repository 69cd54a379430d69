import assert from 'node:assert/strict';
import { get as httpGet, type IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { defaultToken } from '../../sim/server.ts';
import { type Body, namesOf, type Rig, startRig } from './rig.ts';

const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

describe('sim: lists', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await startRig({ argo: true });
  });
  afterEach(() => rig.server.stop());

  async function pages(path: string, between: () => void = () => {}): Promise<Body[]> {
    const all: Body[] = [];
    for (let token = ''; ; ) {
      const page = (await rig.get(`${path}&continue=${encodeURIComponent(token)}`)).body();
      all.push(page);
      token = page.metadata.continue ?? '';
      if (token === '') return all;
      between();
    }
  }

  it('gives each object once, in the order of namespace and name, with the count that remains', async () => {
    const all = await pages('/api/v1/pods?limit=13');
    const names = all.flatMap(namesOf);
    assert.deepEqual(names, [...new Set(names)].sort());
    assert.equal(names.length, 60);
    assert.deepEqual(
      all.map((page) => page.metadata.remainingItemCount),
      [47, 34, 21, 8, undefined],
    );
  });

  it('shows one state of the cluster on all pages, whatever happens between them', async () => {
    const before = namesOf((await rig.get('/api/v1/pods')).body());
    const all = await pages('/api/v1/pods?limit=10', () => rig.cluster.live(30_000));
    assert.deepEqual(all.flatMap(namesOf), before);
    assert.equal(new Set(all.map((page) => page.metadata.resourceVersion)).size, 1);
    assert.notDeepEqual(namesOf((await rig.get('/api/v1/pods')).body()), before);
  });

  it('answers 410 Expired once the state of a token is compacted, and its own token goes on with today', async () => {
    const first = (await rig.get('/api/v1/pods?limit=10')).body();
    rig.cluster.compact();
    const path = `/api/v1/pods?limit=100&continue=${first.metadata.continue}`;
    const gone = await rig.get(path);
    assert.equal(gone.status, 410);
    const status = gone.body();
    assert.deepEqual([status.kind, status.reason, status.code], ['Status', 'Expired', 410]);
    const rest = (await rig.get(`/api/v1/pods?limit=100&continue=${status.metadata.continue}`)).body();
    assert.equal(namesOf(first).length + namesOf(rest).length, 60);
  });

  it('lets a token live for five minutes of the cluster, also when it is used meanwhile', async () => {
    const first = (await rig.get('/api/v1/pods?limit=10')).body();
    rig.cluster.advance(200_000);
    const second = await rig.get(`/api/v1/pods?limit=10&continue=${first.metadata.continue}`);
    assert.equal(second.status, 200);
    rig.cluster.advance(200_000);
    const third = await rig.get(`/api/v1/pods?limit=10&continue=${second.body().metadata.continue}`);
    assert.equal(third.status, 410);
  });

  it('answers 400 to a token that is none, a limit that is no number and a field that is not selectable', async () => {
    for (const query of [
      'continue=xyz',
      'limit=many',
      'fieldSelector=spec.nonsense%3D1',
      'labelSelector=a%20b',
    ]) {
      const answer = await rig.get(`/api/v1/pods?limit=5&${query}`);
      const { reason } = (await rig.get(`/api/v1/pods?${query}`)).body();
      assert.equal(reason, 'BadRequest', query);
      if (!query.startsWith('limit')) assert.equal(answer.status, 400, query);
    }
  });

  it('ignores the limit when asked for resourceVersion=0', async () => {
    const list = (await rig.get('/api/v1/pods?limit=5&resourceVersion=0')).body();
    assert.equal(list.items?.length, 60);
    assert.equal(list.metadata.continue, undefined);
  });

  it('keeps to one namespace, and has no items for a namespace that is not there', async () => {
    const list = (await rig.get('/api/v1/namespaces/kube-system/pods?limit=3')).body();
    assert.deepEqual(
      new Set(list.items?.map(({ metadata }) => metadata.namespace)),
      new Set(['kube-system']),
    );
    const total = rig.cluster.list('pods', 'kube-system').length;
    assert.equal(list.metadata.remainingItemCount, total - 3);
    assert.deepEqual((await rig.get('/api/v1/namespaces/none/pods')).body().items, []);
  });

  it('selects by labels and by fields, and then says no remaining count', async () => {
    const coredns = rig.cluster.list('pods').filter(({ metadata }) => metadata.name.startsWith('coredns-'));
    const [one] = coredns;
    assert.ok(one !== undefined && coredns.length > 1);
    const [key = '', value = ''] = Object.entries(one.metadata.labels ?? {})[0] ?? [];
    const select = async (query: string): Promise<Body> => (await rig.get(`/api/v1/pods?${query}`)).body();
    const equal = await select(`labelSelector=${encodeURIComponent(`${key}=${value}`)}&limit=1`);
    assert.equal(equal.items?.length, 1);
    assert.equal(equal.metadata.remainingItemCount, undefined);
    const within = await select(`labelSelector=${encodeURIComponent(`${key} in (x,${value})`)}`);
    assert.equal(within.items?.length, coredns.length);
    const others = await select(`labelSelector=${encodeURIComponent(`${key}!=${value}`)}`);
    assert.equal(others.items?.length, 60 - coredns.length);
    const named = await select(`fieldSelector=metadata.name%3D${one.metadata.name}`);
    assert.deepEqual(namesOf(named), [`kube-system/${one.metadata.name}`]);
    const onNode = await select(`fieldSelector=spec.nodeName%3D${one.spec.nodeName}`);
    assert.ok(namesOf(onNode).includes(`kube-system/${one.metadata.name}`));
    assert.ok((onNode.items?.length ?? 60) < 60);
  });

  it('leaves kind and apiVersion out of the items of built-in kinds, and keeps them in custom resources', async () => {
    const pod = (await rig.get('/api/v1/pods?limit=1')).body().items?.[0];
    assert.deepEqual(Object.keys(pod ?? {}), ['metadata', 'spec', 'status']);
    const rollouts = (await rig.get('/apis/argoproj.io/v1alpha1/rollouts')).body();
    assert.deepEqual(Object.keys(rollouts), ['apiVersion', 'items', 'kind', 'metadata']);
    assert.equal(rollouts.metadata.continue, '');
    assert.equal(rollouts.items?.[0]?.kind, 'Rollout');
  });

  it('reduces objects to their metadata when the client prefers that', async () => {
    const list = (await rig.get('/apis/apps/v1/replicasets', { accept: METADATA_ONLY })).body();
    assert.deepEqual([list.kind, list.apiVersion], ['PartialObjectMetadataList', 'meta.k8s.io/v1']);
    const stored = rig.cluster.list('replicasets');
    assert.deepEqual(
      list.items,
      stored.map(({ metadata }) => ({
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata,
      })),
    );
  });

  it('compresses what is larger than 128 KiB, if the client accepts it', async () => {
    const raw = (path: string, encoding: string): Promise<{ headers: IncomingHttpHeaders; body: Buffer }> =>
      new Promise((resolve, reject) => {
        const headers = { Authorization: `Bearer ${defaultToken}`, 'Accept-Encoding': encoding };
        httpGet(rig.server.url + path, { headers }, async (response) => {
          const chunks: Buffer[] = [];
          for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
          resolve({ headers: response.headers, body: Buffer.concat(chunks) });
        }).on('error', reject);
      });
    const plain = await raw('/api/v1/pods', 'identity');
    const packed = await raw('/api/v1/pods', 'gzip');
    assert.ok(plain.body.length > 128 * 1024);
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.deepEqual(gunzipSync(packed.body), plain.body);
    assert.equal((await raw('/api/v1/pods?limit=1', 'gzip')).headers['content-encoding'], undefined);
  });
});
