/** Real servers for specs: SERVICES names the folder of the launcher that builds and runs them. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const START_TIMEOUT_MS = 240_000;

export interface RunningService {
  /** What it printed as NAME=value. */
  readonly found: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts servers by the launcher's name for them; seconds once built. Throws with the last words. */
export async function startService(name: string, flags: readonly string[] = []): Promise<RunningService> {
  const child = spawn(
    process.execPath,
    [`${servicesFolder()}/services.mjs`, name, '--with-stdin', ...flags],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let lastWords = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-2000);
  });
  const found: Record<string, string> = {};
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      if (line === 'ready') return true;
      const [, key, value] = /^([A-Z_]+)=(.*)$/.exec(line) ?? [];
      if (key !== undefined && value !== undefined) found[key] = value;
    }
    return false;
  })();
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await exited;
  };
  const timeout = setTimeout(() => child.stdin.end(), START_TIMEOUT_MS);
  const up = await ready;
  clearTimeout(timeout);
  child.stdout.resume();
  if (up) return { found, stop };
  await stop();
  throw new Error(`${name} did not start: ${lastWords}`);
}

/** Folder of the service launcher; specs that need it run through `make test-real`, which sets it. */
export function servicesFolder(): string {
  const folder = process.env.SERVICES;
  if (folder === undefined) throw new Error('SERVICES is not set: run these specs with make test-real');
  return folder;
}
