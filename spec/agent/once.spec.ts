import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SimCluster } from '../../sim/cluster.ts';
import { kubeconfigText } from '../../sim/kubeconfig.ts';
import type { SimServer } from '../../sim/server.ts';
import { defaultToken, startSimServer } from '../../sim/server.ts';
import { decodeSnapshot } from '../../wire/inventory.ts';
import { temporaryFolder } from './scripted.ts';

const MAIN = join(import.meta.dirname, '../../main.ts');

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe('proxima agent --once --stdout', function () {
  this.timeout(60_000);
  let sim: SimServer;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let kubeconfig = '';

  before(async () => {
    folder = await temporaryFolder();
    sim = await startSimServer(new SimCluster({ seed: 'once', pods: 40, now: new Date() }));
    kubeconfig = await configFor(sim.url, defaultToken);
  });
  after(async () => {
    await sim.stop();
    await folder.remove();
  });

  async function configFor(url: string, token: string): Promise<string> {
    const path = join(folder.path, `kubeconfig-${token}`);
    await writeFile(path, kubeconfigText(url, token));
    return path;
  }

  /** Without a word about a backend, and without any other variable than those given. */
  async function run(args: string[], env: Record<string, string>): Promise<Ended> {
    const child = spawn(process.execPath, [MAIN, 'agent', ...args], {
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const told = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        told[name] += text;
      });
    }
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...told };
  }
  const print = (env: Record<string, string> = {}) =>
    run(['--once', '--stdout'], { PROXIMA_CLUSTER_NAME: 'Prod', KUBECONFIG: kubeconfig, ...env });

  it('prints the snapshot that a sync would send, valid and of nobody, and nothing else', async () => {
    const { code, stdout } = await print();
    assert.equal(code, 0);
    const decoded = await decodeSnapshot(Buffer.from(stdout), undefined);
    assert.ok(decoded.ok, JSON.stringify(decoded));
    const { snapshot } = decoded;
    assert.equal(snapshot.agent_id, '00000000-0000-0000-0000-000000000000');
    assert.equal(snapshot.epoch, null);
    assert.equal(snapshot.data.cluster.slug, 'prod');
    assert.equal(snapshot.coverage?.pods?.state, 'complete');
    assert.equal(snapshot.data.pods.length, snapshot.coverage.pods.sent);
    assert.ok(snapshot.data.pods.length > 0);
    assert.ok(stdout.endsWith('}\n') && stdout.indexOf('\n') === stdout.length - 1);
  });

  it('tells how each resource was read, and the sizes, on standard error', async () => {
    const { stdout, stderr } = await print();
    assert.match(stderr, /^resource +state +listed +sent reason\n/m);
    assert.match(stderr, /^pods +complete +\d+ +\d+$/m);
    assert.match(
      stderr,
      new RegExp(`^${Buffer.byteLength(stdout) - 1} bytes of JSON, \\d+ compressed$`, 'm'),
    );
  });

  it('keeps to the settings of collecting (CF-09, CF-10)', async () => {
    const { stdout, stderr } = await print({ PROXIMA_K8S_POD_LIMIT: '3' });
    assert.equal(JSON.parse(stdout).data.pods.length, 3);
    assert.match(stderr, /^pods +truncated +\d+ +3 pod_limit$/m);
  });

  it('ends with 1, prints no snapshot, and says why when the cluster cannot be collected', async () => {
    const refused = await print({ KUBECONFIG: await configFor(sim.url, 'stranger') });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /401/);
    const nowhere = await run(['--once', '--stdout'], { PROXIMA_CLUSTER_NAME: 'Prod' });
    assert.equal(nowhere.code, 1);
    assert.equal(nowhere.stdout, '');
    assert.match(nowhere.stderr, /^proxima: .*KUBECONFIG/);
  });

  it('asks for the name of the cluster alone', async () => {
    const { code, stderr } = await run(['--once', '--stdout'], {});
    assert.equal(code, 2);
    assert.equal(stderr, 'proxima: PROXIMA_CLUSTER_NAME is required\n');
  });

  it('says what to do when one of the two options is missing', async () => {
    const alone = await run(['--once'], { PROXIMA_CLUSTER_NAME: 'Prod' });
    assert.equal(alone.code, 2);
    assert.match(alone.stderr, /^proxima: --once needs --stdout.*without --once\n/);
    const other = await run(['--stdout'], { PROXIMA_CLUSTER_NAME: 'Prod' });
    assert.equal(other.code, 2);
    assert.match(other.stderr, /^proxima: --stdout needs --once\n/);
  });

  it('is no fault when the reader has seen enough', async () => {
    const child = spawn(
      '/bin/sh',
      ['-c', `"$NODE" "$MAIN" agent --once --stdout | head -c 10; echo; exit 0`],
      {
        env: {
          ...process.env,
          NODE: process.execPath,
          MAIN,
          PROXIMA_CLUSTER_NAME: 'P',
          KUBECONFIG: kubeconfig,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.stdout.resume();
    await once(child, 'close');
    assert.doesNotMatch(stderr, /EPIPE|Error|could not/);
  });
});
