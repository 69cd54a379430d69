/** `make test-browser`: finds or installs a Chromium, then runs the specs of the pages in it. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ChromiumMissing, ensureChromium } from './chromium.ts';

try {
  const chromium = await ensureChromium({
    env: process.env,
    onProgress: (line) => console.error(`test-browser: ${line} ...`),
  });
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/mocha/bin/mocha.js', 'spec/browser/**/*.spec.ts'],
    {
      cwd: join(import.meta.dirname, '..'),
      stdio: 'inherit',
      env: { ...process.env, CHROMIUM: chromium },
    },
  );
  process.exitCode = status ?? 1;
} catch (error) {
  if (!(error instanceof ChromiumMissing)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
