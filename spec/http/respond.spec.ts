import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { created } from '../../http/answer.ts';
import { openRoute } from '../../http/route.ts';
import { routes } from '../../http/routes/index.ts';
import type { BackendUnderTest } from './backendUnderTest.ts';
import { startBackend } from './backendUnderTest.ts';

const large = openRoute({
  method: 'POST',
  path: '/large',
  summary: 'Answers much.',
  reason: 'a spec asks it',
  answer: null,
  handle: async () => created('much '.repeat(4000)),
});

describe('answers on the wire', () => {
  let backend: BackendUnderTest;
  let token: string;
  let cluster: string;

  before(async () => {
    backend = await startBackend({}, [...routes, large]);
    token = await backend.tokenFor({ role: 'super_admin' });
    cluster = await backend.cluster({ slug: 'here' });
  });
  after(() => backend.stop());

  const get = (path: string, headers: Record<string, string> = {}) => backend.ask(path, { token, headers });

  /** The bytes as they came; fetch would unpack them. */
  const raw = (path: string, headers: Record<string, string>, method = 'GET') =>
    new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; bytes: Buffer }>(
      (resolve, reject) => {
        const outgoing = request(
          backend.url + path,
          { method, headers: { Authorization: `Bearer ${token}`, ...headers } },
          async (incoming) => {
            const bytes = Buffer.concat(await incoming.toArray());
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, bytes });
          },
        );
        outgoing.on('error', reject);
        outgoing.end();
      },
    );

  it('are tagged where they are one object or a summary, and not sent again to whoever has them', async () => {
    const [node] = (await get(`/api/v1/clusters/${cluster}/nodes`)).json.data;
    for (const path of ['', '/summary', `/nodes/${node?.id}`]) {
      const first = await get(`/api/v1/clusters/${cluster}${path}`);
      const tag = first.headers.get('etag') ?? '';
      match(tag, /^W\/"[\w-]{27}"$/);
      equal(first.headers.get('cache-control'), 'private, no-cache');
      match(first.headers.get('vary') ?? '', /Authorization/);
      const again = await get(`/api/v1/clusters/${cluster}${path}`, { 'If-None-Match': `"other", ${tag}` });
      deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', tag]);
      equal((await get(`/api/v1/clusters/${cluster}${path}`, { 'If-None-Match': '"other"' })).status, 200);
    }
    await backend.pool.query("update k8s_nodes set status = 'NotReady' where id = $1", [node?.id]);
    for (const path of ['/summary', `/nodes/${node?.id}`]) {
      const before = (await get(`/api/v1/clusters/${cluster}${path}`)).headers.get('etag') ?? '';
      await backend.pool.query("update k8s_nodes set status = 'Ready' where id = $1", [node?.id]);
      const after = await get(`/api/v1/clusters/${cluster}${path}`, { 'If-None-Match': before });
      equal(after.status, 200);
      notEqual(after.headers.get('etag'), before);
      await backend.pool.query("update k8s_nodes set status = 'NotReady' where id = $1", [node?.id]);
    }
  });

  it('do not confirm a tag to a caller who may not see the object', async () => {
    const tag = (await get(`/api/v1/clusters/${cluster}`)).headers.get('etag') ?? '';
    const stranger = await backend.tokenFor({ role: 'viewer', ...(await backend.place('globex', 'prod')) });
    const headers = { 'If-None-Match': tag };
    equal((await backend.ask(`/api/v1/clusters/${cluster}`, { token: stranger, headers })).status, 404);
  });

  it('are compressed for whoever takes gzip, when they are large, and hold the same', async () => {
    const path = `/api/v1/clusters/${cluster}/pods`;
    const plain = await raw(path, { 'Accept-Encoding': 'identity' });
    const packed = await raw(path, { 'Accept-Encoding': 'br;q=1, gzip;q=0.8' });
    equal(plain.headers['content-encoding'], undefined);
    equal(packed.headers['content-encoding'], 'gzip');
    ok(packed.bytes.length * 3 < plain.bytes.length);
    deepEqual(JSON.parse(gunzipSync(packed.bytes).toString()), JSON.parse(plain.bytes.toString()));
    for (const answer of [plain, packed]) match(String(answer.headers.vary), /Accept-Encoding/);
    equal(
      (await raw(path, { 'Accept-Encoding': 'gzip;q=0, identity' })).headers['content-encoding'],
      undefined,
    );
    equal((await raw(path, {})).headers['content-encoding'], undefined);
    const small = await raw('/api/v1/hosts', { 'Accept-Encoding': 'gzip' });
    equal(small.headers['content-encoding'], undefined);
  });

  it('are never compressed when they answer a POST, which may hold a secret (BREACH)', async () => {
    const answer = await raw('/large', { 'Accept-Encoding': 'gzip' }, 'POST');
    deepEqual([answer.status, answer.headers['content-encoding']], [201, undefined]);
    ok(answer.bytes.length > 10_000);
  });
});
