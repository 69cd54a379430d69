/** Headless Chromium on a running backend, with everything it complains about. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import puppeteer from 'puppeteer-core';

const SHOTS = join(import.meta.dirname, '../../.proxima/screenshots');
export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 740, deviceScaleFactor: 2, hasTouch: true, isMobile: true };

export interface BrowserUnderTest {
  /** A page of its own, in this session. */
  open(path: string, viewport?: typeof DESKTOP): Promise<Page>;
  /** Console errors, failed scripts and broken policies so far, of all pages. */
  readonly complaints: string[];
  shoot(page: Page, name: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts the Chromium that `CHROMIUM` names, as `make test-browser` sets it. */
export async function startBrowser(url: string): Promise<BrowserUnderTest> {
  const executablePath = process.env.CHROMIUM ?? '';
  if (executablePath === '') throw new Error('CHROMIUM is not set: run make test-browser');
  await mkdir(SHOTS, { recursive: true });
  const browser: Browser = await puppeteer.launch({
    executablePath,
    headless: true,
    args: [
      // Root has no sandbox of its own; the only pages are ours.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-dev-shm-usage',
      '--force-color-profile=srgb',
    ],
  });
  const complaints: string[] = [];
  return {
    complaints,
    async open(path, viewport = DESKTOP) {
      const page = await browser.newPage();
      page.setDefaultTimeout(15_000);
      await page.setViewport(viewport);
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warn') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(String(error)));
      page.on('requestfailed', (request) => {
        const reason = request.failure()?.errorText ?? '';
        // A page that is left takes its stream along.
        if (reason !== 'net::ERR_ABORTED') complaints.push(`${request.url()} ${reason}`);
      });
      await page.goto(url + path);
      return page;
    },
    async shoot(page, name) {
      await page.screenshot({ path: join(SHOTS, `${name}.png`) });
    },
    close: () => browser.close(),
  };
}
