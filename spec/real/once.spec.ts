import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { decodeSnapshot } from '../../wire/inventory.ts';
import type { ControlPlane } from '../support/kubernetes.ts';
import { startControlPlane } from '../support/kubernetes.ts';

const root = join(import.meta.dirname, '../..');

describe('proxima agent --once --stdout on a real control plane', function () {
  this.timeout(240_000);
  let kube: ControlPlane;
  before(async () => {
    kube = await startControlPlane(['--nodes', '2', '--metrics']);
    await kube.kubectl(['apply', '-f', join(root, 'spec/fixtures/namespace-shop-everyKind.yaml')]);
  });
  after(() => kube?.stop());

  it('prints a valid snapshot that holds what kubectl lists', async () => {
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [join(root, 'main.ts'), 'agent', '--once', '--stdout'],
      {
        env: { PATH: process.env.PATH, PROXIMA_CLUSTER_NAME: 'Real', KUBECONFIG: kube.kubeconfig },
        maxBuffer: 64 * 1024 * 1024,
      },
    );
    const decoded = await decodeSnapshot(Buffer.from(stdout), undefined);
    assert.ok(decoded.ok, JSON.stringify(decoded));
    const { data } = decoded.snapshot;
    const listed = await kube.get<{ items: { metadata: { uid: string } }[] }>('services', '--all-namespaces');
    assert.deepEqual(
      data.services.map(({ uid }) => uid).sort(),
      listed.items.map(({ metadata }) => metadata.uid).sort(),
    );
    assert.ok(data.workloads.some(({ spec_facts }) => spec_facts !== undefined));
    assert.doesNotMatch(stderr, / (error|forbidden) /);
  });
});
