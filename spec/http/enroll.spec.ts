import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { renderMetrics } from '../../actors/metrics.ts';
import type { Nkey } from '../../actors/nkey.ts';
import { createNkey } from '../../actors/nkey.ts';
import { bindClusterUid, deleteAgent } from '../../store/agents.ts';
import { renewalText } from '../../wire/enroll.ts';
import type { Answered, BackendUnderTest, PlaceIds } from './backendUnderTest.ts';
import { startBackend } from './backendUnderTest.ts';

const MINUTE_MS = 60_000;

describe('enrollment', () => {
  let backend: BackendUnderTest;
  let place: PlaceIds;
  let admin: string;
  let serial = 0;

  before(async () => {
    backend = await startBackend();
    place = await backend.place('acme', 'prod');
    admin = await backend.tokenFor({ role: 'admin', ...place });
  });
  after(() => backend.stop());
  // Ten attempts a minute and address: each test gets its own minute.
  beforeEach(() => {
    backend.advance(MINUTE_MS);
    serial += 1;
  });

  async function installToken(more: object = {}): Promise<{ id: string; token: string }> {
    const body = { environment_id: place.environment_id, ...more };
    const { status, json } = await backend.ask('/api/v1/install-tokens', {
      method: 'POST',
      token: admin,
      body,
    });
    equal(status, 201);
    return json.data as unknown as { id: string; token: string };
  }

  const request = (installToken: string, nkey: Nkey, change: object = {}) => ({
    install_token: installToken,
    agent_type: 'collector',
    name: 'proxima-cluster-agent-0',
    cluster_name: 'Production',
    cluster_slug: `k8s-${serial}`,
    cluster_uid: `uid-${serial}`,
    agent_version: '0.9.0',
    nkey: nkey.publicKey,
    ...change,
  });

  function enroll(body: object, signer: Nkey): Promise<Answered> {
    const text = JSON.stringify(body);
    const signature = signer.sign(Buffer.from(text)).toString('base64url');
    return backend.ask('/api/v1/agents/enroll', {
      method: 'POST',
      body: text,
      headers: { 'X-Proxima-Signature': signature },
    });
  }

  function renew(agentId: unknown, signer: Nkey, at: Date): Promise<Answered> {
    const timestamp = at.toISOString();
    const signature = signer.sign(Buffer.from(renewalText(String(agentId), timestamp))).toString('base64url');
    return backend.ask(`/api/v1/agents/${agentId}/renew`, { method: 'POST', body: { timestamp, signature } });
  }

  const counted = async (result: string): Promise<number> => {
    const { body } = await renderMetrics();
    return Number(
      new RegExp(`^proxima_enroll_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(body)?.[1] ?? 0,
    );
  };
  const codeOf = (answer: Answered): [number, string] => [answer.status, answer.json.error.code];
  const uses = async (id: string): Promise<unknown> =>
    (await backend.pool.query('select agents_enrolled from install_tokens where id = $1', [id])).rows[0]
      .agents_enrolled;

  it('answers identity, address and a JWT bound to the nkey, and makes no host (EN-01, EN-02, EN-07, EN-11)', async () => {
    const { token } = await installToken();
    const nkey = createNkey('user');
    const before = await counted('enrolled');
    const { status, json } = await enroll(request(token, nkey), nkey);
    equal(status, 200);
    deepEqual(Object.keys(json).sort(), [
      'accepts',
      'agent_id',
      'client',
      'environment',
      'heartbeat_seconds',
      'jwt',
      'nats_ca',
      'nats_url',
    ]);
    equal(json.client, 'acme');
    equal(json.nats_url, 'nats://nats.example:4222');
    const claims = JSON.parse(Buffer.from(String(json.jwt).split('.')[1] ?? '', 'base64url').toString());
    equal(claims.sub, nkey.publicKey);
    equal(claims.exp - claims.iat, 30 * 24 * 3600);
    equal(json.heartbeat_seconds, 15);
    deepEqual(json.accepts, ['gzip']);
    ok(JSON.stringify(claims.nats.pub.allow).includes(`proxima.acme.prod.${json.agent_id}.kubernetes`));
    const fleet = await backend.ask(`/api/v1/agents/${json.agent_id}`, { token: admin });
    equal(fleet.json.data.name, 'proxima-cluster-agent-0');
    equal(fleet.json.data.agent_type, 'collector');
    equal((await backend.pool.query('select from hosts')).rowCount, 0);
    equal(await counted('enrolled'), before + 1);
  });

  it('heals a lost reply: the same token, name and nkey get the same answer and cost no use (X-55)', async () => {
    const { id, token } = await installToken({ max_agents: 1 });
    const nkey = createNkey('user');
    const first = await enroll(request(token, nkey), nkey);
    const again = await enroll(request(token, nkey), nkey);
    deepEqual(again.json, first.json);
    equal(await uses(id), 1);
  });

  it('heals also from two requests at once', async () => {
    const { id, token } = await installToken();
    const nkey = createNkey('user');
    const answers = await Promise.all([1, 2, 3].map(() => enroll(request(token, nkey), nkey)));
    equal(new Set(answers.map((answer) => answer.text)).size, 1);
    equal(await uses(id), 1);
  });

  it('answers unknown, expired, revoked and spent tokens with the same 401, whatever else is wrong', async () => {
    const nkey = createNkey('user');
    const revoked = await installToken();
    await backend.ask(`/api/v1/install-tokens/${revoked.id}`, { method: 'DELETE', token: admin });
    const expired = await installToken({ expires_in_hours: 1 });
    await backend.pool.query('update install_tokens set expires_at = $2 where id = $1', [
      expired.id,
      backend.now(),
    ]);
    const spent = await installToken({ max_agents: 1 });
    const holder = createNkey('user');
    equal((await enroll(request(spent.token, holder), holder)).status, 200);
    const texts = new Set<string>();
    for (const token of ['pxi_unknown', expired.token, revoked.token, spent.token]) {
      const answer = await enroll(request(token, nkey), nkey);
      deepEqual(codeOf(answer), [401, 'invalid_install_token']);
      texts.add(answer.text);
    }
    equal(texts.size, 1);
    for (const token of ['pxi_unknown', spent.token]) {
      backend.advance(MINUTE_MS);
      for (const answer of [
        await enroll(request(token, nkey), createNkey('user')),
        await enroll({ install_token: token }, nkey),
        await enroll(request(token, nkey, { nkey: 'not a key', more: 1 }), nkey),
        await enroll(request(token, nkey, { cluster_slug: 'Not A Slug' }), nkey),
      ]) {
        equal(answer.status, 401);
        texts.add(answer.text);
      }
    }
    equal(texts.size, 1);
    backend.advance(MINUTE_MS);
    equal((await enroll({ install_token: 7 }, nkey)).status, 400);
  });

  it('lets two enrollments race for the last use of a token, and one win', async () => {
    const { token } = await installToken({ max_agents: 1 });
    const answers = await Promise.all(
      [0, 1, 2].map((n) => {
        const nkey = createNkey('user');
        return enroll(request(token, nkey, { name: `agent-${n}` }), nkey);
      }),
    );
    deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401]);
  });

  it('refuses another nkey for a held name and says who holds it (EN-03, EN-05)', async () => {
    const { id, token } = await installToken();
    const nkey = createNkey('user');
    await enroll(request(token, nkey), nkey);
    const thief = createNkey('user');
    const same = await enroll(request(token, thief), thief);
    deepEqual(codeOf(same), [409, 'already_enrolled']);
    equal(same.json.error.details?.held_by, 'this_cluster');
    const other = await enroll(request(token, thief, { cluster_uid: 'another' }), thief);
    equal(other.json.error.details?.held_by, 'another_cluster');
    equal(await uses(id), 1);
  });

  it('frees the name when the agent is deleted, and never takes its nkey again (EN-06)', async () => {
    const { token } = await installToken();
    const nkey = createNkey('user');
    const first = await enroll(request(token, nkey), nkey);
    const deleted = await backend.ask(`/api/v1/agents/${first.json.agent_id}`, {
      method: 'DELETE',
      token: admin,
    });
    deepEqual(deleted.json, { data: { revoked: false } });
    equal((await backend.ask(`/api/v1/agents/${first.json.agent_id}`, { token: admin })).status, 404);
    deepEqual(codeOf(await enroll(request(token, nkey), nkey)), [409, 'nkey_in_use']);
    const fresh = createNkey('user');
    const again = await enroll(request(token, fresh), fresh);
    equal(again.status, 200);
    notEqual(again.json.agent_id, first.json.agent_id);
  });

  it('refuses an nkey that is enrolled under another name', async () => {
    const { token } = await installToken();
    const nkey = createNkey('user');
    await enroll(request(token, nkey), nkey);
    deepEqual(codeOf(await enroll(request(token, nkey, { name: 'other' }), nkey)), [409, 'nkey_in_use']);
  });

  it('refuses a body that another key signed, and a slug that the token is not for', async () => {
    const { token } = await installToken({ cluster_slug: 'only-this' });
    const nkey = createNkey('user');
    deepEqual(codeOf(await enroll(request(token, nkey), createNkey('user'))), [401, 'invalid_signature']);
    deepEqual(codeOf(await enroll(request(token, nkey), nkey)), [403, 'wrong_cluster']);
    equal((await enroll(request(token, nkey, { cluster_slug: 'only-this' }), nkey)).status, 200);
  });

  it('names the path of what is wrong in a body, never a value', async () => {
    const nkey = createNkey('user');
    const { token } = await installToken();
    const before = await counted('bad_request');
    const { status, text, json } = await enroll(request(token, nkey, { cluster_slug: 'Not A Slug' }), nkey);
    equal(status, 400);
    equal(await counted('bad_request'), before + 1);
    equal(json.error.details?.path, '/cluster_slug');
    ok(!text.includes('Not A Slug'));
    deepEqual(codeOf(await enroll(request(token, nkey, { cluster_name: 'a\u0000b' }), nkey)), [
      400,
      'bad_request',
    ]);
  });

  it('takes ten attempts a minute from one address', async () => {
    const nkey = createNkey('user');
    for (let attempt = 1; attempt <= 10; attempt += 1)
      equal((await enroll(request('pxi_x', nkey), nkey)).status, 401);
    const refused = await enroll(request('pxi_x', nkey), nkey);
    deepEqual(codeOf(refused), [429, 'rate_limited']);
    ok(Number(refused.headers.get('retry-after')) >= 1);
    backend.advance(MINUTE_MS);
    equal((await enroll(request('pxi_x', nkey), nkey)).status, 401);
  });

  describe('renewal', () => {
    let nkey: Nkey;
    let agentId: unknown;
    let jwt: unknown;

    beforeEach(async () => {
      const { token } = await installToken();
      nkey = createNkey('user');
      const { json } = await enroll(request(token, nkey), nkey);
      agentId = json.agent_id;
      jwt = json.jwt;
    });

    it('gives a new JWT, also long after the old one expired', async () => {
      backend.advance(90 * 24 * 60 * MINUTE_MS);
      const { status, json } = await renew(agentId, nkey, backend.now());
      equal(status, 200);
      equal(json.agent_id, agentId);
      notEqual(json.jwt, jwt);
    });

    it('signs at most one JWT per agent and minute', async () => {
      equal((await renew(agentId, nkey, backend.now())).json.jwt, jwt);
      backend.advance(MINUTE_MS);
      const renewed = (await renew(agentId, nkey, backend.now())).json.jwt;
      notEqual(renewed, jwt);
      equal((await renew(agentId, nkey, backend.now())).json.jwt, renewed);
    });

    it('answers an unknown id, a malformed one and a bad signature with the same 401', async () => {
      const answers = [
        await renew('5f0c52f2-7a3e-4a0b-9d6e-3f5b1c2d4e6a', nkey, backend.now()),
        await renew('not-a-uuid', nkey, backend.now()),
        await renew(agentId, createNkey('user'), backend.now()),
      ];
      for (const answer of answers) equal(answer.status, 401);
      equal(new Set(answers.map(({ text }) => text)).size, 1);
    });

    it('refuses a stamp more than 10 minutes off, with its own time, after the signature', async () => {
      const old = new Date(backend.now().getTime() - 11 * MINUTE_MS);
      const answer = await renew(agentId, nkey, old);
      deepEqual(codeOf(answer), [401, 'clock_skew']);
      ok(
        Math.abs(Date.parse(String(answer.json.error.details?.server_time)) - backend.now().getTime()) <
          MINUTE_MS,
      );
      notEqual((await renew(agentId, createNkey('user'), old)).json.error.code, 'clock_skew');
    });

    it('tells the holder of a deleted agent, and nobody else (410)', async () => {
      await deleteAgent(backend.pool, String(agentId), backend.now());
      deepEqual(codeOf(await renew(agentId, nkey, backend.now())), [410, 'agent_deleted']);
      equal((await renew(agentId, createNkey('user'), backend.now())).status, 401);
    });

    it('keeps a cluster uid once it is bound', async () => {
      await bindClusterUid(backend.pool, String(agentId), 'someone-else');
      const { json } = await backend.ask(`/api/v1/agents/${agentId}`, { token: admin });
      equal(json.data.cluster_uid, `uid-${serial}`);
    });
  });
});
