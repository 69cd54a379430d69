import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { openKubeAccess } from '../../agent/kubeAccess.ts';
import type { KubeApi } from '../../agent/kubeApi.ts';
import { createKubeApi, KubeError } from '../../agent/kubeApi.ts';
import { REQUEST_BOUNDS } from '../../agent/kubeRequest.ts';
import type { Script, ScriptedServer } from './scripted.ts';
import { answer, startScripted, temporaryFolder, writeKubeconfig } from './scripted.ts';

const BOUNDS = { ...REQUEST_BOUNDS, firstWaitMs: 5, longestWaitMs: 1500, attemptMs: 300 };
const signal = (): AbortSignal => AbortSignal.timeout(10_000);
const status = (reason: string) => ({
  kind: 'Status',
  reason,
  message: 'pods is forbidden: User "system:serviceaccount:secret-team:agent" cannot list',
});

describe('the Kubernetes API client', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: ScriptedServer;
  let close: () => void = () => undefined;

  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(async () => {
    close();
    await server.stop();
    await folder.remove();
  });

  async function against(script: Script, bounds = BOUNDS): Promise<KubeApi> {
    server = await startScripted(script);
    const access = await openKubeAccess(await writeKubeconfig(folder.path, server.url, 'first'));
    close = () => access.close();
    return createKubeApi(access, 'proxima-agent/spec', bounds);
  }

  async function listAll(api: KubeApi, path = '/api/v1/pods', stop = signal()) {
    let items: number[] = [];
    let starts = 0;
    const { listed } = await api.list<number>(path, {
      signal: stop,
      onStart() {
        items = [];
        starts += 1;
      },
      onItem: (item) => items.push(item),
    });
    return { listed, items, starts };
  }

  const failure = async (work: Promise<unknown>): Promise<KubeError> => {
    const error = await work.then(
      () => assert.fail('it did not fail'),
      (caught: unknown) => caught,
    );
    assert.ok(error instanceof KubeError, String(error));
    return error;
  };

  it('reads a list page by page over one connection, 500 at a time and without a resource version', async () => {
    const api = await against(({ url }, response) => {
      const from = Number(url.searchParams.get('continue') ?? 0);
      answer(response, 200, {
        items: [from, from + 1],
        metadata: from < 4 ? { continue: String(from + 2) } : {},
      });
    });
    assert.deepEqual(await listAll(api), { listed: 6, items: [0, 1, 2, 3, 4, 5], starts: 1 });
    assert.equal(server.connections(), 1);
    assert.deepEqual(
      server.received.map(({ url }) => url.search),
      ['?limit=500', '?limit=500&continue=2', '?limit=500&continue=4'],
    );
    assert.equal(server.received[0]?.headers.authorization, 'Bearer first');
    assert.equal(server.received[0]?.headers['user-agent'], 'proxima-agent/spec');
  });

  it('takes compressed pages and a list that Go wrote as null', async () => {
    const api = await against(({ url }, response) => {
      const items = url.pathname.endsWith('/pods') ? [1] : null;
      response.writeHead(200, { 'Content-Encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify({ items, metadata: {} })));
    });
    assert.deepEqual((await listAll(api)).items, [1]);
    assert.deepEqual((await listAll(api, '/api/v1/services')).items, []);
    assert.equal(server.received[0]?.headers['accept-encoding'], 'gzip');
  });

  it('asks for metadata alone where that is enough', async () => {
    const api = await against((_, response) => answer(response, 200, { items: [] }));
    await api.list('/apis/apps/v1/replicasets', {
      signal: signal(),
      metadataOnly: true,
      onStart: () => undefined,
      onItem: () => undefined,
    });
    assert.match(
      server.received[0]?.headers.accept ?? '',
      /as=PartialObjectMetadataList;g=meta\.k8s\.io;v=v1/,
    );
  });

  it('starts an expired list over once and keeps nothing of the first run', async () => {
    let expired = false;
    const api = await against(({ url }, response) => {
      const next = url.searchParams.get('continue');
      if (next === null)
        return answer(response, 200, { items: [expired ? 3 : 1], metadata: { continue: 'n' } });
      if (expired) return answer(response, 200, { items: [4], metadata: {} });
      expired = true;
      answer(response, 410, { ...status('Expired'), metadata: { continue: 'inconsistent' } });
    });
    assert.deepEqual(await listAll(api), { listed: 2, items: [3, 4], starts: 2 });
    assert.ok(!server.received.some(({ url }) => url.searchParams.get('continue') === 'inconsistent'));
  });

  it('fails a list that expires twice', async () => {
    const api = await against(({ url }, response) =>
      url.searchParams.has('continue')
        ? answer(response, 410, status('Expired'))
        : answer(response, 200, { items: [1], metadata: { continue: 'n' } }),
    );
    const error = await failure(listAll(api));
    assert.deepEqual([error.status, error.reason], [410, 'Expired']);
    assert.equal(server.received.length, 4);
  });

  it('says the status and reason of a refusal and nothing of its message, at once', async () => {
    const api = await against((_, response) => answer(response, 403, status('Forbidden')));
    const error = await failure(listAll(api));
    assert.deepEqual([error.status, error.reason], [403, 'Forbidden']);
    assert.equal(error.message, 'GET /api/v1/pods: 403 Forbidden');
    assert.doesNotMatch(String(error.stack) + String(error.cause), /secret-team/);
    assert.equal(server.received.length, 1);
  });

  it('takes the plain-text 404 of an absent API group as 404', async () => {
    const api = await against((_, response) => {
      response.writeHead(404, { 'Content-Type': 'text/plain' });
      response.end('404 page not found\n');
    });
    const error = await failure(api.get('/apis/metrics.k8s.io/v1beta1', { signal: signal() }));
    assert.deepEqual([error.status, error.reason], [404, null]);
  });

  it('tries again after 429 and 5xx, not before Retry-After has passed', async () => {
    const at: number[] = [];
    const api = await against((_, response) => {
      at.push(performance.now());
      if (at.length === 1) return answer(response, 429, status('TooManyRequests'), { 'Retry-After': '1' });
      if (at.length === 2) return answer(response, 500, status('InternalError'));
      answer(response, 200, { items: [7], metadata: {} });
    });
    assert.deepEqual((await listAll(api)).items, [7]);
    const [first = 0, second = 0] = at;
    assert.ok(second - first >= 990, `waited ${second - first} ms`);
  });

  it('gives up after its attempts, and at once when the server asks for a longer wait than it has', async () => {
    let after: Record<string, string> = {};
    const api = await against((_, response) => answer(response, 503, status('ServiceUnavailable'), after));
    const error = await failure(listAll(api));
    assert.deepEqual([error.status, error.reason], [503, 'ServiceUnavailable']);
    assert.equal(server.received.length, BOUNDS.attempts);
    after = { 'Retry-After': '3600' };
    await failure(listAll(api));
    assert.equal(server.received.length, BOUNDS.attempts + 1);
  });

  it('reads the kubeconfig again after a 401, because tokens rotate', async () => {
    const api = await against(async ({ headers }, response) => {
      if (headers.authorization === 'Bearer second') return answer(response, 200, { items: [1] });
      await writeKubeconfig(folder.path, server.url, 'second');
      answer(response, 401, status('Unauthorized'));
    });
    assert.deepEqual((await listAll(api)).items, [1]);
    assert.equal(server.received.length, 2);
  });

  it('asks only once more after a 401', async () => {
    const api = await against((_, response) => answer(response, 401, status('Unauthorized')));
    assert.equal((await failure(listAll(api))).status, 401);
    assert.equal(server.received.length, 2);
  });

  it('asks again for a page that was cut short, and hands over no half of it', async () => {
    let cut = false;
    const api = await against((_, response) => {
      if (cut) return answer(response, 200, { items: [1, 2], metadata: {} });
      cut = true;
      response.writeHead(200, { 'Content-Length': '1000' });
      response.write('{"items":[1,', () => response.destroy());
    });
    assert.deepEqual(await listAll(api), { listed: 2, items: [1, 2], starts: 1 });
  });

  it('waits for an answer no longer than an attempt may take', async () => {
    const api = await against(() => undefined, { ...BOUNDS, attempts: 2, attemptMs: 100 });
    const error = await failure(listAll(api));
    assert.deepEqual([error.status, error.reason], [0, 'timeout']);
    assert.equal(server.received.length, 2);
  });

  it('ends at once when its caller cancels', async () => {
    const api = await against(() => undefined, { ...BOUNDS, attemptMs: 60_000 });
    const error = await failure(listAll(api, '/api/v1/pods', AbortSignal.timeout(100)));
    assert.deepEqual([error.status, error.reason], [0, 'cancelled']);
  });

  it('refuses an answer larger than its bound, packed or not', async () => {
    const body = JSON.stringify({ items: [], pad: 'x'.repeat(5000) });
    const api = await against(
      ({ url }, response) => {
        const packed = url.pathname === '/packed';
        response.writeHead(200, packed ? { 'Content-Encoding': 'gzip' } : {});
        response.end(packed ? gzipSync(body) : body);
      },
      { ...BOUNDS, maxBytes: 4000 },
    );
    assert.equal((await failure(listAll(api, '/packed'))).reason, 'too_large');
    assert.equal((await failure(listAll(api, '/plain'))).reason, 'too_large');
    assert.equal(server.received.length, 2);
  });

  it('quotes nothing of a body that is not what was asked for', async () => {
    const bodies = ['hidden-value', '{"kind":"hidden-value"}', '{"items":"hidden-value"}', 'null'];
    const api = await against((_, response) => {
      response.end(bodies[server.received.length - 1]);
    });
    for (const _ of bodies) {
      const error = await failure(listAll(api));
      assert.deepEqual([error.status, error.reason], [0, 'bad_body']);
      assert.doesNotMatch(String(error.stack) + String(error.cause), /hidden/);
    }
  });

  it('says that a compressed page is broken, and quotes nothing of it', async () => {
    const whole = gzipSync(JSON.stringify({ items: ['hidden-value'], metadata: {} }));
    const bodies = [whole.subarray(0, -12), Buffer.from('hidden-value'), Buffer.alloc(0)];
    const api = await against((_, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' });
      response.end(bodies[server.received.length - 1]);
    });
    for (const _ of bodies) {
      const error = await failure(listAll(api));
      assert.deepEqual([error.status, error.reason], [0, 'bad_body']);
      assert.doesNotMatch(String(error.stack) + String(error.cause), /hidden/);
    }
  });

  it('throws what its caller throws over an item, as it is', async () => {
    const api = await against((_, response) => answer(response, 200, { items: [1], metadata: {} }));
    const mine = new SyntaxError('of the mapper');
    const listed = api.list('/api/v1/pods', {
      signal: signal(),
      onStart: () => undefined,
      onItem() {
        throw mine;
      },
    });
    await assert.rejects(listed, (error) => error === mine);
  });

  it('needs a kubeconfig or a pod, and says so', async () => {
    server = await startScripted((_, response) => answer(response, 200, {}));
    await assert.rejects(openKubeAccess(null), /no KUBECONFIG is set and this is not a pod/);
  });
});
