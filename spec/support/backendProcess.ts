/** `./proxima serve` as a process of its own, so that a spec can kill it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '../..');
const START_TIMEOUT_MS = 30_000;

export interface BackendProcess {
  readonly url: string;
  /** The value of one sample of its /metrics; 0 when there is none. */
  metric(sample: string): Promise<number>;
  /** The last few thousand characters that it printed. */
  lastWords(): string;
  /** Ends it with a signal and waits; resolves with exit code or signal. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

/** Starts it and waits until /readyz says so. Throws with what it printed when it does not come up. */
export async function startBackendProcess(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<BackendProcess> {
  const port = await freePort();
  const child = spawn(join(root, 'proxima'), ['serve', ...args], {
    env: { ...process.env, ...env, PROXIMA_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-4000);
    });
  }
  const exited = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await isReady(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`the backend did not start: ${printed}`);
    }
    await sleep(50);
  }
  return {
    url,
    async metric(sample) {
      const text = await (await fetch(`${url}/metrics`)).text();
      const line = text.split('\n').find((candidate) => candidate.startsWith(`${sample} `));
      return line === undefined ? 0 : Number(line.slice(sample.length));
    },
    lastWords: () => printed,
    async end(signal) {
      child.kill(signal);
      const [code, by] = await exited;
      return code ?? by;
    },
  };
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
    (answer) => answer.ok,
    () => false,
  );

/** A port that nobody listened on a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
