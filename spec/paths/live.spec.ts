import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SimCluster } from '../../sim/cluster.ts';
import type { SimServer } from '../../sim/server.ts';
import { defaultToken, startSimServer } from '../../sim/server.ts';
import { syncedAfter } from '../support/apiReads.ts';
import { ask } from '../support/liveAsk.ts';
import type { WholeSystem } from '../support/wholeSystem.ts';
import { startWholeSystem } from '../support/wholeSystem.ts';

describe('a live read from the API to the cluster and back', function () {
  this.timeout(60_000);
  let system: WholeSystem;
  let cluster: SimCluster;
  let sim: SimServer;
  let base: string;
  let token: string;
  let place: { namespace: string; name: string };

  before(async () => {
    system = await startWholeSystem();
    cluster = new SimCluster({ argo: true, seed: 7, pods: 60, now: new Date() });
    sim = await startSimServer(cluster);
    const kubeconfig = join(system.dir, 'sim.kubeconfig');
    await writeFile(kubeconfig, sim.kubeconfig());
    const { url } = await system.startBackend();
    const api = await system.admin(url);
    token = api.token;
    await system.startAgent({ url, kubeconfig, slug: 'demo' });
    const { id } = await syncedAfter(api, 'demo', new Date());
    base = `${url}/api/v1/clusters/${id}/live`;
    const [first] = cluster.list('deployments').filter(({ spec }) => (spec.replicas ?? 0) > 0);
    ok(first);
    place = { namespace: first.metadata.namespace ?? '', name: first.metadata.name };
  });
  after(async () => {
    await system?.stop();
    await sim?.stop();
  });

  const read = (route: string, query: Record<string, string>) =>
    ask(`${base}/${route}?${new URLSearchParams(query)}`, token);

  it('shows an object without what must not leave the cluster (LV-04, LV-06)', async () => {
    const { status, body } = await read('manifest', { kind: 'Deployment', ...place });
    equal(status, 200, JSON.stringify(body));
    equal(body.data.object.metadata.name, place.name);
    equal(body.data.object.metadata.managedFields, undefined);
  });

  it('shows the history of a workload, newest first (LV-07, LV-08)', async () => {
    cluster.rolloutDeployment(place.namespace, place.name);
    const { status, body } = await read('revisions', { kind: 'Deployment', ...place });
    equal(status, 200, JSON.stringify(body));
    const numbers = body.data.revisions.map(({ revision }: { revision: number }) => revision);
    ok(numbers.length >= 2);
    deepEqual(
      numbers,
      [...numbers].sort((a: number, b: number) => b - a),
    );
    ok(body.data.revisions[0].pod_template.spec.containers.length > 0);
  });

  it('reads the lines of a container with their stamps, and hides secrets (LV-11 to LV-17)', async () => {
    const pod = cluster
      .list('pods')
      .find(({ spec, status }) => spec.containers.length === 1 && status.phase === 'Running');
    ok(pod);
    const asked = { namespace: pod.metadata.namespace ?? '', pod: pod.metadata.name };
    cluster.logs.write(asked.namespace, asked.pod, pod.spec.containers[0]?.name ?? '', [
      { atMs: Date.parse('2026-12-01T05:00:00Z'), nanos: 7, text: 'first' },
      { atMs: Date.parse('2026-12-01T05:00:01Z'), nanos: 8, text: 'login password=hunter2' },
    ]);
    const { status, body } = await read('logs', asked);
    equal(status, 200, JSON.stringify(body));
    deepEqual(body.data.lines, [
      { ts: '2026-12-01T05:00:00.000000007Z', text: 'first' },
      { ts: '2026-12-01T05:00:01.000000008Z', text: 'login password=[REDACTED]' },
    ]);
    equal(body.data.truncated, false);
    const one = await read('logs', { ...asked, tail: '1' });
    deepEqual([one.body.data.lines.length, one.body.data.truncated], [1, true]);
    const since = await read('logs', { ...asked, since_time: '2026-12-01T05:00:01.9Z' });
    equal(since.body.data.lines.length, 1);
    const unknown = await read('logs', { ...asked, container: 'none' });
    deepEqual(
      [unknown.status, unknown.body.data.lines, unknown.body.data.containers],
      [200, [], [pod.spec.containers[0]?.name]],
    );
  });

  it('says what is not there and what the tier does not open (LV-25, X-09)', async () => {
    const missing = await read('manifest', { kind: 'Pod', namespace: 'shop', name: 'nowhere' });
    deepEqual([missing.status, missing.body.error.code], [502, 'agent_error']);
    match(missing.body.error.message, /not found/);
    sim.tokens.set(defaultToken, { deny: [{ resource: 'pods/log' }] });
    const closed = await read('manifest', { kind: 'Deployment', ...place });
    sim.tokens.set(defaultToken, {});
    deepEqual([closed.status, closed.body.error.code], [502, 'agent_error']);
    match(closed.body.error.message, /read-only tier is not bound/);
  });
});
