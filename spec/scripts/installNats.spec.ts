import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

describe('the install step for nats-server', () => {
  it('ends with 2 and names every way where there is none to be had', () => {
    const empty = mkdtempSync(join(tmpdir(), 'proxima-empty-'));
    try {
      const { status, stderr } = spawnSync(
        process.execPath,
        [join(root, 'scripts/installNats.ts'), join(empty, 'bin'), empty],
        { env: { PATH: empty }, encoding: 'utf8' },
      );
      assert.equal(status, 2, stderr);
      for (const way of ['PATH', join(empty, 'bin'), 'Go', 'apt-get install nats-server', 'NATS_URL']) {
        assert.ok(stderr.includes(way), `${way} is named in: ${stderr}`);
      }
    } finally {
      rmSync(empty, { recursive: true });
    }
  });
});
