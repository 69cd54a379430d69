import { equal, match, ok } from 'node:assert/strict';
import type { BackendUnderTest } from './backendUnderTest.ts';
import { startBackend } from './backendUnderTest.ts';

describe('the page that shows the API', () => {
  let backend: BackendUnderTest;
  before(async () => {
    backend = await startBackend();
  });
  after(() => backend.stop());

  it('comes with files of its own server only, which a browser may keep', async () => {
    const { status, text, headers } = await backend.ask('/api/docs');
    equal(status, 200);
    match(
      headers.get('content-security-policy') ?? '',
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = '']) => url);
    ok(files.length >= 4);
    for (const url of files) {
      if (url.startsWith('data:')) continue;
      ok(url.startsWith('/'), url);
      const answer = await backend.ask(url);
      equal(answer.status, 200, url);
      if (url.includes('/assets/')) match(answer.headers.get('cache-control') ?? '', /immutable/);
    }
  });

  it('has no file of another version or name', async () => {
    equal((await backend.ask('/api/docs/assets/0000000000000000/docs.js')).status, 404);
    const [, version = ''] = /assets\/(\w+)\//.exec((await backend.ask('/api/docs')).text) ?? [];
    equal((await backend.ask(`/api/docs/assets/${version}/..%2fdocs.html`)).status, 404);
  });

  it('is linked from the first page', async () => {
    match((await backend.ask('/')).text, /<a href="\/api\/docs">/);
  });
});
