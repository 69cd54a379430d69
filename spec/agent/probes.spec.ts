import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import type { ProbeServer, Readiness, Told } from '../../agent/probes.ts';
import { startProbes } from '../../agent/probes.ts';

describe("the agent's probes", () => {
  let probes: ProbeServer;
  let state: Readiness;
  let broken = false;
  const told: Told = {
    readiness: () => state,
    metrics: () =>
      broken
        ? Promise.reject(new Error('secret'))
        : Promise.resolve({ contentType: 'text/plain', body: 'a 1\n' }),
    state: () => ({ state: 'leading' }),
  };

  beforeEach(async () => {
    state = { enrolled: false, connected: false };
    probes = await startProbes({ host: '127.0.0.1', port: 0 }, told, 200);
  });
  afterEach(() => probes.stop());

  const status = async (path: string, method = 'GET'): Promise<number> =>
    (await fetch(probes.url + path, { method })).status;

  it('says that the process lives, whatever else is missing (OB-07)', async () => {
    assert.equal(await status('/healthz'), 200);
  });

  it('is ready only while enrolled and connected to NATS (OB-08)', async () => {
    assert.equal(await status('/readyz'), 503);
    state = { enrolled: true, connected: false };
    assert.equal(await status('/readyz'), 503);
    state = { enrolled: true, connected: true };
    assert.equal(await status('/readyz'), 200);
    state = { enrolled: true, connected: false };
    const answer = await fetch(`${probes.url}/readyz`);
    assert.deepEqual([answer.status, await answer.json()], [503, state]);
  });

  it('shows its metrics and its state, and no fault in them (OB-01)', async () => {
    const metrics = await fetch(`${probes.url}/metrics`);
    assert.deepEqual([metrics.headers.get('content-type'), await metrics.text()], ['text/plain', 'a 1\n']);
    assert.deepEqual(await (await fetch(`${probes.url}/debug/state`)).json(), { state: 'leading' });
    broken = true;
    const failed = await fetch(`${probes.url}/metrics`);
    broken = false;
    assert.deepEqual([failed.status, await failed.text()], [500, '{}\n']);
  });

  it('answers HEAD, and nothing else than its four paths', async () => {
    assert.equal(await status('/healthz', 'HEAD'), 200);
    assert.equal(await status('/'), 404);
    assert.equal(await status('/healthz', 'POST'), 405);
  });

  it('closes within its limit although a client holds a connection open (OB-10)', async () => {
    const held = net.connect(Number(new URL(probes.url).port), '127.0.0.1');
    await once(held, 'connect');
    held.write('GET /healthz HTTP/1.1\r\n');
    const before = performance.now();
    const gone = once(held, 'close');
    held.on('error', () => undefined);
    await probes.stop();
    await gone;
    assert.ok(performance.now() - before < 2000);
    await assert.rejects(fetch(`${probes.url}/healthz`));
  });

  it('fails to start on an address that is taken', async () => {
    const port = Number(new URL(probes.url).port);
    await assert.rejects(startProbes({ host: '127.0.0.1', port }, told), { code: 'EADDRINUSE' });
  });
});
