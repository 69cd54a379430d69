import { equal, match, rejects } from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureChromium } from '../../scripts/chromium.ts';

describe('finding a Chromium', () => {
  let folder: string;
  const find = (env: Record<string, string>) =>
    ensureChromium({ env, onProgress: () => undefined, systemFolders: [], canInstall: false });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'proxima-chromium-'));
    await writeFile(join(folder, 'google-chrome'), '#!/bin/sh\n');
    await chmod(join(folder, 'google-chrome'), 0o755);
    await writeFile(join(folder, 'chromium'), 'not executable');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('takes the program on PATH, by any of its names', async () => {
    equal(await find({ PATH: `/nowhere:${folder}` }), join(folder, 'google-chrome'));
  });

  it('takes the one that CHROMIUM names, and no other when that is no program', async () => {
    equal(await find({ CHROMIUM: join(folder, 'google-chrome') }), join(folder, 'google-chrome'));
    await rejects(find({ CHROMIUM: join(folder, 'chromium'), PATH: folder }), /CHROMIUM=.* is not a program/);
  });

  it('says how to get one where there is none', async () => {
    await rejects(find({ PATH: '/nowhere' }), (error: Error) => {
      match(error.message, /^no Chromium found\. Do one of these/);
      match(error.message, /apt-get install chromium/);
      return true;
    });
  });
});
