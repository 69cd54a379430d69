import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { MAX_QUERY_BYTES } from '../../../wire/kubeQuery.ts';
import { eventually } from '../samples.ts';
import { type LiveRig, manifestOf, startLiveRig } from './liveRig.ts';

describe("the agent's answers on its command subject", function () {
  this.timeout(60_000);
  let rig: LiveRig;
  beforeEach(async () => {
    rig = await startLiveRig();
  });
  afterEach(() => rig?.stop());

  const audits = () => rig.kept.lines.filter(({ message }) => message === 'live read');

  it('drops what is no request of ours, and answers the next (LV-02)', async () => {
    const good = manifestOf(rig.place);
    const bad: readonly (string | Uint8Array)[] = [
      '',
      '{',
      'null',
      new Uint8Array([0xff, 0xfe]),
      JSON.stringify({ ...good, op: 'exec' }),
      JSON.stringify({ ...good, tier: 'admin' }),
      JSON.stringify({ ...good, schema: 2 }),
      JSON.stringify({ ...good, actor: '' }),
      `${JSON.stringify(good)}${' '.repeat(MAX_QUERY_BYTES)}`,
    ];
    const before = rig.sim.requests.length;
    await Promise.all(
      bad.map((message) =>
        rejects(rig.backend.request(rig.subject, message, { timeout: 700 }), { code: 'TIMEOUT' }),
      ),
    );
    equal(rig.sim.requests.length, before);
    // A newer backend may say more than this agent knows.
    ok((await rig.ask({ more: 1 } as object)).ok);
    equal(audits().length, 1);
  });

  it('reads nothing for a command without a reply subject, and answers the next (LV-02)', async () => {
    rig.backend.publish(rig.subject, JSON.stringify(manifestOf({ ...rig.place, name: 'unheard' })));
    await rig.backend.flush();
    ok((await rig.ask()).ok);
    deepEqual(
      audits().map(({ fields }) => fields.name),
      [rig.place.name],
    );
    ok(!rig.sim.requests.some(({ path }) => path.includes('unheard')));
  });

  it('logs what was asked, by whom and what became of it (LV-03)', async () => {
    await rig.ask();
    await rig.ask({ kind: 'Secret', actor: 'proxima-console:api_key:k1' });
    const { namespace, name } = rig.place;
    const asked = { op: 'manifest', namespace, name };
    deepEqual(
      audits().map(({ level, fields }) => ({ level, ...fields })),
      [
        { level: 'info', ...asked, kind: 'Deployment', actor: 'ada@example.com', outcome: 'answered' },
        {
          level: 'info',
          ...asked,
          kind: 'Secret',
          actor: 'proxima-console:api_key:k1',
          outcome: 'bad_request',
        },
      ],
    );
  });

  it('ends a running read when it stops, tells its asker, and takes no more (LV-02)', async () => {
    rig.sim.faults.add({ kind: 'slow', resource: 'deployments', verb: 'get', delayMs: 10_000 });
    const asked = rig.ask();
    await eventually(() => rig.sim.requests.some(({ path }) => path.includes('selfsubjectaccessreviews')));
    const from = performance.now();
    await rig.live.stop();
    ok(performance.now() - from < 3000);
    equal(audits().length, 1);
    const reply = await asked;
    ok(!reply.ok);
    equal(reply.error.code, 'internal');
    await rejects(rig.ask(), { code: '503' });
  });
});
