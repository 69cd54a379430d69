import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { Answered, BackendUnderTest } from './backendUnderTest.ts';
import { startBackend } from './backendUnderTest.ts';

const HOUR_MS = 3_600_000;

describe('browser sessions', () => {
  let backend: BackendUnderTest;
  let token: string;
  let caller: string;

  before(async () => {
    backend = await startBackend();
  });
  after(() => backend.stop());
  beforeEach(async () => {
    backend.advance(60_000);
    token = await backend.tokenFor({ role: 'super_admin' });
    const { rows } = await backend.pool.query('select id from callers order by created_at desc limit 1');
    caller = rows[0].id;
  });

  const login = (headers: Record<string, string> = { Origin: backend.url }, body: unknown = { token }) =>
    backend.ask('/login', { method: 'POST', body, headers });
  const cookieOf = (answer: Answered): string => (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

  async function signIn(): Promise<{ cookie: string; csrf: string }> {
    const answer = await login();
    equal(answer.status, 200);
    return { cookie: cookieOf(answer), csrf: String(answer.json.data.csrf) };
  }
  const clusters = (headers: Record<string, string>) => backend.ask('/api/v1/clusters', { headers });

  it('trades a token for a cookie that scripts and other sites cannot use', async () => {
    const answer = await login();
    const cookie = answer.headers.get('set-cookie') ?? '';
    match(cookie, /^proxima_session=pxs_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
    equal((await clusters({ Cookie: cookieOf(answer) })).status, 200);
  });

  it('names the cookie __Host- and Secure under https', async () => {
    const origin = backend.url.replace('http:', 'https:');
    const answer = await login({ Origin: origin, 'X-Forwarded-Proto': 'https' });
    match(answer.headers.get('set-cookie') ?? '', /^__Host-proxima_session=.*; Secure;/);
    equal((await clusters({ Cookie: cookieOf(answer), 'X-Forwarded-Proto': 'https' })).status, 200);
    equal((await clusters({ Cookie: cookieOf(answer) })).status, 401);
  });

  it('signs in only from our own page, with a valid token', async () => {
    for (const headers of [
      {},
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: 'http://127.0.0.1:1' },
    ]) {
      const answer = await login(headers as Record<string, string>);
      equal(answer.status, 403);
      equal(answer.headers.get('set-cookie'), null);
    }
    equal((await login({ Origin: backend.url }, { token: 'pxt_wrong' })).status, 401);
  });

  it('takes ten attempts a minute from one address', async () => {
    const guess = async () => (await login({ Origin: backend.url }, { token: 'pxt_wrong' })).status;
    for (let attempt = 1; attempt <= 10; attempt += 1) equal(await guess(), 401);
    equal(await guess(), 429);
    equal((await login()).status, 429);
    backend.advance(60_000);
    equal((await login()).status, 200);
  });

  it('keeps only a hash of the session id', async () => {
    const { cookie } = await signIn();
    const { rows } = await backend.pool.query('select row_to_json(s)::text as text from sessions s');
    for (const { text } of rows) ok(!text.includes(cookie.split('=')[1]));
  });

  it('refuses what another site caused, but not a page navigation', async () => {
    const { cookie } = await signIn();
    for (const site of ['cross-site', 'same-site']) {
      equal((await clusters({ Cookie: cookie, 'Sec-Fetch-Site': site })).status, 403);
      const navigation = { 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': 'navigate' };
      equal((await clusters({ Cookie: cookie, ...navigation, 'Sec-Fetch-Dest': 'document' })).status, 200);
      equal((await clusters({ Cookie: cookie, ...navigation, 'Sec-Fetch-Dest': 'iframe' })).status, 403);
    }
    for (const site of ['same-origin', 'none']) {
      equal((await clusters({ Cookie: cookie, 'Sec-Fetch-Site': site })).status, 200);
    }
  });

  it('needs our own Origin and the CSRF header for anything but GET', async () => {
    const { cookie, csrf } = await signIn();
    const add = (headers: Record<string, string>) =>
      backend.ask('/api/v1/admin/clients', {
        method: 'POST',
        body: { slug: 'acme', name: 'Acme' },
        headers: { Cookie: cookie, ...headers },
      });
    equal((await add({})).status, 403);
    equal((await add({ Origin: backend.url })).json.error.code, 'csrf');
    equal(
      (await add({ Origin: backend.url, 'X-Proxima-Csrf': (await signIn()).csrf })).json.error.code,
      'csrf',
    );
    equal(
      (await add({ Origin: 'https://evil.example', 'X-Proxima-Csrf': csrf })).json.error.code,
      'cross_origin',
    );
    equal((await add({ Origin: backend.url, 'X-Proxima-Csrf': csrf })).status, 201);
  });

  it('ends with logout', async () => {
    const { cookie, csrf } = await signIn();
    const leave = (headers: Record<string, string>) =>
      backend.ask('/logout', {
        method: 'POST',
        headers: { Cookie: cookie, Origin: backend.url, ...headers },
      });
    equal((await leave({})).status, 403);
    equal((await clusters({ Cookie: cookie })).status, 200);
    const left = await leave({ 'X-Proxima-Csrf': csrf });
    equal(left.status, 204);
    match(left.headers.get('set-cookie') ?? '', /^proxima_session=; .*Max-Age=0$/);
    equal((await clusters({ Cookie: cookie })).status, 401);
  });

  it('ends after 12 hours', async () => {
    const { cookie } = await signIn();
    backend.advance(12 * HOUR_MS - 1000);
    equal((await clusters({ Cookie: cookie })).status, 200);
    backend.advance(1001);
    equal((await clusters({ Cookie: cookie })).status, 401);
  });

  it('ends with its token', async () => {
    const { cookie } = await signIn();
    const { json } = await backend.ask(`/api/v1/admin/callers/${caller}/tokens`, { token });
    const path = `/api/v1/admin/callers/${caller}/tokens/${json.data[0]?.id}`;
    equal((await backend.ask(path, { method: 'DELETE', token })).status, 204);
    equal((await clusters({ Cookie: cookie })).status, 401);
  });

  it('takes a bearer token before a cookie, good or bad', async () => {
    const { cookie } = await signIn();
    equal((await clusters({ Cookie: cookie, Authorization: 'Bearer pxt_wrong' })).status, 401);
    equal(
      (await clusters({ Cookie: cookie, Authorization: `Bearer ${token}`, 'Sec-Fetch-Site': 'cross-site' }))
        .status,
      200,
    );
  });

  it('serves a page that loads nothing from elsewhere and never signs in by itself', async () => {
    const { status, text, headers } = await backend.ask('/login', { headers: { Accept: 'text/html' } });
    equal(status, 200);
    const policy = headers.get('content-security-policy') ?? '';
    match(policy, /default-src 'none'/);
    match(policy, /script-src 'sha256-/);
    ok(!/\bsrc=|href="(?!data:,|\/)|\.submit\(|requestSubmit/.test(text));
    match(text, /<form method="post" action="\/login">/);
  });

  it('signs in by form, then shows who is there; a wrong token shows the form again', async () => {
    const post = (value: string) =>
      backend.ask('/login', {
        method: 'POST',
        body: `token=${value}`,
        headers: {
          Origin: backend.url,
          Accept: 'text/html',
          'content-type': 'application/x-www-form-urlencoded',
        },
      });
    const wrong = await post('pxt_wrong');
    equal(wrong.status, 401);
    match(wrong.text, /not valid/);
    const answer = await post(token);
    deepEqual([answer.status, answer.headers.get('location')], [303, '/debug/actors']);
    const shown = await backend.ask('/login', { headers: { Cookie: cookieOf(answer) } });
    match(shown.text, /Signed in as spec\./);
    const foreign = await backend.ask('/login', {
      headers: { Cookie: cookieOf(answer), 'Sec-Fetch-Site': 'cross-site' },
    });
    ok(!foreign.text.includes('data-csrf'));
  });
});
