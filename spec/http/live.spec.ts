import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { KubeQuery } from '../../wire/kubeQuery.ts';
import { MAX_REPLY_BYTES } from '../../wire/kubeQuery.ts';
import type { LiveBackend } from '../support/liveBackend.ts';
import { LIVE_TIMEOUT_MS, startLiveBackend } from '../support/liveBackend.ts';
import type { Answered, PlaceIds } from './backendUnderTest.ts';

const AT = '2026-12-01T05:00:00Z';

const manifestOf = ({ kind, namespace, name }: KubeQuery) => ({
  ok: true,
  data: {
    kind,
    namespace,
    name,
    object: {
      kind,
      metadata: { name, namespace },
      spec: { containers: [{ name: 'a', env: [{ name: 'PASS', value: 'hunter2-hunter2' }] }] },
    },
    notes: [],
    observed_at: AT,
  },
});

const logsOf = (query: KubeQuery, text = 'ready') => ({
  ok: true,
  data: {
    namespace: query.namespace,
    pod: query.name,
    container: 'main',
    previous: query.previous,
    lines: [{ ts: query.timestamps ? AT : null, text }],
    truncated: false,
    timestamps: query.timestamps,
    notes: [],
    observed_at: AT,
  },
});

describe('live reads over HTTP', function () {
  this.timeout(30_000);
  let live: LiveBackend;
  let place: PlaceIds;
  let serial = 0;

  before(async () => {
    live = await startLiveBackend();
    place = await live.backend.place('acme', 'prod');
  });
  after(() => live.stop());

  /** A new caller each time, so that no budget is shared. */
  async function ask(cluster: string, read: string, token?: string): Promise<Answered> {
    const mine = token ?? (await live.backend.tokenFor({ role: 'operator', ...place }));
    return live.backend.ask(`/api/v1/clusters/${cluster}/live/${read}`, { token: mine });
  }
  const cluster = async (): Promise<{ id: string; slug: string }> => {
    serial += 1;
    const slug = `live-${serial}`;
    return { id: await live.cluster(slug), slug };
  };
  const codeOf = ({ status, json }: Answered): [number, string] => [status, json.error?.code];

  const MANIFEST = 'manifest?kind=Pod&namespace=shop&name=api';
  const LOGS = 'logs?namespace=shop&pod=api';

  it('answers what the agent read, with its secrets hidden once more (LV-01 to LV-06, LV-11, LV-13)', async () => {
    const { id, slug } = await cluster();
    const agent = await live.play(slug, {
      answer: (query) => (query.op === 'logs' ? logsOf(query, 'login password=hunter2') : manifestOf(query)),
    });
    const manifest = await ask(id, MANIFEST);
    equal(manifest.status, 200, manifest.text);
    ok(!manifest.text.includes('hunter2'));
    const logs = await ask(id, `${LOGS}&tail=7`);
    deepEqual(logs.json.data.lines, [{ ts: AT, text: 'login password=[REDACTED]' }]);
    equal(logs.headers.get('cache-control'), 'no-store');
    const [first, second] = agent.asked;
    match(first?.actor ?? '', /^proxima-console:service:[0-9a-f-]{36}$/);
    deepEqual([first?.kind, first?.tier, second?.tail, second?.timestamps], ['Pod', 'read-only', 7, true]);
  });

  it('follows with the maximum of lines, to the second (LV-14, LV-15)', async () => {
    const { id, slug } = await cluster();
    const agent = await live.play(slug, { answer: (query) => logsOf(query) });
    await ask(id, LOGS);
    await ask(id, `${LOGS}&since_time=2026-12-01T05:00:01.9Z&tail=10`);
    deepEqual(
      agent.asked.map(({ tail, since_time }) => [tail, since_time]),
      [
        [100, null],
        [300, '2026-12-01T05:00:01Z'],
      ],
    );
  });

  it('refuses what it does not know before any agent is asked (LV-05, LV-07, LV-21, X-16)', async () => {
    const { id, slug } = await cluster();
    const agent = await live.play(slug, { answer: logsOf });
    const wrong = [
      'manifest?kind=Secret&namespace=shop&name=a',
      'manifest?kind=ConfigMap&namespace=shop&name=a',
      'revisions?kind=Pod&namespace=shop&name=a',
      'manifest?kind=Pod&namespace=shop',
      'manifest?kind=Pod&namespace=Shop&name=a',
      'manifest?kind=Pod&namespace=shop&name=a/../b',
      `${MANIFEST}&x=1`,
      `${MANIFEST}&name=b`,
      ...[
        'tail=0',
        'tail=301',
        'tail=',
        'previous=1',
        'since_time=now',
        'container=A',
        'tail=1&tail=2',
        'kind=Pod',
      ].map((parameter) => `${LOGS}&${parameter}`),
    ];
    for (const read of wrong) deepEqual(codeOf(await ask(id, read)), [400, 'bad_request'], read);
    deepEqual(agent.asked, []);
  });

  it('keeps logs from those who may read assets alone (LV-22, LV-27)', async () => {
    const { id, slug } = await cluster();
    await live.play(slug, { answer: manifestOf });
    const viewer = await live.backend.tokenFor({ role: 'viewer', ...place });
    equal((await ask(id, MANIFEST, viewer)).status, 200);
    deepEqual(codeOf(await ask(id, LOGS, viewer)), [403, 'forbidden']);
  });

  it('says why an agent is not asked (LV-18 to LV-20, LV-23)', async () => {
    const { id, slug } = await cluster();
    const offline = await ask(id, LOGS);
    deepEqual(codeOf(offline), [409, 'agent_offline']);
    const agent = await live.play(slug, { version: 'v0.7.12', answer: (query) => logsOf(query) });
    const plain = await ask(id, LOGS);
    deepEqual([plain.status, plain.json.data.timestamps], [200, false]);
    deepEqual(plain.json.data.lines, [{ ts: null, text: 'ready' }]);
    equal((plain.json.data.notes as unknown as string[]).length, 1);
    const asked = agent.asked.length;
    for (const read of [MANIFEST, `${LOGS}&since_time=${AT}`]) {
      const refused = await ask(id, read);
      deepEqual(codeOf(refused), [409, 'agent_too_old']);
      deepEqual(refused.json.error.details, { required_version: 'v0.8.0', agent_version: 'v0.7.12' });
    }
    equal(agent.asked.length, asked);
    await live.backend.pool.query('update agents set deleted_at = now() where cluster_slug = $1', [slug]);
    deepEqual(codeOf(await ask(id, LOGS)), [409, 'no_agent']);
  });

  it('gives agents that are not there, silent, lying or too loud their codes in time (LV-25, LV-26)', async () => {
    const { id, slug } = await cluster();
    await live.play(slug, {});
    const began = performance.now();
    deepEqual(codeOf(await ask(id, LOGS)), [502, 'agent_unreachable']);
    ok(performance.now() - began < LIVE_TIMEOUT_MS / 2);

    const answers: Record<string, unknown> = {
      silent: undefined,
      garbled: 'no json',
      shapeless: { ok: true, data: {} },
      foreign: {
        ...logsOf({ namespace: 'other', name: 'x', previous: false, timestamps: true } as KubeQuery),
      },
      loud: 'x'.repeat(MAX_REPLY_BYTES + 1),
      failed: { ok: false, error: { code: 'not_permitted', message: 'no tier, token=abcdefabcdef99' } },
    };
    const expected: [string, number, string][] = [
      ['silent', 504, 'agent_timeout'],
      ['garbled', 502, 'agent_error'],
      ['shapeless', 502, 'agent_error'],
      ['foreign', 502, 'agent_error'],
      ['loud', 502, 'agent_error'],
      ['failed', 502, 'agent_error'],
    ];
    let now = 'silent';
    await live.play(slug, { answer: () => answers[now], silent: true });
    for (const [how, status, code] of expected) {
      now = how;
      const started = performance.now();
      const answer = await ask(id, LOGS);
      deepEqual(codeOf(answer), [status, code], how);
      ok(performance.now() - started < LIVE_TIMEOUT_MS + 1_000, how);
      if (how === 'failed') equal(answer.json.error.message, 'no tier, token=[REDACTED]');
    }
  });

  it('answers another cluster at once while 100 reads wait for a dead one (D6)', async () => {
    const dead = await cluster();
    const healthy = await cluster();
    await live.play(dead.slug, { silent: true });
    await live.play(healthy.slug, { answer: (query) => logsOf(query) });
    const tokens = await Promise.all(
      [0, 1, 2, 3].map(() => live.backend.tokenFor({ role: 'operator', ...place })),
    );
    const waiting = Array.from({ length: 100 }, (_, n) => ask(dead.id, LOGS, tokens[n % 4]));
    const began = performance.now();
    equal((await ask(healthy.id, LOGS)).status, 200);
    ok(performance.now() - began < LIVE_TIMEOUT_MS, 'the healthy one waited');
    const codes = (await Promise.all(waiting)).map(({ status }) => status);
    deepEqual(new Set(codes), new Set([504]));
  });

  it('lets one caller read 30 logs and 60 objects a minute (LV-24)', async () => {
    const { id, slug } = await cluster();
    await live.play(slug, { answer: (query) => (query.op === 'logs' ? logsOf(query) : manifestOf(query)) });
    const token = await live.backend.tokenFor({ role: 'operator', ...place });
    const statuses = async (read: string, times: number): Promise<number[]> => {
      const found = [];
      for (let n = 0; n < times; n += 1) found.push((await ask(id, read, token)).status);
      return found;
    };
    deepEqual(await statuses(LOGS, 31), [...Array(30).fill(200), 429]);
    deepEqual(await statuses(MANIFEST, 61), [...Array(60).fill(200), 429]);
    deepEqual(await statuses('revisions?kind=Deployment&namespace=shop&name=a', 1), [429]);
  });

  it('is not available while NATS is away (LV-26)', async () => {
    const { id, slug } = await cluster();
    await live.play(slug, { answer: logsOf });
    await live.system.stop();
    deepEqual(codeOf(await ask(id, LOGS)), [503, 'live_unavailable']);
  });
});
