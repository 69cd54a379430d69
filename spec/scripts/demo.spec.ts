import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/ingest.ts';

const root = join(import.meta.dirname, '../..');

/** Processes whose command line names the folder. */
const processesOf = (folder: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
    } catch {
      return false;
    }
  });

interface Demo {
  readonly child: ChildProcess;
  readonly printed: string;
}

describe('the demo', function () {
  this.timeout(90_000);
  let dir: string;
  let demo: Demo | undefined;

  /** Starts it under a shell, as make does, and waits for its last line. */
  async function start(): Promise<Demo> {
    const child = spawn(
      'sh',
      ['-c', './proxima demo --pods 40 --data-dir "$0" --stop-with-parent; true', dir],
      {
        cwd: root,
        env: { ...process.env, PROXIMA_PORT: '18080' },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let printed = '';
    let progress = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      progress += text;
    });
    await eventually(
      'the demo is up',
      () => {
        assert.equal(child.exitCode, null, progress);
        return printed.includes('Ctrl-C');
      },
      60_000,
    );
    assert.match(progress, /waiting for the first snapshot/);
    return { child, printed };
  }

  const printedValue = (name: string): string =>
    new RegExp(`^${name}=(.+)$`, 'm').exec(demo?.printed ?? '')?.[1] ?? assert.fail(`${name} is printed`);

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'proxima-demo-'));
    demo = await start();
  });
  after(() => {
    demo?.child.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });

  it('prints its URL, a token and three curl lines that answer', async () => {
    const url = printedValue('PROXIMA_URL');
    assert.match(printedValue('PROXIMA_TOKEN'), /^\S{20,}$/);
    const lines = (demo?.printed ?? '').split('\n').filter((line) => line.startsWith('curl '));
    assert.equal(lines.length, 3);
    for (const line of lines) {
      const [, authorization = '', address = ''] = /-H 'Authorization: ([^']+)' '([^']+)'/.exec(line) ?? [];
      assert.ok(address.startsWith(url));
      const answer = await fetch(address, { headers: { authorization } });
      assert.equal(answer.status, 200);
      assert.ok(((await answer.json()) as { data: unknown[] }).data.length > 0, address);
    }
  });

  it('ends by itself, naming the reason, when it cannot start', async () => {
    const child = spawn('./proxima', ['demo', '--data-dir', dir, '--stop-with-parent'], { cwd: root });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await eventually('it has ended', () => child.exitCode !== null, 40_000);
    assert.equal(child.exitCode, 1);
    assert.match(said, /another server runs on/);
  });

  it('takes the next free port when its own is taken', async () => {
    const second = mkdtempSync(join(tmpdir(), 'proxima-demo-'));
    const first = demo;
    const folder = dir;
    dir = second;
    try {
      const other = await start();
      demo = other;
      assert.notEqual(printedValue('PROXIMA_URL'), /^PROXIMA_URL=(.+)$/m.exec(first?.printed ?? '')?.[1]);
      other.child.kill('SIGKILL');
      await eventually('it is gone', () => processesOf(second).length === 0, 30_000);
    } finally {
      demo = first;
      dir = folder;
      rmSync(second, { recursive: true, force: true });
    }
  });

  it('stops everything it started when its parent is killed, and keeps its data for the next start', async () => {
    const url = printedValue('PROXIMA_URL');
    const token = printedValue('PROXIMA_TOKEN');
    assert.ok(processesOf(dir).length >= 3);
    demo?.child.kill('SIGKILL');
    await eventually('every process is gone', () => processesOf(dir).length === 0, 30_000);
    await assert.rejects(fetch(`${url}/healthz`));

    demo = await start();
    assert.notEqual(printedValue('PROXIMA_TOKEN'), token, 'a fresh token at every start');
    const answer = await fetch(`${printedValue('PROXIMA_URL')}/api/v1/agents`, {
      headers: { authorization: `Bearer ${printedValue('PROXIMA_TOKEN')}` },
    });
    const { data } = (await answer.json()) as { data: unknown[] };
    assert.equal(data.length, 1, 'the agent of the first start is still the one');
    demo.child.kill('SIGKILL');
    await eventually('every process is gone', () => processesOf(dir).length === 0, 30_000);
  });
});
