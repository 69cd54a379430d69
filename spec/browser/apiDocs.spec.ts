import { deepEqual, equal, ok } from 'node:assert/strict';
import type { BackendUnderTest } from '../http/backendUnderTest.ts';
import { startBackend } from '../http/backendUnderTest.ts';
import type { BrowserUnderTest } from './browser.ts';
import { startBrowser } from './browser.ts';

describe('the API page in a browser', function () {
  this.timeout(60_000);
  let backend: BackendUnderTest;
  let browser: BrowserUnderTest;
  before(async () => {
    backend = await startBackend();
    browser = await startBrowser(backend.url);
  });
  after(async () => {
    await browser.close();
    await backend.stop();
  });

  it('shows every route, asks nobody but its own server, and breaks no rule of its policy', async () => {
    const page = await browser.open('/');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await Promise.all([page.waitForNavigation(), page.click('a[href="/api/docs"]')]);
    await page.waitForSelector('.opblock');
    const { json } = await backend.ask('/api/openapi.json');
    const operations = Object.values(json.paths as unknown as Record<string, object>).flatMap((path) =>
      Object.keys(path),
    );
    equal((await page.$$('.opblock')).length, operations.length);
    for (const url of asked) ok(url.startsWith(`${backend.url}/`) || url.startsWith('data:'), url);
    await page.click('#operations-operations-getHealthz .opblock-summary-control');
    await page.waitForSelector('#operations-operations-getHealthz .opblock-body');
    await browser.shoot(page, 'api-docs');
    deepEqual(browser.complaints, []);
  });
});
