import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { type Rig, startRig } from './rig.ts';

describe('sim: who may ask what', () => {
  let rig: Rig;
  const agent = 'system:serviceaccount:proxima-system:agent';
  before(async () => {
    rig = await startRig(
      {},
      {
        tokens: {
          'simulated-administrator': {},
          limited: {
            user: agent,
            deny: [{ resource: 'pods' }, { resource: 'deployments', verb: 'get' }, { resource: 'pods/log' }],
          },
        },
      },
    );
  });
  after(() => rig.server.stop());

  it('answers 401 to an unknown token, on every path, and without details', async () => {
    for (const path of ['/api/v1/pods', '/version']) {
      const answer = await rig.get(path, { token: 'wrong' });
      assert.equal(answer.status, 401);
      assert.deepEqual(answer.body(), {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'Unauthorized',
        reason: 'Unauthorized',
        code: 401,
      });
    }
  });

  it('takes a request without a token for an anonymous one: the version and nothing else', async () => {
    assert.equal((await rig.get('/version', { token: null })).status, 200);
    const answer = await rig.get('/api', { token: null });
    assert.equal(answer.status, 403);
    assert.equal(answer.body().message, 'forbidden: User "system:anonymous" cannot get path "/api"');
  });

  it('names user, verb, resource, group and scope in a 403', async () => {
    const ask = async (path: string): Promise<[number, string | undefined, object | undefined]> => {
      const answer = await rig.get(path, { token: 'limited' });
      return [answer.status, answer.body().message, answer.body().details];
    };
    assert.deepEqual(await ask('/api/v1/pods'), [
      403,
      `pods is forbidden: User "${agent}" cannot list resource "pods" in API group "" at the cluster scope`,
      { kind: 'pods' },
    ]);
    assert.deepEqual(await ask('/apis/apps/v1/namespaces/a/deployments/web'), [
      403,
      `deployments.apps "web" is forbidden: User "${agent}" cannot get resource "deployments" in API group "apps" in the namespace "a"`,
      { name: 'web', group: 'apps', kind: 'deployments' },
    ]);
    assert.deepEqual(await ask('/api/v1/namespaces/a/pods/p/log'), [
      403,
      `pods "p" is forbidden: User "${agent}" cannot get resource "pods/log" in API group "" in the namespace "a"`,
      { name: 'p', kind: 'pods' },
    ]);
    assert.equal((await rig.get('/apis/apps/v1/deployments', { token: 'limited' })).status, 200);
  });

  it('reviews the access of the token that asks, with the answers that requests then get', async () => {
    const allowed = async (attributes: object): Promise<unknown> => {
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
      const answer = await rig.send('POST', path, { spec: { resourceAttributes: attributes } }, 'limited');
      assert.equal(answer.status, 201);
      return answer.body().status;
    };
    assert.deepEqual(await allowed({ verb: 'list', resource: 'pods' }), { allowed: false });
    assert.deepEqual(await allowed({ verb: 'list', resource: 'nodes' }), { allowed: true });
    assert.deepEqual(await allowed({ verb: 'get', group: 'apps', resource: 'deployments' }), {
      allowed: false,
    });
    assert.deepEqual(await allowed({ verb: 'get', resource: 'pods', subresource: 'log' }), {
      allowed: false,
    });
  });

  it('takes tokens and rights away and gives them while it runs', async () => {
    rig.server.tokens.set('passing', {});
    assert.equal((await rig.get('/api/v1/nodes', { token: 'passing' })).status, 200);
    rig.server.tokens.set('passing', { deny: [{ resource: 'nodes' }] });
    assert.equal((await rig.get('/api/v1/nodes', { token: 'passing' })).status, 403);
    rig.server.tokens.delete('passing');
    assert.equal((await rig.get('/api/v1/nodes', { token: 'passing' })).status, 401);
  });

  it('writes a kubeconfig that leads here with the given token', () => {
    const config = parse(rig.server.kubeconfig('limited')) as {
      clusters: { cluster: { server: string } }[];
      users: { user: { token: string } }[];
    };
    assert.equal(config.clusters[0]?.cluster.server, rig.server.url);
    assert.equal(config.users[0]?.user.token, 'limited');
  });
});

describe('sim: what is there', () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig({
      argo: { rollouts: true, applications: false },
      metrics: false,
      distribution: 'k3s',
    });
  });
  after(() => rig.server.stop());

  it('names the version of its distribution', async () => {
    const version = (await rig.get('/version')).body();
    assert.deepEqual([version.major, version.minor], ['1', '37']);
    assert.match(String(version.gitVersion), /^v1\.37\.\d+\+k3s/);
  });

  it('answers an absent group with plain text, and an absent resource of a group with a Status', async () => {
    for (const path of [
      '/apis/foo.io/v1',
      '/apis/metrics.k8s.io/v1beta1',
      '/apis/metrics.k8s.io/v1beta1/nodes',
    ]) {
      const answer = await rig.get(path);
      assert.equal(answer.status, 404);
      assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/);
      assert.equal(answer.text, '404 page not found\n');
    }
    for (const path of ['/api/v1/nope', '/apis/apps/v1/nope', '/api/v1/namespaces/kube-system/nodes']) {
      const answer = await rig.get(path);
      assert.equal(answer.status, 404);
      assert.equal(answer.body().reason, 'NotFound');
    }
  });

  it('names an object that is missing by its plural resource, with the group where it has one', async () => {
    const pod = (await rig.get('/api/v1/namespaces/kube-system/pods/none')).body();
    assert.equal(pod.message, 'pods "none" not found');
    assert.deepEqual(pod.details, { name: 'none', kind: 'pods' });
    const set = (await rig.get('/apis/apps/v1/namespaces/kube-system/daemonsets/none')).body();
    assert.deepEqual(set.details, { name: 'none', group: 'apps', kind: 'daemonsets' });
  });

  it('answers 405 where a verb is not offered', async () => {
    assert.equal((await rig.send('POST', '/api/v1/pods', {})).status, 405);
    assert.equal((await rig.send('DELETE', '/version')).status, 405);
    assert.equal((await rig.get('/api/v1/pods?watch=true')).status, 405);
  });

  it('lets optional APIs come and go, in discovery as in lists', async () => {
    const discovered = async (): Promise<unknown[]> => {
      const answer = await rig.get('/apis/argoproj.io/v1alpha1');
      if (answer.status === 404) return [];
      return (answer.body().resources as { name: string }[]).map(({ name }) => name);
    };
    assert.deepEqual(await discovered(), ['rollouts', 'rollouts/status', 'rollouts/scale']);
    assert.equal((await rig.get('/apis/argoproj.io/v1alpha1/applications')).status, 404);
    rig.cluster.serves.rollouts = false;
    assert.deepEqual(await discovered(), []);
    assert.equal((await rig.get('/apis/argoproj.io/v1alpha1/rollouts')).status, 404);
    rig.cluster.serves.metrics = true;
    const metrics = (await rig.get('/apis/metrics.k8s.io/v1beta1/nodes')).body();
    assert.equal(metrics.kind, 'NodeMetricsList');
    assert.deepEqual(
      metrics.items?.map(({ metadata }) => metadata.name),
      rig.cluster.list('nodes').map(({ metadata }) => metadata.name),
    );
  });

  it('lists every discovered resource under its own path', async () => {
    const groups = (await rig.get('/apis')).body().groups as { preferredVersion: { groupVersion: string } }[];
    const roots = ['/api/v1', ...groups.map((group) => `/apis/${group.preferredVersion.groupVersion}`)];
    for (const root of roots) {
      const { resources } = (await rig.get(root)).body() as unknown as {
        resources: { name: string; kind: string; verbs: string[] }[];
      };
      for (const { name, kind, verbs } of resources) {
        if (!verbs.includes('list')) continue;
        assert.equal((await rig.get(`${root}/${name}?limit=1`)).body().kind, `${kind}List`);
      }
    }
  });
});
