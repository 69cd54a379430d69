import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { objectBody } from '../../http/body.ts';
import { Budgets } from '../../http/budget.ts';
import { openRoute, systemRoute } from '../../http/route.ts';
import { routes } from '../../http/routes/index.ts';
import type { BackendUnderTest } from './backendUnderTest.ts';
import { startBackend } from './backendUnderTest.ts';

const failing = openRoute({
  method: 'GET',
  path: '/fails',
  summary: 'Fails.',
  reason: 'a spec asks it',
  answer: null,
  handle: () => Promise.reject(new Error('secret words of a fault')),
});

let configured = false;
const budgeted = systemRoute({
  method: 'POST',
  path: '/budgeted',
  summary: 'Takes two a minute.',
  body: objectBody<{ n: number }>({ n: { type: 'integer' } }),
  status: 204,
  answer: null,
  budget: { name: 'budgeted', perMinute: 2, message: 'too many' },
  configured: () => configured,
  handle: async () => ({ kind: 'empty', status: 204 }),
});

describe('the HTTP server', () => {
  let backend: BackendUnderTest;
  let token: string;
  let ready = true;

  before(async () => {
    backend = await startBackend({ ready: () => ready }, [...routes, failing, budgeted]);
    token = await backend.tokenFor({ role: 'super_admin' });
  });
  after(() => backend.stop());

  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    backend.ask(path, { method: 'POST', token, body, headers });

  it('answers an unknown path, a wrong method and a fault in the same envelope, without a stack', async () => {
    for (const [method, path, status, code] of [
      ['GET', '/nothing', 404, 'not_found'],
      ['GET', '/api/v1/clusters/', 404, 'not_found'],
      ['GET', '/API/v1/clusters', 404, 'not_found'],
      ['DELETE', '/healthz', 405, 'method_not_allowed'],
      ['GET', '/fails', 500, 'internal_error'],
    ] as const) {
      const answer = await backend.ask(path, { method, token });
      equal(answer.status, status, `${method} ${path}`);
      deepEqual(Object.keys(answer.json), ['error']);
      deepEqual(Object.keys(answer.json.error), ['code', 'message', 'details']);
      equal(answer.json.error.code, code);
      ok(!/secret words|\bat .*:\d+|node_modules/.test(answer.text));
    }
  });

  it('gives every answer a request id, the one that was sent where it is harmless', async () => {
    match((await backend.ask('/healthz')).headers.get('x-request-id') ?? '', /^[\w-]{36}$/);
    equal(
      (await backend.ask('/nothing', { headers: { 'X-Request-Id': 'abc-1' } })).headers.get('x-request-id'),
      'abc-1',
    );
    notEqual(
      (await backend.ask('/healthz', { headers: { 'X-Request-Id': 'a b' } })).headers.get('x-request-id'),
      'a b',
    );
  });

  it('sends no CORS headers, not to a preflight either, and lets nothing be cached', async () => {
    const foreign = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' };
    const preflight = await backend.ask('/api/v1/clusters', { method: 'OPTIONS', headers: foreign });
    ok(![...preflight.headers.keys()].some((name) => name.startsWith('access-control')));
    const { headers } = await backend.ask('/api/v1/clusters', {
      token,
      headers: { Origin: 'https://evil.example' },
    });
    equal([...headers.keys()].filter((name) => name.startsWith('access-control')).length, 0);
    equal(headers.get('cache-control'), 'no-store');
    equal(headers.get('x-content-type-options'), 'nosniff');
  });

  it('refuses bodies that are not JSON, not of a known type, or larger than 256 KiB', async () => {
    const path = '/api/v1/admin/clients';
    equal((await post(path, '{"slug":')).status, 400);
    equal((await post(path, '"text"')).status, 400);
    equal((await post(path, '')).status, 400);
    equal((await post(path, '<a/>', { 'content-type': 'application/xml' })).status, 415);
    const large = JSON.stringify({ slug: 'a', name: 'x'.repeat(256 * 1024) });
    equal((await post(path, large)).json.error.code, 'payload_too_large');
    equal((await post(path, '{"slug":"a","name":"\\u0000"}')).status, 400);
    equal((await post(path, '{"slug":"a","name":"\\ud800"}')).status, 400);
    equal((await post(path, '{"slug":"ok","name":"\\ud83d\\ude80"}')).status, 201);
    equal((await post(path, '{"__proto__":{"slug":"a"},"name":"a"}')).status, 400);
  });

  it('bounds a body after decompression', async () => {
    const bomb = gzipSync(JSON.stringify({ slug: 'a', name: 'x'.repeat(1024 * 1024) }));
    ok(bomb.length < 10_000);
    const response = await fetch(`${backend.url}/api/v1/admin/clients`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'Content-Encoding': 'gzip',
      },
      body: new Uint8Array(bomb),
    });
    equal(response.status, 413);
  });

  it('answers bytes that are no HTTP with 400 and closes', async () => {
    const { hostname, port } = new URL(backend.url);
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write('NONSENSE\r\n\r\n'));
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk.toString();
      });
      socket.on('close', () => resolve(received));
      socket.on('error', reject);
    });
    match(text, /^HTTP\/1\.1 400 /);
    match(text, /"code":"bad_request"/);
  });

  it('checks in one order: identity, permission, body, budget, configuration (X-33)', async () => {
    const stranger = await backend.tokenFor({ role: 'admin' });
    const send = (by: string | undefined, body: unknown) =>
      backend.ask('/budgeted', { method: 'POST', body, ...(by === undefined ? {} : { token: by }) });
    configured = false;
    for (let time = 1; time <= 4; time += 1) {
      equal((await send(undefined, { n: 1 })).status, 401);
      equal((await send(stranger, { n: 1 })).status, 403);
      equal((await send(token, { n: 'x' })).status, 400);
    }
    equal((await send(token, { n: 1 })).json.error.code, 'not_configured');
    configured = true;
    equal((await send(token, { n: 1 })).status, 204);
    equal((await send(token, { n: 1 })).status, 429);
    backend.advance(60_000);
    equal((await send(token, { n: 1 })).status, 204);
  });

  it('is ready only while the system is, and always alive', async () => {
    equal((await backend.ask('/readyz')).status, 200);
    ready = false;
    equal((await backend.ask('/readyz')).status, 503);
    equal((await backend.ask('/healthz')).status, 200);
    ready = true;
  });

  it('shows metrics to scrapers', async () => {
    const { status, text } = await backend.ask('/metrics');
    equal(status, 200);
    match(text, /^# TYPE proxima_ingest_outcomes_total counter$/m);
  });
});

describe('request budgets', () => {
  const rule = { name: 'r', perMinute: 3, message: 'too many' };

  it('count per key, spend nothing on a refusal and start anew after a minute', () => {
    const budgets = new Budgets();
    const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
    deepEqual(
      [1, 2, 3].map((second) => budgets.spend(rule, 'a', at(second))),
      [null, null, null],
    );
    equal(budgets.spend(rule, 'a', at(31)), 30);
    equal(budgets.spend(rule, 'b', at(31)), null);
    equal(budgets.spend(rule, 'a', at(61)), null);
  });

  it('remember a bounded number of keys', () => {
    const budgets = new Budgets();
    for (let key = 0; key < 25_000; key += 1) budgets.spend(rule, String(key), new Date(0));
    equal(budgets.size, 10_000);
  });
});

describe('a caller', () => {
  it('has a budget over all routes, and another caller has its own', async () => {
    const backend = await startBackend({ callerRequestsPerMinute: 3 });
    try {
      const [one, two] = [
        await backend.tokenFor({ role: 'viewer' }),
        await backend.tokenFor({ role: 'viewer' }),
      ];
      const ask = async (token: string) => (await backend.ask('/api/v1/clusters', { token })).status;
      deepEqual([await ask(one), await ask(one), await ask(one), await ask(one)], [200, 200, 200, 429]);
      equal(await ask(two), 200);
    } finally {
      await backend.stop();
    }
  });
});
