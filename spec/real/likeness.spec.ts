/**
 * The simulated cluster is held against the real API server: both are asked the same, and status, content type,
 * reason and shape must agree. Where they differ, the simulation is wrong.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { SimCluster } from '../../sim/cluster.ts';
import type { SimServer } from '../../sim/server.ts';
import { startSimServer } from '../../sim/server.ts';
import type { Answer, Asked, Question } from '../support/ask.ts';
import { ask, certificateAuthority } from '../support/ask.ts';
import type { ControlPlane } from '../support/kubernetes.ts';
import { startControlPlane } from '../support/kubernetes.ts';

const NAMESPACE = 'likeness';
const POD = 'talker';
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;
const LOG = `/api/v1/namespaces/${NAMESPACE}/pods/${POD}/log`;

interface Json {
  readonly [key: string]: unknown;
}

/** What the two must agree on in an answer: the Status as it is without its wording, or a list's frame. */
function shapeOf({ status, contentType, text }: Answer): Json {
  const type = contentType.split(';')[0] ?? '';
  if (type !== 'application/json') return { status, type, text: status === 200 ? undefined : text.trim() };
  const body = JSON.parse(text) as Json;
  if (body.kind === 'Status') {
    const details = (body.details ?? {}) as Json;
    const causes = ((details.causes ?? []) as Json[]).map(({ reason, field }) => ({ reason, field }));
    return {
      status,
      type,
      ...{
        kind: body.kind,
        apiVersion: body.apiVersion,
        of: body.status,
        reason: body.reason,
        code: body.code,
      },
      details: { name: details.name, group: details.group, kind: details.kind, causes },
      metadata: Object.keys((body.metadata ?? {}) as Json).sort(),
      hasMessage: typeof body.message === 'string' && body.message !== '',
    };
  }
  const metadata = (body.metadata ?? {}) as Json;
  const items = body.items as Json[] | undefined;
  return {
    status,
    type,
    ...{ kind: body.kind, apiVersion: body.apiVersion },
    keys: Object.keys(body).sort(),
    ...(items === undefined ? {} : { metadata: Object.keys(metadata).sort(), items: items.length }),
    ...(items?.[0] === undefined ? {} : { item: Object.keys(items[0]).sort() }),
  };
}

describe('the simulated cluster held against a real API server', function () {
  this.timeout(120_000);
  let kube: ControlPlane;
  let sim: SimServer;
  let cluster: SimCluster;
  /** The same two askers on each side: one who may do everything, one without any right. */
  let real: Asked;
  let simulated: Asked;
  let powerless: { real: string; simulated: string };

  /** Asks both and returns both answers, after their shapes were found equal. */
  async function bothAnswer(
    question: Question,
    as: 'admin' | 'powerless' | 'nobody' = 'admin',
  ): Promise<[Answer, Answer]> {
    const token = (side: 'real' | 'simulated'): Partial<Question> =>
      as === 'admin' ? {} : { token: as === 'nobody' ? 'no-such-token' : powerless[side] };
    const [a, b] = await Promise.all([
      ask(real, { ...question, ...token('real') }),
      ask(simulated, { ...question, ...token('simulated') }),
    ]);
    assert.deepEqual(shapeOf(b), shapeOf(a), `${question.method ?? 'GET'} ${question.path}`);
    return [a, b];
  }

  before(async () => {
    kube = await startControlPlane(['--nodes', '2', '--compaction', '5s']);
    await kube.kubectl(['create', 'namespace', NAMESPACE]);
    for (const account of ['admin', 'powerless']) {
      await kube.kubectl(['-n', NAMESPACE, 'create', 'serviceaccount', account]);
    }
    await kube.kubectl([
      ...['create', 'clusterrolebinding', 'likeness-admin', '--clusterrole=cluster-admin'],
      `--serviceaccount=${NAMESPACE}:admin`,
    ]);
    const tokenOf = async (account: string): Promise<string> =>
      (await kube.kubectl(['-n', NAMESPACE, 'create', 'token', account])).trim();
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: POD, namespace: NAMESPACE, labels: { app: POD } },
      spec: {
        containers: [{ name: 'main', image: 'registry.example/talker:1', resources: {} }],
        restartPolicy: 'Always' as const,
        terminationGracePeriodSeconds: 30,
      },
    };
    await kube.kubectl(['apply', '-f', '-'], JSON.stringify(pod));
    await kube.kubectl(['-n', NAMESPACE, 'wait', '--for=condition=Ready', `pod/${POD}`, '--timeout=60s']);
    const lines = [0, 1, 2, 3, 4].map((n) => ({
      at: new Date(Date.UTC(2026, 10, 30, 22, 0, n)),
      text: `line ${n}`,
    }));
    await writeFile(
      kube.podLog,
      lines.map(({ at, text }) => `${at.toISOString().replace('Z', '000001Z')} stdout F ${text}\n`).join(''),
    );
    real = { url: kube.url, token: await tokenOf('admin'), ca: certificateAuthority(kube.kubeconfig) };

    cluster = new SimCluster({ seed: 3, pods: 40, now: new Date(), metrics: false });
    cluster.put('namespaces', { metadata: { name: NAMESPACE } });
    cluster.put('pods', { metadata: pod.metadata, spec: pod.spec });
    cluster.advance(60_000);
    cluster.logs.write(
      ...([NAMESPACE, POD, 'main'] as const),
      lines.map(({ at, text }) => ({ atMs: at.getTime(), nanos: 1, text })),
    );
    sim = await startSimServer(cluster);
    simulated = { url: sim.url, token: [...sim.tokens.keys()][0] ?? '', ca: null };
    powerless = { real: await tokenOf('powerless'), simulated: 'powerless' };
    sim.tokens.set('powerless', { deny: [{}] });
  });
  after(async () => {
    await Promise.all([sim?.stop(), kube?.stop()]);
  });

  it('pages a list through continue tokens, with a remaining count and one version', async () => {
    const pages = async (side: Asked): Promise<Json[]> => {
      const seen: Json[] = [];
      let token = '';
      do {
        const answer = await ask(side, {
          path: `/api/v1/namespaces?limit=2${token && `&continue=${token}`}`,
        });
        assert.equal(answer.status, 200);
        const body = JSON.parse(answer.text) as { metadata: Json; items: Json[] };
        seen.push({ ...body.metadata, items: body.items.length });
        token = encodeURIComponent(String(body.metadata.continue ?? ''));
      } while (token !== '');
      return seen;
    };
    for (const [side, all] of [
      [real, await pages(real)],
      [simulated, await pages(simulated)],
    ] as const) {
      const total = (JSON.parse((await ask(side, { path: '/api/v1/namespaces' })).text) as { items: Json[] })
        .items.length;
      assert.ok(all.length >= 2);
      assert.equal(new Set(all.map((page) => page.resourceVersion)).size, 1);
      assert.deepEqual(
        all.map((page) => page.remainingItemCount),
        all.map((_, n) => (n === all.length - 1 ? undefined : total - 2 * (n + 1))),
      );
      assert.equal(all.at(-1)?.continue, undefined);
    }
  });

  it('ignores limit when resourceVersion is 0', async () => {
    for (const side of [real, simulated]) {
      const answer = await ask(side, { path: '/api/v1/namespaces?limit=1&resourceVersion=0' });
      const body = JSON.parse(answer.text) as { metadata: Json; items: Json[] };
      assert.ok(body.items.length > 1);
      assert.equal(body.metadata.continue, undefined);
    }
  });

  it('answers 410 Expired to an old continue token, with one to go on inconsistently', async () => {
    const first = async (side: Asked): Promise<string> =>
      encodeURIComponent(
        String(
          (JSON.parse((await ask(side, { path: '/api/v1/namespaces?limit=1' })).text) as { metadata: Json })
            .metadata.continue,
        ),
      );
    const [old, oldSimulated] = [await first(real), await first(simulated)];
    cluster.put('namespaces', { metadata: { name: 'later' } });
    cluster.compact();
    let expired = await ask(real, { path: `/api/v1/namespaces?limit=1&continue=${old}` });
    for (let n = 0; expired.status === 200 && n < 60; n += 1) {
      // A compaction needs a newer revision to compact up to.
      await kube.kubectl(['label', 'namespace', NAMESPACE, `n=${n}`, '--overwrite']);
      await sleep(1000);
      expired = await ask(real, { path: `/api/v1/namespaces?limit=1&continue=${old}` });
    }
    const answered = await ask(simulated, { path: `/api/v1/namespaces?limit=1&continue=${oldSimulated}` });
    assert.equal(expired.status, 410);
    assert.deepEqual(shapeOf(answered), shapeOf(expired));
  });

  const questions: [string, Question, ('powerless' | 'nobody')?][] = [
    ['a malformed continue token', { path: '/api/v1/namespaces?limit=1&continue=nonsense' }],
    ['a limit that is no number', { path: '/api/v1/namespaces?limit=x' }],
    ['a get of nothing', { path: `/api/v1/namespaces/${NAMESPACE}/pods/none` }],
    ['a get of nothing in a named group', { path: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/none` }],
    ['a list of an empty namespace', { path: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments` }],
    ['a list by label', { path: `/api/v1/namespaces/${NAMESPACE}/pods?labelSelector=app%3D${POD}` }],
    [
      'a list by field',
      { path: `/api/v1/namespaces/${NAMESPACE}/pods?fieldSelector=metadata.name%3D${POD}` },
    ],
    ['a list by a field that cannot be selected', { path: `/api/v1/pods?fieldSelector=spec.nonsense%3D1` }],
    ['metadata alone', { path: `/api/v1/namespaces/${NAMESPACE}/pods`, accept: METADATA_ONLY }],
    ['a forbidden list', { path: '/api/v1/pods' }, 'powerless'],
    ['a forbidden list in a named group', { path: '/apis/apps/v1/deployments' }, 'powerless'],
    ['a forbidden list in a namespace', { path: `/api/v1/namespaces/${NAMESPACE}/pods` }, 'powerless'],
    ['a forbidden get', { path: `/api/v1/namespaces/${NAMESPACE}/pods/${POD}` }, 'powerless'],
    ['an unknown token', { path: '/api/v1/pods' }, 'nobody'],
    ['an API group that is not served', { path: '/apis/metrics.k8s.io/v1beta1/nodes' }],
    ['the discovery of a group that is not served', { path: '/apis/metrics.k8s.io/v1beta1' }],
    ['a path that leads nowhere', { path: '/nowhere' }],
    ['a resource that a group does not have', { path: '/apis/apps/v1/nonsense' }],
    ['the log of an unknown pod', { path: `/api/v1/namespaces/${NAMESPACE}/pods/none/log` }],
    ['the log of an unknown container', { path: `${LOG}?container=none` }],
    ['a negative tail', { path: `${LOG}?tailLines=-1` }],
    ['a since time that is none', { path: `${LOG}?sinceTime=yesterday` }],
  ];
  for (const [title, question, as] of questions) {
    it(`answers alike: ${title}`, async () => {
      await bothAnswer(question, as);
    });
  }

  it('serves a log with tail, since time and stamps, byte for byte', async () => {
    for (const query of [
      '',
      'tailLines=2',
      'timestamps=true',
      'sinceTime=2026-11-30T22:00:03Z',
      'sinceTime=2026-11-30T22:00:01Z&tailLines=1&timestamps=true',
      'tailLines=0',
    ]) {
      const [a, b] = await bothAnswer({ path: `${LOG}?${query}` });
      assert.equal(b.text, a.text, query);
    }
  });

  it('tells a Lease that exists from one that changed meanwhile', async () => {
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'l' },
      spec: { holderIdentity: 'a' },
    };
    const [made] = await bothAnswer({ method: 'POST', path: LEASES, body: lease });
    assert.equal(made.status, 201);
    const [exists] = await bothAnswer({ method: 'POST', path: LEASES, body: lease });
    assert.equal((JSON.parse(exists.text) as Json).reason, 'AlreadyExists');
    const stale = { ...lease, metadata: { name: 'l', resourceVersion: '1' } };
    const [conflict] = await bothAnswer({ method: 'PUT', path: `${LEASES}/l`, body: stale });
    assert.equal((JSON.parse(conflict.text) as Json).reason, 'Conflict');
    for (const side of [real, simulated]) {
      const held = JSON.parse((await ask(side, { path: `${LEASES}/l` })).text) as {
        metadata: Json;
        spec: Json;
      };
      const renewed = await ask(side, {
        method: 'PUT',
        path: `${LEASES}/l`,
        body: { ...held, spec: { ...held.spec, holderIdentity: 'b', leaseTransitions: 1 } },
      });
      assert.equal(renewed.status, 200);
    }
    await bothAnswer({ path: `${LEASES}/none` });
  });

  it('reviews the access of whoever asks', async () => {
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: { verb: 'get', resource: 'pods', subresource: 'log', namespace: NAMESPACE },
      },
    };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    for (const as of ['admin', 'powerless'] as const) {
      const answers = await bothAnswer({ method: 'POST', path, body: review }, as);
      for (const { text } of answers) {
        assert.equal((JSON.parse(text) as { status: Json }).status.allowed, as === 'admin');
      }
    }
  });

  it('discovers the resources that the agent reads, with the same names and verbs to list them', async () => {
    for (const group of [
      '/api/v1',
      '/apis/apps/v1',
      '/apis/batch/v1',
      '/apis/discovery.k8s.io/v1',
      '/apis/autoscaling/v2',
    ]) {
      const read = async (side: Asked): Promise<Map<string, Json>> => {
        const body = JSON.parse((await ask(side, { path: group })).text) as { resources: Json[] };
        return new Map(body.resources.map((resource) => [String(resource.name), resource]));
      };
      const [there, here] = [await read(real), await read(simulated)];
      for (const [name, resource] of here) {
        const other = there.get(name);
        assert.ok(other, `${group} has ${name}`);
        assert.deepEqual(
          [resource.kind, resource.namespaced, resource.singularName],
          [other.kind, other.namespaced, other.singularName],
        );
      }
    }
  });
});
