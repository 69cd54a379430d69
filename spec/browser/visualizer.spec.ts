import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import type { RunningAgent } from '../../agent/main.ts';
import { SimCluster } from '../../sim/cluster.ts';
import type { SimServer } from '../../sim/server.ts';
import { startSimServer } from '../../sim/server.ts';
import type { BackendProcess } from '../support/backendProcess.ts';
import { startBackendProcess } from '../support/backendProcess.ts';
import { eventually } from '../support/ingest.ts';
import type { WholeSystem } from '../support/wholeSystem.ts';
import { startWholeSystem } from '../support/wholeSystem.ts';
import type { BrowserUnderTest } from './browser.ts';
import { PHONE, startBrowser } from './browser.ts';

const SILENT = 2_400;

describe('the visualizer in a browser', function () {
  this.timeout(120_000);
  let system: WholeSystem;
  let sim: SimServer;
  let backend: BackendProcess;
  let agent: RunningAgent;
  let browser: BrowserUnderTest;
  let page: Page;
  let token: string;

  const text = (selector: string): Promise<string> =>
    page.$eval(selector, (found) => found.textContent ?? '');
  const until = (expression: string): Promise<unknown> => page.waitForFunction(expression);
  const counted = (count: string) =>
    until(`document.querySelector('#count').textContent.startsWith('${count} ')`);
  const scrollsSideways = (): Promise<unknown> =>
    page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
  const lit = (): Promise<unknown> =>
    page.evaluate(`[...document.querySelectorAll('.state.lit')].map((state) => state.dataset.state).join()`);

  before(async () => {
    system = await startWholeSystem();
    backend = await startBackendProcess({
      ...system.backendEnv,
      PROXIMA_K8S_STALE_AFTER: '10m',
      PROXIMA_K8S_MAINTENANCE_INTERVAL: '1s',
    });
    const admin = await system.admin(backend.url);
    token = admin.token;
    const { environmentId } = await admin.tenant('globex', 'staging');
    // Clusters that the sweep finds silent: each one wakes its actor.
    await system.database.pool.query(
      `with a as (insert into assets (client_id, environment_id, asset_type, name, status)
         select client_id, id, 'cluster', 'edge-' || to_char(n, 'FM0000'), 'active'
         from environments, generate_series(1, $2::int) n where id = $1
         returning id, client_id, environment_id, name)
       insert into clusters (asset_id, client_id, environment_id, name, display_name, slug, agent_status, last_seen_at)
       select id, client_id, environment_id, name, name, name, 'connected', now() - interval '1 hour' from a`,
      [environmentId, SILENT],
    );
    sim = await startSimServer(new SimCluster({ seed: 5, pods: 80, now: new Date() }));
    const kubeconfig = join(system.dir, 'sim.kubeconfig');
    await writeFile(kubeconfig, sim.kubeconfig());
    agent = await system.startAgent({
      url: backend.url,
      kubeconfig,
      slug: 'shop',
      env: { PROXIMA_K8S_SYNC_INTERVAL: '2s' },
    });
    browser = await startBrowser(backend.url);
  });
  after(async () => {
    await browser?.close();
    await agent?.stop();
    await backend?.end('SIGTERM');
    await system?.stop();
    await sim?.stop();
  });

  it('signs in and comes back to the very page that was asked for', async () => {
    page = await browser.open('/debug/actors#/actors/acme/prod/shop');
    match(page.url(), /\/login\?next=/);
    await browser.shoot(page, 'login');
    await page.type('#token', token);
    await Promise.all([page.waitForNavigation(), page.click('button[type=submit]')]);
    equal(new URL(page.url()).pathname, '/debug/actors');
    equal(new URL(page.url()).hash, '#/actors/acme/prod/shop');
    await until(`document.querySelector('#link').dataset.state === 'live'`);
    equal(await text('#name'), 'shop');
  });

  it('lights the states that an actor is in, as snapshots are stored', async () => {
    await until(
      `document.querySelector('[data-state="cluster.presence.connected"]').classList.contains('lit')`,
    );
    match(String(await lit()), /cluster\.liveReads\.admitting,cluster\.presence\.connected/);
    const total = () =>
      page.evaluate(`Number(document.querySelector('#log h2 small')?.textContent.split(' ').at(-1) ?? 0)`);
    const before = Number(await total());
    await eventually('more transitions', async () => Number(await total()) >= before + 4, 20_000);
    const heads = await page.$$eval('#log th', (cells) => cells.map((cell) => cell.textContent));
    deepEqual(heads, ['Time (UTC)', 'Region', 'Event', 'Guard', 'From → to', 'Outcome']);
    const log = await text('#log tbody');
    match(log, /done syncCluster/);
    match(log, /hasSnapshot true/);
    match(log, /stored/);
    await browser.shoot(page, 'actor-light');
  });

  it('marks an arrow that is taken', async () => {
    await until(`document.querySelector('.arrow.taken') !== null`);
  });

  it(`filters and searches over ${SILENT + 1} actors, of which it draws those in sight`, async () => {
    await page.goto(`${backend.url}/debug/actors#/`);
    await counted((SILENT + 1).toLocaleString('en'));
    await eventually(
      'all are known to be silent',
      async () => (await text('[data-filter=offline] b')) === '2,400',
      30_000,
    );
    const drawn = await page.$$eval('.row', (rows) => rows.length);
    ok(drawn > 5 && drawn < 60, `${drawn} rows`);
    await browser.shoot(page, 'all-light');
    await page.click('[data-filter=offline]');
    await counted('2,400');
    await page.keyboard.press('/');
    await page.keyboard.type('globex 0042');
    await counted('1');
    equal(await text('.row b'), 'edge-0042');
    await page.keyboard.type(' nowhere');
    await counted('0');
    match(await text('#empty'), /No actor matches/);
    await browser.shoot(page, 'no-match');
    await page.keyboard.press('Escape');
    await counted('2,400');
    await page.click('[data-filter=all]');
  });

  it('is walked with the keyboard alone', async () => {
    await page.focus('#search');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Home');
    await until(`location.hash === '#/actors/acme/prod/shop'`);
    await page.keyboard.press('End');
    await until(`location.hash === '#/actors/globex/staging/edge-2400'`);
    equal(await text('#name'), 'edge-2400');
    equal(await page.$eval('.row[aria-selected=true] b', (name) => name.textContent), 'edge-2400');
    await page.keyboard.press('Escape');
    await until(`location.hash === '#/'`);
  });

  it('says what it does not know of', async () => {
    await page.goto(`${backend.url}/debug/actors#/actors/acme/prod/nobody`);
    await until(`document.querySelector('#about').textContent.startsWith('No actor of this name')`);
  });

  it('exports the machine as Mermaid and as XState JSON', async () => {
    for (const [path, begin] of [
      ['/debug/machine.mmd', 'stateDiagram-v2'],
      ['/debug/machine.json', '{"id":"cluster"'],
    ] as const) {
      const got = await page.evaluate(`fetch('${path}').then((answer) => answer.text())`);
      ok(String(got).startsWith(begin), String(got).slice(0, 60));
    }
  });

  it('is as readable in the dark', async () => {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await page.goto(`${backend.url}/debug/actors#/actors/acme/prod/shop`);
    await until(`document.querySelectorAll('#log tbody tr').length > 4`);
    await browser.shoot(page, 'actor-dark');
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
  });

  it('fits a phone without scrolling sideways', async () => {
    await page.setViewport(PHONE);
    for (const [hash, name] of [
      ['#/', 'phone-list'],
      ['#/all', 'phone-all'],
      ['#/actors/acme/prod/shop', 'phone-actor'],
    ] as const) {
      await page.goto(`${backend.url}/debug/actors${hash}`);
      await until(`document.querySelector('#link').dataset.state === 'live'`);
      await new Promise((resolve) => setTimeout(resolve, 400));
      equal(await scrollsSideways(), false, hash);
      await browser.shoot(page, name);
    }
    await page.goto(`${backend.url}/`);
    equal(await scrollsSideways(), false);
    await browser.shoot(page, 'start');
  });

  it('complains of nothing: no error in the console, no broken policy', () => {
    deepEqual(browser.complaints, []);
  });

  it('says that it is cut off when the backend is gone', async () => {
    await page.setViewport({ width: 1280, height: 800 });
    await page.goto(`${backend.url}/debug/actors#/`);
    await until(`document.querySelector('#link').dataset.state === 'live'`);
    await backend.end('SIGTERM');
    await until(`document.querySelector('#cut').textContent.startsWith('Disconnected')`);
    await browser.shoot(page, 'disconnected');
  });
});
