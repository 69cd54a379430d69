/** A real Kubernetes control plane for specs. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { certificateAuthority } from './ask.ts';
import { startService } from './services.ts';

const KUBECTL_TIMEOUT_MS = 60_000;

export interface ControlPlane {
  /** Administrator's kubeconfig file. */
  readonly kubeconfig: string;
  /** URL of the API server; its certificate authority is in the kubeconfig. */
  readonly url: string;
  /** File that every container's log reads from. */
  readonly podLog: string;
  /** File that the log of every container's previous run reads from. */
  readonly previousLog: string;
  /** Runs kubectl and returns what it printed; `input` becomes standard input. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** `kubectl get … -o json`, parsed. */
  get<T>(...args: string[]): Promise<T>;
  stop(): Promise<void>;
}

/** Starts etcd, API server, controllers, scheduler and simulated nodes; 15 s once built. Throws with the last words. */
export async function startControlPlane(flags: readonly string[] = []): Promise<ControlPlane> {
  const { found, stop } = await startService('kube', flags);
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
    previousLog: found.POD_PREVIOUS_LOG ?? '',
    kubectl,
    get: async <T>(...args: string[]) => JSON.parse(await kubectl(['get', ...args, '-o', 'json'])) as T,
    stop,
  };
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
