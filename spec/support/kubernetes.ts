/** A real Kubernetes control plane for specs: SERVICES names the folder of the service launcher. */
import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { certificateAuthority } from './ask.ts';

const START_TIMEOUT_MS = 240_000;
const KUBECTL_TIMEOUT_MS = 60_000;

export interface ControlPlane {
  /** Administrator's kubeconfig file. */
  readonly kubeconfig: string;
  /** URL of the API server; its certificate authority is in the kubeconfig. */
  readonly url: string;
  /** File that every container's log reads from. */
  readonly podLog: string;
  /** Runs kubectl and returns what it printed; `input` becomes standard input. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** `kubectl get … -o json`, parsed. */
  get<T>(...args: string[]): Promise<T>;
  stop(): Promise<void>;
}

/** Starts etcd, API server, controllers, scheduler and simulated nodes; 15 s once built. Throws with the last words. */
export async function startControlPlane(flags: readonly string[] = []): Promise<ControlPlane> {
  const child = spawn(
    process.execPath,
    [`${servicesFolder()}/services.mjs`, 'kube', '--with-stdin', ...flags],
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
      const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) found[name] = value;
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
  if (!up) {
    await stop();
    throw new Error(`the control plane did not start: ${lastWords}`);
  }
  const [command = '', ...before] = (found.KUBECTL ?? '').split(' ');
  const kubeconfig = found.KUBECONFIG ?? '';
  const kubectl = async (args: readonly string[], input?: string): Promise<string> => {
    const running = promisify(execFile)(command, [...before, ...args], {
      env: { ...process.env, KUBECONFIG: kubeconfig },
      timeout: KUBECTL_TIMEOUT_MS,
      maxBuffer: 256 * 1024 * 1024,
    });
    running.child.stdin?.end(input);
    return (await running).stdout;
  };
  return {
    kubeconfig,
    url: found.API_SERVER ?? '',
    podLog: found.POD_LOG ?? '',
    kubectl,
    get: async <T>(...args: string[]) => JSON.parse(await kubectl(['get', ...args, '-o', 'json'])) as T,
    stop,
  };
}

/** Folder of the service launcher; specs that need it run through `make test-real`, which sets it. */
export function servicesFolder(): string {
  const folder = process.env.SERVICES;
  if (folder === undefined) throw new Error('SERVICES is not set: run these specs with make test-real');
  return folder;
}

/** A kubeconfig for the control plane with one token in it, as an agent outside the cluster would use. */
export function clusterKubeconfig(kube: Pick<ControlPlane, 'kubeconfig' | 'url'>, token: string): string {
  const ca = Buffer.from(certificateAuthority(kube.kubeconfig)).toString('base64');
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: kube.url, 'certificate-authority-data': ca } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}
