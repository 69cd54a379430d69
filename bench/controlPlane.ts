/** A real Kubernetes control plane for a bench, by the launcher that SERVICES names. */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

export interface ControlPlane {
  readonly url: URL;
  /** Runs kubectl as administrator and returns what it printed; `input` becomes standard input. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts it with the flags of `services.mjs kube`; a quarter of a minute once built. */
export async function startControlPlane(flags: readonly string[]): Promise<ControlPlane> {
  const { SERVICES } = process.env;
  if (!SERVICES) throw new Error('SERVICES names no folder of real servers');
  const child = spawn(process.execPath, [join(SERVICES, 'services.mjs'), 'kube', '--with-stdin', ...flags], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  const found = new Map<string, string>();
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'ready') break;
    const [, key = '', value = ''] = /^([A-Z_]+)=(.*)$/.exec(line) ?? [];
    found.set(key, value);
  }
  const [command = '', ...before] = found.get('KUBECTL')?.split(' ') ?? [];
  if (command === '') throw new Error('the control plane did not start');
  return {
    url: new URL(found.get('API_SERVER') ?? ''),
    async kubectl(args, input) {
      const running = promisify(execFile)(command, [...before, ...args], {
        env: { ...process.env, KUBECONFIG: found.get('KUBECONFIG') },
        maxBuffer: 256 * 1024 * 1024,
      });
      running.child.stdin?.end(input);
      return (await running).stdout;
    },
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
