import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { syncCluster } from '../../actors/syncCluster.ts';
import { bootstrapAdministrator, demoAdministratorToken } from '../../http/bootstrap.ts';
import { findAgent, recordHeartbeat } from '../../store/agents.ts';
import type { Refused } from '../../store/rejected.ts';
import { keepRejected } from '../../store/rejected.ts';
import { enrollAgent, snapshotOf } from '../support/enrolled.ts';
import type { Logged } from '../support/ingest.ts';
import { collectInto } from '../support/ingest.ts';
import { freshDatabase } from '../support/postgres.ts';
import type { Answered, BackendUnderTest } from './backendUnderTest.ts';
import { startBackend } from './backendUnderTest.ts';

const ADMIN = '/api/v1/admin';
const UNKNOWN = '5f0c52f2-7a3e-4a0b-9d6e-3f5b1c2d4e6a';

describe('administration', () => {
  let backend: BackendUnderTest;
  let token: string;
  const logged: Logged[] = [];

  before(async () => {
    backend = await startBackend({ log: collectInto(logged) });
    token = await backend.tokenFor({ role: 'super_admin' });
  });
  after(() => backend.stop());

  const get = (path: string, by = token) => backend.ask(path, { token: by });
  const post = (path: string, body: unknown, by = token) =>
    backend.ask(path, { method: 'POST', token: by, body });
  const remove = (path: string) => backend.ask(path, { method: 'DELETE', token });
  const idOf = (answer: Answered): string => {
    equal(answer.status, 201, answer.text);
    return String(answer.json.data.id);
  };

  const reject = (message: Pick<Refused, 'agentId' | 'clusterSlug' | 'clusterUid' | 'bytes'>) =>
    keepRejected(backend.pool, {
      ...message,
      type: 'kubernetes',
      subject: 'proxima.acme.prod.x.kubernetes',
      reason: 'foreign_cluster',
      detail: null,
      publishedAt: backend.now(),
      receivedAt: backend.now(),
      contentEncoding: null,
    });

  it('makes clients and environments with slugs that fit a NATS subject', async () => {
    const client = idOf(await post(`${ADMIN}/clients`, { slug: 'acme', name: 'Acme' }));
    equal((await post(`${ADMIN}/clients`, { slug: 'acme', name: 'Again' })).json.error.code, 'slug_taken');
    for (const slug of ['system', 'Acme', 'a.b', '-a', 'a-', 'a*', '', 'x'.repeat(64)]) {
      equal((await post(`${ADMIN}/clients`, { slug, name: 'X' })).status, 400, slug);
    }
    const body = { client_id: client, slug: 'prod', name: 'Production' };
    idOf(await post(`${ADMIN}/environments`, body));
    equal((await post(`${ADMIN}/environments`, body)).status, 409);
    equal((await post(`${ADMIN}/environments`, { ...body, client_id: UNKNOWN })).status, 404);
    equal((await get(`${ADMIN}/environments?client_id=${client}`)).json.meta.total, 1);
    equal((await get(`${ADMIN}/environments?client_id=${UNKNOWN}`)).json.meta.total, 0);
  });

  it('makes users with an email and services without', async () => {
    idOf(await post(`${ADMIN}/callers`, { type: 'user', name: 'Ann', email: 'ann@example.com' }));
    equal(
      (await post(`${ADMIN}/callers`, { type: 'user', name: 'Ann', email: 'ANN@example.com' })).status,
      409,
    );
    equal((await post(`${ADMIN}/callers`, { type: 'user', name: 'Bob' })).status, 400);
    equal(
      (await post(`${ADMIN}/callers`, { type: 'service', name: 'CI', email: 'ci@example.com' })).status,
      400,
    );
  });

  it('shows a token once, stores its hash, records its use, and ends it', async () => {
    const caller = idOf(await post(`${ADMIN}/callers`, { type: 'service', name: 'CI' }));
    idOf(await post(`${ADMIN}/callers/${caller}/grants`, { role: 'viewer' }));
    const made = await post(`${ADMIN}/callers/${caller}/tokens`, { name: 'ci' });
    const secret = String(made.json.data.token);
    match(secret, /^pxt_[\w-]{43}$/);
    const { rows } = await backend.pool.query('select row_to_json(t)::text as text from caller_tokens t');
    for (const { text } of rows) ok(!text.includes(secret));

    const listed = async () => (await get(`${ADMIN}/callers/${caller}/tokens`)).json.data[0];
    equal((await listed())?.last_used_at, null);
    equal((await get('/api/v1/clusters', secret)).status, 200);
    const used = (await listed())?.last_used_at;
    ok(used);
    equal((await get('/api/v1/clusters', secret)).status, 200);
    equal((await listed())?.last_used_at, used);
    backend.advance(61_000);
    equal((await get('/api/v1/clusters', secret)).status, 200);
    ok(String((await listed())?.last_used_at) > String(used));
    ok(!JSON.stringify(await listed()).includes(secret));

    equal((await remove(`${ADMIN}/callers/${UNKNOWN}/tokens/${made.json.data.id}`)).status, 404);
    equal((await remove(`${ADMIN}/callers/${caller}/tokens/${made.json.data.id}`)).status, 204);
    equal((await get('/api/v1/clusters', secret)).status, 401);
  });

  it('refuses an expired token', async () => {
    const caller = idOf(await post(`${ADMIN}/callers`, { type: 'service', name: 'short' }));
    const made = await post(`${ADMIN}/callers/${caller}/tokens`, { name: 't', expires_in_hours: 1 });
    backend.advance(3_600_001);
    equal((await get('/api/v1/clusters', String(made.json.data.token))).status, 401);
  });

  it('grants on everything, a client or an environment, and super_admin on everything only (AU-07, U-27)', async () => {
    const caller = idOf(await post(`${ADMIN}/callers`, { type: 'service', name: 'granted' }));
    const place = await backend.place('umbrella', 'prod');
    const other = await backend.place('initech', 'prod');
    const grants = `${ADMIN}/callers/${caller}/grants`;
    const made = await post(grants, { role: 'operator', environment_id: place.environment_id });
    equal(made.json.data.client_id, place.client_id);
    equal((await post(grants, { role: 'operator', ...place })).json.error.code, 'grant_exists');
    const crossed = { role: 'viewer', client_id: other.client_id, environment_id: place.environment_id };
    equal((await post(grants, crossed)).status, 404);
    equal((await post(grants, { role: 'super_admin', client_id: place.client_id })).status, 400);
    equal((await post(grants, { role: 'owner' })).status, 400);
    equal((await remove(`${grants}/${made.json.data.id}`)).status, 204);
    equal((await get(grants)).json.meta.total, 0);
  });

  it('accepts a uid for a rebuilt cluster only when its agents reported it', async () => {
    const cluster = await backend.cluster({
      client: 'acme',
      environment: 'prod',
      slug: 'rebuilt',
      uid: 'old',
    });
    await enrollAgent(backend.pool, {
      client: 'acme',
      environment: 'prod',
      slug: 'rebuilt',
      uid: 'new',
      name: 'second',
    });
    const path = `${ADMIN}/clusters/${cluster}/accept-uid`;
    const refused = await post(path, { uid: 'invented' });
    equal(refused.json.error.code, 'uid_not_listed');
    deepEqual(refused.json.error.details?.listed, ['new', 'old']);
    equal((await post(path, { uid: 'new' })).status, 200);
    const accepted = () => logged.filter(({ message }) => message === 'cluster uid accepted');
    const [line] = accepted();
    ok(line && 'caller_id' in line.fields);
    deepEqual(
      { ...line.fields, caller_id: '' },
      { cluster_id: cluster, caller_id: '', uid: 'new', uid_before: 'old' },
    );
    const { data } = (await get(`/api/v1/clusters/${cluster}`)).json;
    equal(data.uid, 'new');
    equal(data.snapshot_at, null);
    await backend.pool.query('update clusters set snapshot_at = now() where id = $1', [cluster]);
    equal((await post(path, { uid: 'new' })).status, 200);
    equal(accepted().length, 1);
    ok(
      (await get(`/api/v1/clusters/${cluster}`)).json.data.snapshot_at,
      'a repeated call starts nothing over',
    );
    for (const id of [UNKNOWN, 'x']) {
      equal((await post(`${ADMIN}/clusters/${id}/accept-uid`, { uid: 'new' })).status, 404);
    }
    for (const body of [{}, { uid: '' }, { uid: 7 }]) equal((await post(path, body)).status, 400);
  });

  it('binds an agent that kept its state to the uid that was accepted, and stores its next snapshot', async () => {
    const where = { client: 'acme', environment: 'prod', slug: 'kept-state', uid: 'old' };
    const cluster = await backend.cluster(where);
    const { rows } = await backend.pool.query<{ id: string }>(
      `select id from agents where cluster_slug = 'kept-state'`,
    );
    const agentId = rows[0]?.id ?? '';
    const send = async () => {
      const agent = await findAgent(backend.pool, agentId);
      ok(agent);
      const snapshot = snapshotOf({ ...agent, cluster_uid: 'new' }, 1);
      const input = { agent, snapshot, publishedAt: backend.now(), folded: 0 };
      return (await syncCluster(backend.pool, input, { now: backend.now, timeoutMs: 20_000 })).outcome;
    };
    equal(await send(), 'rejected');
    await reject({ agentId, clusterSlug: 'kept-state', clusterUid: 'new', bytes: Buffer.from('{}') });
    equal((await post(`${ADMIN}/clusters/${cluster}/accept-uid`, { uid: 'new' })).status, 200);
    equal(await send(), 'stored');
  });

  it('lists what ingest refused, and shows the first 64 KiB of it to administrators', async () => {
    const bytes = Buffer.alloc(70_000, 'é');
    await reject({ agentId: 'large', clusterSlug: null, clusterUid: null, bytes });
    const { data } = (await get(`${ADMIN}/rejected?per_page=100`)).json;
    const listed = data.find((message) => message.agent_id === 'large');
    equal(listed?.size_bytes, 70_000);
    ok(!('head' in (listed ?? {})));
    const whole = await get(`${ADMIN}/rejected/${listed?.id}`);
    equal(whole.status, 200);
    ok(Buffer.from(String(whole.json.data.head), 'base64').equals(bytes.subarray(0, 64 * 1024)));
    for (const id of [UNKNOWN, 'x']) equal((await get(`${ADMIN}/rejected/${id}`)).status, 404);
  });

  it('shows the fleet: connected, standby beside a leader, offline after 45 s (EN-12, HA-06, X-14)', async () => {
    const where = { client: 'fleet', environment: 'prod', slug: 'ha' };
    const leader = await enrollAgent(backend.pool, { ...where, name: 'a-0' });
    await enrollAgent(backend.pool, { ...where, name: 'a-1' });
    await enrollAgent(backend.pool, { ...where, slug: 'silent', name: 'a-0' });
    const viewer = await backend.tokenFor({ role: 'viewer', client_id: leader.client_id });
    const fleet = async () => (await get('/api/v1/agents', viewer)).json.data.map((agent) => agent.status);
    deepEqual(await fleet(), ['offline', 'offline', 'offline']);
    const epoch = { lease_uid: 'lease', transitions: 3 };
    await recordHeartbeat(backend.pool, {
      agentId: leader.id,
      agentVersion: '0.9.1',
      epoch,
      at: backend.now(),
    });
    deepEqual(await fleet(), ['connected', 'standby', 'offline']);
    const { data } = (await get(`/api/v1/agents/${leader.id}`, viewer)).json;
    deepEqual(data.epoch, epoch);
    equal(data.agent_version, '0.9.1');
    backend.advance(45_000);
    deepEqual(await fleet(), ['offline', 'offline', 'offline']);
  });

  it('keeps one host of a name in an environment', async () => {
    const place = await backend.place('acme', 'prod');
    const body = { environment_id: place.environment_id, hostname: 'node-1', ip_address: '10.0.0.1' };
    const host = idOf(await post('/api/v1/hosts', body));
    equal((await post('/api/v1/hosts', body)).json.error.code, 'hostname_taken');
    equal((await remove(`/api/v1/hosts/${host}`)).status, 204);
    equal((await remove(`/api/v1/hosts/${host}`)).status, 404);
  });
});

describe('the first administrator', () => {
  it('gets one token at the first start, for 24 hours, however many replicas start', async () => {
    const { pool, drop } = await freshDatabase();
    try {
      const now = new Date();
      const tokens = await Promise.all([1, 2, 3].map(() => bootstrapAdministrator(pool, now)));
      equal(tokens.filter((token) => token !== null).length, 1);
      const { rows } = await pool.query('select expires_at from caller_tokens');
      deepEqual(
        rows.map((row) => row.expires_at.getTime() - now.getTime()),
        [24 * 3_600_000],
      );
      equal(await bootstrapAdministrator(pool, now), null);
      ok(await demoAdministratorToken(pool, now));
      equal((await pool.query('select from callers')).rowCount, 1);
    } finally {
      await drop();
    }
  });
});
