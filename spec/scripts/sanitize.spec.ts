import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const command = [join(root, 'main.ts'), 'sanitize'];

const sanitized = (input: string | Buffer, args: string[] = []) =>
  spawnSync(process.execPath, [...command, ...args], {
    input,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });

describe('./proxima sanitize', () => {
  it('writes one line for one line, and keeps a last one without a break', () => {
    const { status, stdout } = sanitized('ok\n\npassword=hunter2 n=1\r\ntoken: abc1');
    assert.equal(stdout, 'ok\n\npassword=[REDACTED] n=1\r\ntoken: [REDACTED]');
    assert.equal(status, 0);
  });

  it('writes nothing for nothing', () => assert.equal(sanitized('').stdout, ''));

  it('hides a private key over several lines (SZ-14)', () => {
    const { stdout } = sanitized('a\n-----BEGIN PRIVATE KEY-----\nTUlJRQ==\n-----END PRIVATE KEY-----\nb\n');
    assert.equal(stdout, 'a\n[REDACTED]\n[REDACTED]\n[REDACTED]\nb\n');
  });

  it('reads characters that fall between two pieces of the input', async () => {
    const child = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'inherit'] });
    const bytes = Buffer.from('grüße password=geheimnisß n=1\n');
    let shown = '';
    child.stdout.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
    });
    for (const byte of bytes) child.stdin.write(Buffer.from([byte]));
    child.stdin.end();
    await once(child, 'close');
    assert.equal(shown, 'grüße password=[REDACTED] n=1\n');
  });

  it('answers each line as it comes', async () => {
    const child = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'inherit'] });
    try {
      child.stdin.write('token: abc1\nunfinished');
      const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
      assert.equal(chunk.toString(), 'token: [REDACTED]\n');
    } finally {
      child.stdin.end();
      await once(child, 'close');
    }
  });

  it('cuts lines without end, and goes on behind them', () => {
    const { stdout, status } = sanitized(`${'abc '.repeat(2_000_000)}\npassword=hunter2\n`);
    assert.equal(status, 0);
    const [cut = '', next] = stdout.split('\n');
    assert.ok(cut.length <= 65_536 && cut.endsWith(' [CUT]'));
    assert.equal(next, 'password=[REDACTED]');
  });

  it('ends well when its reader leaves', async () => {
    const child = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'pipe'] });
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => {
      complaint += chunk.toString();
    });
    child.stdin.on('error', () => undefined);
    child.stdout.once('data', () => child.stdout.destroy());
    child.stdin.write('ordinary line\n'.repeat(200_000));
    child.stdin.end();
    const [code] = await once(child, 'exit');
    assert.equal(complaint, '');
    assert.equal(code, 0);
  });

  it('explains itself, and refuses what it does not know', () => {
    const help = sanitized('', ['--help']);
    assert.equal(help.status, 0);
    assert.ok(help.stdout.includes('docs/sanitizer.md'));
    assert.equal(sanitized('', ['--nope']).status, 2);
  });
});
