import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { request } from 'node:http';
import { createActor } from 'xstate';
import type { Inspector } from '../../actors/inspector.ts';
import { createInspector } from '../../actors/inspector.ts';
import { createLog } from '../../actors/log.ts';
import { actorStream } from '../../http/debug/actorStream.ts';
import { clusterMachine } from '../../machines/cluster.ts';
import { eventually } from '../support/ingest.ts';
import type { BackendUnderTest } from './backendUnderTest.ts';
import { startBackend } from './backendUnderTest.ts';

const PAGE = { Accept: 'text/html,application/xhtml+xml' };

interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
}

/** Opens the stream; what comes lands in `events`. */
function openStream(url: string, token: string) {
  const events: ServerEvent[] = [];
  const outgoing = request(url, { headers: { authorization: `Bearer ${token}` } });
  let ended = false;
  outgoing.on('response', (incoming) => {
    let rest = '';
    incoming.setEncoding('utf8').on('data', (chunk: string) => {
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
        events.push({ event, data: JSON.parse(data) });
      }
    });
    incoming.on('end', () => {
      ended = true;
    });
  });
  outgoing.on('error', () => undefined);
  outgoing.end();
  const rows = () =>
    events.filter(({ event }) => event === 'actors').flatMap(({ data }) => data as { slug: string }[]);
  return { events, rows, isEnded: () => ended, close: () => outgoing.destroy() };
}

describe('the visualizer', () => {
  let backend: BackendUnderTest;
  let inspector: Inspector;
  let administrator: string;
  let environment: string;

  const settle = (slug: string) =>
    createActor(clusterMachine, { inspect: inspector.watch(`${environment}/${slug}`) }).start();

  before(async () => {
    inspector = createInspector({ now: () => new Date() });
    backend = await startBackend({ inspector });
    administrator = await backend.tokenFor({ role: 'super_admin' });
    environment = (await backend.place('acme', 'prod')).environment_id;
    settle('shop');
    settle('bank');
  });
  after(() => backend.stop());

  it('sends a browser that is not signed in to sign in and back, and refuses programs and others', async () => {
    const unknown = await backend.ask('/debug/actors', { headers: PAGE });
    deepEqual([unknown.status, unknown.headers.get('location')], [303, '/login?next=%2Fdebug%2Factors']);
    equal((await backend.ask('/debug/actors')).status, 401);
    const token = await backend.tokenFor({
      role: 'admin',
      client_id: (await backend.place('acme', 'prod')).client_id,
    });
    equal((await backend.ask('/debug/actors', { token, headers: PAGE })).status, 403);
    equal((await backend.ask('/debug/actors/stream', { token })).status, 403);
  });

  it('goes on after signing in to a path of this server only, else to where the caller belongs', async () => {
    const land = async (token: string, next?: string) => {
      backend.advance(60_000);
      const query = next === undefined ? '' : `?next=${encodeURIComponent(next)}`;
      const headers = { ...PAGE, Origin: backend.url };
      const answer = await backend.ask(`/login${query}`, { method: 'POST', body: { token }, headers });
      equal(answer.status, 303);
      return answer.headers.get('location');
    };
    equal(
      await land(administrator, '/debug/actors#/actors/acme/prod/shop'),
      '/debug/actors#/actors/acme/prod/shop',
    );
    equal(await land(administrator), '/debug/actors');
    equal(await land(await backend.tokenFor({ role: 'viewer' })), '/');
    for (const elsewhere of [
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      'https://evil.example',
      'javascript:alert(1)',
      '/\t/evil.example',
      '/x\r\nSet-Cookie: a=b',
      '',
    ]) {
      equal(await land(administrator, elsewhere), '/debug/actors', elsewhere);
    }
  });

  it('serves its own files under an address of their content, and nothing beside them', async () => {
    const page = await backend.ask('/debug/actors', { token: administrator });
    equal(page.status, 200);
    match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self'; /);
    const linked = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
    const files = linked.filter((path) => path.startsWith('/debug/assets/'));
    ok(files.length >= 2);
    for (const path of files) {
      const file = await backend.ask(path);
      equal(file.status, 200, path);
      match(file.headers.get('cache-control') ?? '', /immutable/);
    }
    const folder = files[0]?.replace(/[^/]+$/, '') ?? '';
    equal((await backend.ask(`${folder}dagre.js`)).status, 200);
    for (const path of [`${folder}..%2Fassets.ts`, `${folder}actors.html`, '/debug/assets/0/main.js']) {
      equal((await backend.ask(path)).status, 404, path);
    }
  });

  it('lists actors by place, finds one by a part of it, and shows one with its transitions', async () => {
    const ask = (path: string) => backend.ask(path, { token: administrator });
    const all = await ask('/debug/api/actors');
    deepEqual(
      all.json.data.map((row) => [row.client, row.environment, row.slug]),
      [
        ['acme', 'prod', 'bank'],
        ['acme', 'prod', 'shop'],
      ],
    );
    equal((await ask('/debug/api/actors?q=prod/sh')).json.meta.total, 1);
    const found = await ask(`/debug/api/actors/${environment}/shop`);
    deepEqual(found.json.data.actor, all.json.data[1]);
    deepEqual(found.json.data.transitions, []);
    equal((await ask(`/debug/api/actors/${environment}/nobody`)).status, 404);
  });

  it('exports the machine as Mermaid and as JSON', async () => {
    const mermaid = await backend.ask('/debug/machine.mmd', { token: administrator });
    match(mermaid.text, /^stateDiagram-v2\n/);
    const json = await backend.ask('/debug/machine.json', { token: administrator });
    equal(json.json.id, 'cluster');
  });

  it('holds no more than one event for a client that does not read, and loses nothing (slow clients)', async () => {
    const many = createInspector({ now: () => new Date() });
    for (let actor = 0; actor < 5_000; actor += 1) many.watch(`${environment}/cluster-${actor}`);
    const following = many.follow();
    ok(following);
    const { pool: db, now } = backend;
    const stream = actorStream({ following, db, now, log: createLog('error') });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    ok(stream.readableLength < 512 * 1024, `${stream.readableLength} bytes wait`);
    let read = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      read += chunk;
    });
    await eventually('the rest', () => read.includes('event: current'));
    equal(new Set(read.match(/"slug":"cluster-\d+"/g)).size, 5_000);
    ok(read.includes('"client":"acme","environment":"prod"'));
    stream.destroy();
    await eventually('the follower is gone', () => following.isCurrent);
  });

  it('streams every actor, then each change once per interval, and ends at the drain', async () => {
    const stream = openStream(`${backend.url}/debug/actors/stream`, administrator);
    await eventually('the first picture', () => stream.events.some(({ event }) => event === 'current'));
    deepEqual(
      stream
        .rows()
        .map(({ slug }) => slug)
        .sort(),
      ['bank', 'shop'],
    );
    const before = stream.events.length;
    const late = settle('late');
    for (let i = 0; i < 200; i += 1) late.send({ type: 'live.asked', ticket: `${i}`, askedAt: 1 });
    await eventually('the change', () => stream.rows().some(({ slug }) => slug === 'late'));
    await new Promise((resolve) => setTimeout(resolve, 600));
    const changes = stream.events.slice(before).filter(({ event }) => event === 'actors');
    ok(changes.length <= 3, `${changes.length} events`);
    inspector.close();
    await eventually('the end', stream.isEnded);
    late.stop();
  });
});
