import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Rig, Stream } from './rig.ts';
import { startRig, startStream } from './rig.ts';
import { eventually } from './samples.ts';
import { answer } from './scripted.ts';

const MAIN = join(import.meta.dirname, '../../main.ts');

interface Program {
  /** What it wrote so far. */
  output(): string;
  kill(signal: 'SIGTERM' | 'SIGINT'): void;
  readonly exited: Promise<number | null>;
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('proxima agent', function () {
  this.timeout(60_000);
  const running = new Set<ReturnType<typeof spawn>>();
  afterEach(() => {
    for (const child of running) child.kill('SIGKILL');
    running.clear();
  });

  function run(args: string[], env: Record<string, string> = {}): Program {
    const child = spawn(process.execPath, [MAIN, 'agent', ...args], {
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    let output = '';
    for (const pipe of [child.stdout, child.stderr]) {
      pipe.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    return {
      output: () => output,
      kill: (signal) => child.kill(signal),
      exited: once(child, 'close').then(([code]) => code as number | null),
    };
  }

  it('explains itself and its settings', async () => {
    const help = run(['--help']);
    assert.equal(await help.exited, 0);
    assert.match(help.output(), /^usage: \.\/proxima agent \[options\]\n/);
    assert.match(help.output(), /PROXIMA_K8S_POD_LIMIT\n.*Default: 5000\./);
    assert.match(help.output(), /\noptions:\n {2}--once .*--stdout/);
    const version = run(['--version']);
    assert.equal(await version.exited, 0);
    assert.match(version.output(), /^v\d+\.\d+\.\d+\n$/);
  });

  it('ends with 2 for an argument or a setting that it cannot take, and names each (CF-01, CF-05)', async () => {
    const bogus = run(['--bogus']);
    assert.equal(await bogus.exited, 2);
    assert.match(
      bogus.output(),
      /^proxima: Unknown option '--bogus'\n\nusage: \.\/proxima agent \[options\]\n/,
    );
    const unset = run([]);
    assert.equal(await unset.exited, 2);
    assert.match(unset.output(), /PROXIMA_CLUSTER_NAME is required\n.*PROXIMA_BACKEND_URL is required/);
  });

  describe('on a cluster', () => {
    let stream: Stream;
    let rig: Rig;
    before(async () => {
      stream = await startStream();
    });
    after(() => stream.stop());
    afterEach(() => rig.stop());

    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      it(`finishes the running sync on ${signal} and ends with 0 (OB-09)`, async () => {
        rig = await startRig(stream, {
          async kubernetes({ url }) {
            if (url.pathname === '/api/v1/pods') await sleep(1000);
            return false;
          },
        });
        const program = run([], rig.env());
        await eventually(
          () => rig.kubernetes.received.some(({ url }) => url.pathname === '/api/v1/pods'),
          20_000,
        );
        program.kill(signal);
        assert.equal(await program.exited, 0);
        assert.ok(await stream.next());
        assert.match(program.output(), /stopping: the NATS connection is closed/);
      });
    }

    it('ends with 1 and the remedy in its log when it is already enrolled (EN-05)', async () => {
      rig = await startRig(stream, {
        backend(_, response) {
          answer(response, 409, {
            error: { code: 'already_enrolled', details: { held_by: 'this_cluster' } },
          });
          return true;
        },
      });
      const program = run([], rig.env({ PROXIMA_LOG_LEVEL: 'error' }));
      assert.equal(await program.exited, 1);
      const lines = program.output().trim().split('\n');
      assert.equal(lines.length, 1, 'the error level shows no info lines (CF-15)');
      const line = JSON.parse(lines[0] ?? '');
      assert.match(line.msg, /already enrolled with another identity.*delete its record/);
      assert.equal(line.cluster, 'prod');
      assert.doesNotMatch(program.output(), /hunter2/);
    });

    it('answers Prometheus where it is told to, with every metric of the agent (OB-01 to OB-06, CF-16)', async () => {
      rig = await startRig(stream);
      const address = `127.0.0.1:${await freePort()}`;
      const program = run([], rig.env({ PROXIMA_METRICS_ADDR: address }));
      assert.ok(await stream.next());
      const metrics = async (): Promise<string> => (await fetch(`http://${address}/metrics`)).text();
      let text = await metrics();
      // The message is there a moment before the sync has ended.
      for (const end = Date.now() + 5000; /_syncs_total 0$/m.test(text) && Date.now() < end; )
        text = await metrics();
      for (const line of [
        /^proxima_collector_syncs_total 1$/m,
        /^proxima_collector_sync_errors_total 0$/m,
        /^proxima_collector_last_sync_duration_seconds \d*\.?\d+$/m,
        /^proxima_collector_resources_collected\{resource="pods"\} 0$/m,
        /^proxima_collector_inventory_payload_bytes [1-9]\d*$/m,
        /^proxima_collector_inventory_too_large_total\{outcome="inventory_dropped"\} 0$/m,
        /^proxima_collector_leader 1$/m,
      ]) {
        assert.match(text, line);
      }
      program.kill('SIGTERM');
      assert.equal(await program.exited, 0);
    });

    it('ends with 1 when its probes cannot listen', async () => {
      rig = await startRig(stream);
      const taken = new URL(rig.backend.url).port;
      const program = run([], rig.env({ PROXIMA_METRICS_ADDR: `127.0.0.1:${taken}` }));
      assert.equal(await program.exited, 1);
      assert.match(program.output(), /EADDRINUSE/);
    });
  });
});
