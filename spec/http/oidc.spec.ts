import { deepEqual, equal, ok } from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { generateKeyPair } from 'jose';
import { createOidcVerifier } from '../../http/oidc.ts';
import type { BackendUnderTest } from './backendUnderTest.ts';
import { startBackend } from './backendUnderTest.ts';
import type { Issuer } from './issuer.ts';
import { AUDIENCE, startIssuer } from './issuer.ts';

describe('tokens of an OIDC issuer', () => {
  let issuer: Issuer;
  let backend: BackendUnderTest;
  let administrator: string;
  let caller: string;

  before(async () => {
    issuer = await startIssuer();
    backend = await startBackend({ oidc: createOidcVerifier({ issuer: issuer.url, audience: AUDIENCE }) });
    administrator = await backend.tokenFor({ role: 'super_admin' });
    caller = await newCaller('Ada', 'ada@example.org');
    equal((await take(caller, 'ada')).status, 201);
    const { status } = await admin('POST', `${caller}/grants`, { role: 'viewer' });
    equal(status, 201);
    await backend.cluster({ slug: 'here' });
  });
  after(async () => {
    await backend.stop();
    await issuer.stop();
  });

  const admin = (method: string, path: string, body?: unknown) =>
    backend.ask(`/api/v1/admin/callers/${path}`, {
      method,
      token: administrator,
      ...(body === undefined ? {} : { body }),
    });
  const newCaller = async (name: string, email: string): Promise<string> => {
    const answer = await backend.ask('/api/v1/admin/callers', {
      method: 'POST',
      token: administrator,
      body: { type: 'user', name, email },
    });
    return String(answer.json.data.id);
  };
  const take = (id: string, subject: string) => admin('POST', `${id}/identities`, { subject });
  const status = async (token: string): Promise<number> =>
    (await backend.ask('/api/v1/clusters', { token })).status;

  it('stand for the caller who has their subject, with that caller’s grants', async () => {
    const answer = await backend.ask('/api/v1/clusters', { token: await issuer.token() });
    equal(answer.status, 200);
    equal(answer.json.data.length, 1);
    const { json } = await admin('GET', `${caller}/identities`);
    equal(json.data[0]?.subject, 'ada');
    ok(json.data[0]?.last_used_at !== null);
  });

  it('match on issuer and subject, never on the email', async () => {
    equal(
      await status(await issuer.token({ sub: 'mallory', email: 'ada@example.org', email_verified: true })),
      401,
    );
  });

  it('are refused for another issuer, audience or time, and without a subject or an end', async () => {
    const now = Math.floor(Date.now() / 1000);
    for (const claims of [
      { iss: 'https://elsewhere.example' },
      { aud: 'another' },
      { aud: undefined },
      { exp: now - 3600 },
      { nbf: now + 3600 },
      { exp: undefined },
      { sub: undefined },
    ]) {
      equal(await status(await issuer.token(claims)), 401, JSON.stringify(claims));
    }
    equal(await status(await issuer.token({ aud: ['another', AUDIENCE] })), 200);
    equal(await status(await issuer.token({ exp: now - 30 })), 200, 'a minute of clock skew is forgiven');
  });

  it('are refused when another key signed them, whatever they claim about it', async () => {
    const stranger = await generateKeyPair('ES256', { extractable: true });
    equal(await status(await issuer.token({}, { key: stranger.privateKey })), 401);
    equal(
      await status(await issuer.token({}, { key: stranger.privateKey, header: { kid: 'unknown' } })),
      401,
    );
    const good = (await issuer.token()).split('.');
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url');
    equal(await status(`${unsigned}.${good[1]}.x`), 401);
    const shared = Buffer.from('{"alg":"HS256","kid":"key-1"}').toString('base64url');
    const mac = createHmac('sha256', 'guess').update(`${shared}.${good[1]}`).digest('base64url');
    equal(await status(`${shared}.${good[1]}.${mac}`), 401);
    equal(await status(`${good[0]}.${good[1]}.${'A'.repeat(86)}`), 401);
    equal(await status('a.b.c'), 401);
    equal(await status(`${'a'.repeat(9000)}.b.c`), 401);
  });

  it('open nothing for a subject without a caller or without a grant', async () => {
    equal(await status(await issuer.token({ sub: 'nobody' })), 401);
    const bare = await newCaller('Bare', 'bare@example.org');
    await take(bare, 'bare');
    equal(await status(await issuer.token({ sub: 'bare' })), 403);
    const { json } = await admin('GET', `${bare}/identities`);
    equal((await admin('DELETE', `${bare}/identities/${json.data[0]?.id}`)).status, 204);
    equal(await status(await issuer.token({ sub: 'bare' })), 401);
  });

  it('belong to one caller: a subject that is taken is refused', async () => {
    const other = await newCaller('Other', 'other@example.org');
    const answer = await take(other, 'ada');
    deepEqual([answer.status, answer.json.error.code], [409, 'subject_taken']);
  });

  it('do not open a browser session', async () => {
    const answer = await backend.ask('/login', {
      method: 'POST',
      body: { token: 'a.b.c' },
      headers: { Origin: backend.url },
    });
    equal(answer.status, 401);
  });

  it('share the budget of their caller with that caller’s other tokens (AU-12)', async () => {
    const narrow = await startBackend({
      callerRequestsPerMinute: 3,
      oidc: createOidcVerifier({ issuer: issuer.url, audience: AUDIENCE }),
    });
    try {
      const own = await narrow.tokenFor({ role: 'viewer' });
      await narrow.pool.query(
        `insert into caller_identities (caller_id, issuer, subject)
         select caller_id, $1, 'ada' from caller_tokens order by created_at desc limit 1`,
        [issuer.url],
      );
      const statuses: number[] = [];
      for (const token of [own, await issuer.token(), own, await issuer.token()]) {
        statuses.push((await narrow.ask('/api/v1/clusters', { token })).status);
      }
      deepEqual(statuses, [200, 200, 200, 429]);
    } finally {
      await narrow.stop();
    }
  });
});

describe('an OIDC verifier', () => {
  let issuer: Issuer;
  beforeEach(async () => {
    issuer = await startIssuer();
  });
  afterEach(() => issuer.stop());

  const verifier = () => createOidcVerifier({ issuer: issuer.url, audience: AUDIENCE });
  const kindOf = async (of: ReturnType<typeof verifier>, token: string) =>
    (await of.verify(token, new Date())).kind;

  it('reads document and keys once for many tokens', async () => {
    const one = verifier();
    for (let i = 0; i < 5; i += 1) equal(await kindOf(one, await issuer.token({ sub: `s${i}` })), 'verified');
    deepEqual(issuer.asked, ['/.well-known/openid-configuration', '/keys']);
  });

  it('says that the issuer is away, does not hammer it, and finds it again', async () => {
    issuer.failing = 500;
    const one = verifier();
    for (let i = 0; i < 5; i += 1) equal(await kindOf(one, await issuer.token()), 'unavailable');
    equal(issuer.asked.length, 1);
    issuer.failing = null;
    equal(await kindOf(verifier(), await issuer.token()), 'verified');
  });

  it('takes no document that names another issuer, and no address that is none', async () => {
    issuer.document = { issuer: 'https://elsewhere.example' };
    equal(await kindOf(verifier(), await issuer.token()), 'unavailable');
    issuer.document = { jwks_uri: 'file:///etc/passwd' };
    equal(await kindOf(verifier(), await issuer.token()), 'unavailable');
  });
});
