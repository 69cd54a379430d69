import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Log } from '../../actors/log.ts';
import type { BackendUnderTest } from './backendUnderTest.ts';
import { startBackend } from './backendUnderTest.ts';

interface Line {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

describe('the audit log', () => {
  const lines: Line[] = [];
  let backend: BackendUnderTest;
  let token: string;

  before(async () => {
    const note = (fields: object, message: string): void => {
      lines.push({ fields: fields as Line['fields'], message });
    };
    const log: Log = { debug: note, info: note, warn: note, error: note };
    backend = await startBackend({ log });
    token = await backend.tokenFor({ role: 'super_admin' });
  });
  after(() => backend.stop());
  beforeEach(() => {
    lines.length = 0;
  });

  const audit = () => lines.filter(({ message }) => message === 'audit').map(({ fields }) => fields);

  it('has one line for each administration call: who, what, how it ended, under the id of the answer', async () => {
    const answer = await backend.ask('/api/v1/admin/clients', {
      method: 'POST',
      token,
      body: { slug: 'audited', name: 'Secret name' },
    });
    equal(answer.status, 201);
    const [line, ...more] = audit();
    equal(more.length, 0);
    ok(line);
    const { caller_id, token_id, ...rest } = line;
    ok(caller_id !== null && token_id !== null);
    deepEqual(rest, {
      caller: 'spec',
      address: '127.0.0.1',
      method: 'POST',
      route: '/api/v1/admin/clients',
      params: {},
      status: 201,
      request_id: answer.headers.get('x-request-id'),
    });
    ok(!JSON.stringify(lines).includes('Secret name'));
  });

  it('has the refused calls too, of a caller without the right and of nobody', async () => {
    const viewer = await backend.tokenFor({ role: 'viewer' });
    await backend.ask('/api/v1/admin/callers', { token: viewer });
    await backend.ask('/api/v1/admin/callers');
    await backend.ask('/api/v1/admin/callers', { token: 'pxt_wrong' });
    deepEqual(
      audit().map(({ status, caller }) => [status, caller]),
      [
        [403, 'spec'],
        [401, null],
        [401, null],
      ],
    );
  });

  it('has what changes a tenant’s things, with the ids of the path, and no read of them', async () => {
    const { environment_id } = await backend.place('acme', 'prod');
    const made = await backend.ask('/api/v1/hosts', {
      method: 'POST',
      token,
      body: { environment_id, hostname: 'h' },
    });
    const id = String(made.json.data.id);
    await backend.ask('/api/v1/hosts', { token });
    await backend.ask(`/api/v1/hosts/${id}`, { method: 'DELETE', token });
    deepEqual(
      audit().map(({ method, params, status }) => [method, params, status]),
      [
        ['POST', {}, 201],
        ['DELETE', { id }, 204],
      ],
    );
  });

  it('never has a token', async () => {
    const { json } = await backend.ask('/api/v1/admin/callers', { token });
    const id = String(json.data[0]?.id);
    const made = await backend.ask(`/api/v1/admin/callers/${id}/tokens`, {
      method: 'POST',
      token,
      body: { name: 'x' },
    });
    const text = JSON.stringify(lines);
    ok(!text.includes(token) && !text.includes(String(made.json.data.token)));
  });
});

describe('rotating a token', () => {
  let backend: BackendUnderTest;
  let token: string;
  let caller: string;

  before(async () => {
    backend = await startBackend();
    token = await backend.tokenFor({ role: 'super_admin' });
    const made = await backend.ask('/api/v1/admin/callers', {
      method: 'POST',
      token,
      body: { type: 'service', name: 'robot' },
    });
    caller = String(made.json.data.id);
    await backend.ask(`/api/v1/admin/callers/${caller}/grants`, {
      method: 'POST',
      token,
      body: { role: 'viewer' },
    });
  });
  after(() => backend.stop());

  const make = async (hours: number | null) => {
    const body = { name: 'key', expires_in_hours: hours };
    const answer = await backend.ask(`/api/v1/admin/callers/${caller}/tokens`, {
      method: 'POST',
      token,
      body,
    });
    return answer.json.data as unknown as { id: string; token: string };
  };
  const rotate = (id: string, body: object = {}, of = caller) =>
    backend.ask(`/api/v1/admin/callers/${of}/tokens/${id}/rotate`, { method: 'POST', token, body });
  const status = async (of: string) => (await backend.ask('/api/v1/clusters', { token: of })).status;

  it('makes a new one and ends the old one at once', async () => {
    const old = await make(null);
    const { status: made, json } = await rotate(old.id);
    equal(made, 201);
    deepEqual([json.data.name, json.data.expires_at], ['key', null]);
    equal(await status(String(json.data.token)), 200);
    equal(await status(old.token), 401);
  });

  it('lets both live for the overlap, and the new one as long as the old one was made for', async () => {
    const old = await make(1);
    const { json } = await rotate(old.id, { overlap_minutes: 10 });
    const lifetime = Date.parse(String(json.data.expires_at)) - Date.parse(String(json.data.created_at));
    ok(Math.abs(lifetime - 3_600_000) < 5_000);
    equal(await status(old.token), 200);
    backend.advance(11 * 60_000);
    equal(await status(old.token), 401);
    equal(await status(String(json.data.token)), 200);
  });

  it('never makes the old one live longer', async () => {
    const old = await make(1);
    await rotate(old.id, { overlap_minutes: 10_080 });
    backend.advance(2 * 3_600_000);
    equal(await status(old.token), 401);
  });

  it('answers 404 for a token that has ended or is another caller’s', async () => {
    const old = await make(null);
    equal((await rotate(old.id)).status, 201);
    equal((await rotate(old.id)).status, 404);
    const { json } = await backend.ask('/api/v1/admin/callers', { token });
    const other = json.data.find((row) => row.id !== caller);
    const mine = await make(null);
    equal((await rotate(mine.id, {}, String(other?.id))).status, 404);
    equal(await status(mine.token), 200);
  });

  it('makes one successor of many attempts at a time', async () => {
    const old = await make(null);
    const answers = await Promise.all(Array.from({ length: 6 }, () => rotate(old.id)));
    deepEqual(answers.map((answer) => answer.status).sort(), [201, 404, 404, 404, 404, 404]);
  });
});
