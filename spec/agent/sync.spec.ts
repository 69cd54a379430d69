import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createJwtIssuer } from '../../actors/agentJwt.ts';
import { type NatsLink as BackendLink, connectNats as connectBackend } from '../../actors/natsLink.ts';
import { readConfig } from '../../agent/config.ts';
import type { KubeAccess } from '../../agent/kubeAccess.ts';
import { openKubeAccess } from '../../agent/kubeAccess.ts';
import { createKubeApi } from '../../agent/kubeApi.ts';
import type { AgentMetrics } from '../../agent/metrics.ts';
import { createAgentMetrics } from '../../agent/metrics.ts';
import type { NatsLink } from '../../agent/natsLink.ts';
import { connectNats } from '../../agent/natsLink.ts';
import { createIdentity } from '../../agent/nkey.ts';
import type { Sync, SyncReport, SyncRun } from '../../agent/sync.ts';
import { createSync } from '../../agent/sync.ts';
import { SimCluster } from '../../sim/cluster.ts';
import type { SimServer } from '../../sim/server.ts';
import { startSimServer } from '../../sim/server.ts';
import { decodeSnapshot } from '../../wire/inventory.ts';
import { kinds } from '../../wire/kinds/index.ts';
import { HEADER_ROOM_BYTES } from '../../wire/limits.ts';
import type { Snapshot } from '../../wire/snapshot.ts';
import type { NatsUnderTest } from '../support/nats.ts';
import { startNats } from '../support/nats.ts';
import { keepLog } from './quietLog.ts';
import { AGENT_ID, eventually } from './samples.ts';
import { temporaryFolder } from './scripted.ts';

const PREFIX = 'proxima_collector_';
const ample = '8MB';

interface Message {
  readonly snapshot: Snapshot;
  readonly bytes: Uint8Array;
}

describe('a sync', function () {
  this.timeout(60_000);
  let nats: NatsUnderTest;
  let backend: BackendLink;
  let link: NatsLink;
  let sim: SimServer;
  let kube: KubeAccess;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let kept: ReturnType<typeof keepLog>;
  let metrics: AgentMetrics;
  let sync: Sync;
  let accepts: readonly string[] = [];

  before(async () => {
    folder = await temporaryFolder();
    sim = await startSimServer(new SimCluster({ seed: 'sync', pods: 60, now: new Date() }));
    const kubeconfig = join(folder.path, 'kubeconfig');
    await writeFile(kubeconfig, sim.kubeconfig());
    kube = await openKubeAccess(kubeconfig);
    nats = await startNats();
    backend = await connectBackend(nats.backend, 10_000, () => undefined);
    await backend.ensureStream({ maxBytes: 256 * 1024 * 1024, ackWaitMs: 30_000 });
    const identity = createIdentity();
    const jwt = await createJwtIssuer({
      account: nats.keys.account.publicKey,
      signingSeed: nats.keys.signing.seed,
    }).issue({ client: 'acme', environment: 'prod', agentId: AGENT_ID }, identity.publicKey);
    const connected = await connectNats({
      servers: [nats.url],
      caFile: null,
      agentId: AGENT_ID,
      seed: identity.seed,
      jwt: () => jwt,
      refused: () => undefined,
      signal: AbortSignal.timeout(60_000),
      log: keepLog().log,
      reconnectWaitMs: 100,
    });
    assert.ok(connected);
    link = connected;
  });
  after(async () => {
    await link.drain();
    await backend.close();
    await nats.stop();
    kube.close();
    await sim.stop();
    await folder.remove();
  });

  beforeEach(() => {
    accepts = [];
    kept = keepLog();
    metrics = createAgentMetrics();
    const read = readConfig({
      PROXIMA_CLUSTER_NAME: 'Prod',
      PROXIMA_BACKEND_URL: 'https://backend.example',
      PROXIMA_ARGOCD_IN_CLUSTER_NAMES: 'ok,bad name',
    });
    assert.ok(read.ok);
    sync = createSync({
      config: read.config,
      api: createKubeApi(kube, 'spec'),
      link,
      from: () => ({ client: 'acme', environment: 'prod', agentId: AGENT_ID }),
      accepts: () => accepts,
      metrics,
      log: kept.log,
      waits: { windowMs: 10_000, attemptMs: 2000, firstPauseMs: 50 },
    });
  });
  afterEach(() => sim.faults.clear());

  const run = (o: Partial<SyncRun> = {}): Promise<SyncReport> =>
    sync.run({ signal: AbortSignal.timeout(20_000), epoch: null, mayPublish: () => true, ...o });

  /** The reader's own connection may not be back yet. */
  async function pull(withinMs: number): ReturnType<BackendLink['pull']> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await backend.pull(withinMs);
      } catch (error) {
        if (attempt === 10) throw error;
        await sleep(200);
      }
    }
  }
  async function next(withinMs = 5000): Promise<Message | null> {
    const delivery = await pull(withinMs);
    if (delivery === null) return null;
    delivery.ack();
    const decoded = await decodeSnapshot(delivery.bytes, delivery.contentEncoding);
    assert.ok(decoded.ok, JSON.stringify(decoded));
    return { snapshot: decoded.snapshot, bytes: delivery.bytes };
  }
  async function arrived(): Promise<Message> {
    const message = await next();
    assert.ok(message);
    return message;
  }

  /** The value of one line of /metrics; undefined when there is none. */
  async function metric(name: string): Promise<number | undefined> {
    const { body } = await metrics.render();
    const line = body.split('\n').find((text) => text.startsWith(`${PREFIX}${name} `));
    return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1));
  }
  const tooLarge = async (): Promise<Record<string, number | undefined>> => ({
    facts: await metric('inventory_too_large_total{outcome="spec_facts_dropped"}'),
    rows: await metric('inventory_too_large_total{outcome="argocd_rows_dropped"}'),
    applications: await metric('inventory_too_large_total{outcome="argocd_applications_dropped"}'),
    inventory: await metric('inventory_too_large_total{outcome="inventory_dropped"}'),
  });
  const NEVER = { facts: 0, rows: 0, applications: 0, inventory: 0 };
  const logged = (level: string) => kept.lines.filter((line) => line.level === level);

  it('publishes a whole snapshot under its epoch, dated by the start of the collection (AG-03)', async () => {
    sim.faults.add({ kind: 'slow', resource: 'pods', group: '', delayMs: 300 });
    const before = Date.now();
    const epoch = { lease_uid: 'lease', transitions: 3 };
    const report = await run({ epoch });
    const { snapshot } = await arrived();
    assert.equal(report.outcome, 'published');
    assert.equal(report.timestamp, snapshot.timestamp);
    assert.ok(Date.parse(snapshot.timestamp) - before < 200, 'dated before the slow list was read');
    assert.ok(report.duration_ms >= 300);
    assert.deepEqual(snapshot.epoch, epoch);
    assert.equal(snapshot.agent_id, AGENT_ID);
    assert.deepEqual(snapshot.data.argocd?.in_cluster_names, ['ok'], 'AA-12');
  });

  it('sends the whole inventory each time, changed or not (AG-02)', async () => {
    await run();
    const first = await arrived();
    await run();
    const second = await arrived();
    assert.ok(first.snapshot.data.pods.length > 0);
    const keyed = ({ data }: Snapshot) =>
      kinds.map(({ name, key }) =>
        (data[name as 'pods'] as unknown as Record<string, unknown>[])
          .map((record) => key.map((column) => record[column]).join('/'))
          .sort(),
      );
    assert.deepEqual(keyed(second.snapshot), keyed(first.snapshot));
  });

  it('counts itself, its duration, what it holds and how large it is (OB-02, OB-04, OB-05, OB-06, X-42)', async () => {
    await run();
    const { snapshot, bytes } = await arrived();
    assert.equal(await metric('syncs_total'), 1);
    assert.equal(await metric('sync_errors_total'), 0);
    assert.ok(((await metric('last_sync_duration_seconds')) ?? 0) > 0);
    for (const kind of ['pods', 'nodes', 'workloads', 'events'] as const) {
      const count = snapshot.data[kind].length;
      assert.ok(count > 0);
      assert.equal(await metric(`resources_collected{resource="${kind}"}`), count);
    }
    assert.equal(await metric('inventory_payload_bytes'), bytes.length);
    assert.equal(await metric('inventory_wire_bytes'), bytes.length);
    assert.equal(await metric('nats_max_payload_bytes'), link.maxPayload());
    assert.deepEqual(await tooLarge(), NEVER);
    assert.ok(Math.abs(((await metric('last_success_timestamp_seconds')) ?? 0) - Date.now() / 1000) < 30);
  });

  it('measures the inventory before compression, and the message after it (PL-08, D12)', async () => {
    accepts = ['gzip'];
    const report = await run();
    const { bytes } = await arrived();
    assert.equal(await metric('inventory_wire_bytes'), bytes.length);
    assert.equal(await metric('inventory_payload_bytes'), report.json_bytes);
    assert.ok((report.json_bytes ?? 0) > 2 * bytes.length);
  });

  it('shows the state in which each resource was read', async () => {
    sim.faults.add({ kind: 'forbidden', resource: 'services' });
    const report = await run();
    await arrived();
    assert.equal(report.incomplete.services, 'forbidden');
    assert.equal(await metric('resource_coverage{resource="services",state="forbidden"}'), 1);
    assert.equal(await metric('resource_coverage{resource="services",state="complete"}'), 0);
    assert.equal(await metric('resource_coverage{resource="pods",state="complete"}'), 1);
    sim.faults.clear();
    await run();
    await arrived();
    assert.equal(await metric('resource_coverage{resource="services",state="forbidden"}'), 0);
  });

  it('counts a failed one among all, publishes nothing, and the next one works (OB-03, X-31)', async () => {
    sim.faults.add({ kind: 'unauthorized' });
    const report = await run();
    assert.deepEqual([report.outcome, report.reason], ['failed', 'collection']);
    assert.deepEqual([await metric('syncs_total'), await metric('sync_errors_total')], [1, 1]);
    assert.equal(logged('error').length, 1);
    sim.faults.clear();
    assert.equal((await run()).outcome, 'published');
    await arrived();
    assert.deepEqual([await metric('syncs_total'), await metric('sync_errors_total')], [2, 1]);
  });

  it('ends at its deadline and counts that as a failure', async () => {
    sim.faults.add({ kind: 'slow', resource: 'pods', group: '', delayMs: 5000 });
    const report = await run({ signal: AbortSignal.timeout(300) });
    assert.deepEqual([report.outcome, report.reason], ['failed', 'deadline']);
    assert.ok(report.duration_ms < 3000, `${report.duration_ms} ms`);
    assert.match(logged('error')[0]?.message ?? '', /longer than it may; nothing was published$/);
    assert.equal(await metric('sync_errors_total'), 1);
  });

  it('sends nothing when it no longer leads, which is no failure (D11)', async () => {
    const report = await run({ mayPublish: () => false });
    assert.deepEqual([report.outcome, report.reason, report.wire_bytes], ['not_leading', null, null]);
    assert.deepEqual([await metric('syncs_total'), await metric('sync_errors_total')], [1, 0]);
    assert.equal(await metric('last_success_timestamp_seconds'), 0);
    assert.equal(await next(1000), null);
    assert.deepEqual(logged('error'), []);
  });

  it('shows whether the agent leads', async () => {
    assert.equal(await metric('leader'), 0);
    metrics.leading(true);
    assert.equal(await metric('leader'), 1);
    metrics.leading(false);
    assert.equal(await metric('leader'), 0);
  });

  describe('that does not fit into one message', () => {
    async function limitTo(maxPayload: string): Promise<void> {
      const before = link.maxPayload();
      await nats.restart(0, maxPayload);
      await eventually(() => link.isConnected() && link.maxPayload() !== before, 10_000);
    }
    /** JSON sizes of the inventory, whole and without facts. */
    async function sizes(): Promise<{ whole: number; bare: number }> {
      await run();
      const { snapshot, bytes } = await arrived();
      const facts = snapshot.data.workloads.map(({ spec_facts }) =>
        spec_facts === undefined
          ? 0
          : Buffer.byteLength(JSON.stringify(spec_facts)) + ',"spec_facts":'.length,
      );
      return { whole: bytes.length, bare: bytes.length - facts.reduce((sum, size) => sum + size, 0) };
    }

    it('drops the facts of all workloads, warns, and counts it once per sync (PL-05, PL-07, PL-08, OB-12)', async () => {
      const { whole, bare } = await sizes();
      assert.ok(bare < whole);
      await limitTo(String(Math.round((bare + whole) / 2) + HEADER_ROOM_BYTES));
      const report = await run();
      const { snapshot, bytes } = await arrived();
      assert.ok(snapshot.data.workloads.every((workload) => !('spec_facts' in workload)));
      assert.ok(snapshot.data.pods.length > 0);
      assert.equal(report.shed, 'spec_facts_dropped');
      assert.deepEqual(await tooLarge(), { ...NEVER, facts: 1 });
      assert.ok(Math.abs(((await metric('inventory_payload_bytes')) ?? 0) - whole) < 100, 'the whole one');
      assert.equal(await metric('inventory_wire_bytes'), bytes.length);
      assert.equal(await metric('sync_errors_total'), 0);
      const [warning, ...more] = logged('warn').filter(({ message }) => message.includes('dropped'));
      assert.match(warning?.message ?? '', /PROXIMA_K8S_POD_LIMIT.*max_payload/);
      assert.equal(warning?.fields.shed, 'spec_facts_dropped');
      assert.deepEqual(more, []);
      await limitTo(ample);
      assert.equal((await run()).shed, null, 'the next one begins with the whole inventory again');
      assert.ok((await arrived()).snapshot.data.workloads.some(({ spec_facts }) => spec_facts));
    });

    it('publishes nothing, says so with the remedy, and tries again at the next one (PL-03, PL-06, PL-09, OB-12)', async () => {
      await limitTo(String(16 * 1024));
      const report = await run();
      assert.deepEqual([report.outcome, report.shed], ['too_large', 'inventory_dropped']);
      assert.deepEqual(await tooLarge(), { ...NEVER, inventory: 1 });
      assert.equal(await metric('sync_errors_total'), 1);
      assert.ok(((await metric('inventory_payload_bytes')) ?? 0) > 16 * 1024);
      const [line, ...more] = logged('error');
      assert.deepEqual(more, []);
      assert.match(line?.message ?? '', /^ErrPayloadTooLarge: .*PROXIMA_K8S_POD_LIMIT.*max_payload/);
      await run();
      assert.deepEqual(await tooLarge(), { ...NEVER, inventory: 2 });
      await limitTo(ample);
      assert.equal((await run()).outcome, 'published');
      await arrived();
    });
  });
});
