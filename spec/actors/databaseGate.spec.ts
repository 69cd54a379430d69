import assert from 'node:assert/strict';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { startSystem } from '../../actors/system.ts';
import { createPool } from '../../store/pool.ts';
import type { IngestUnderTest } from '../support/ingest.ts';
import { collectInto, eventually, type Logged, metric, QUICK, startIngest } from '../support/ingest.ts';

/** A wire to the database that can be cut. */
async function wireTo(url: string): Promise<{ url: string; cut(): Promise<void>; mend(): Promise<void> }> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;
  const mend = (): Promise<void> =>
    new Promise((resolve) => {
      server = createServer((near) => {
        const far = connect(Number(target.port), target.hostname);
        for (const socket of [near, far]) {
          sockets.add(socket);
          socket.on('error', () => undefined);
          socket.on('close', () => {
            near.destroy();
            far.destroy();
          });
        }
        near.pipe(far).pipe(near);
      }).listen(port, '127.0.0.1', () => {
        const address = server?.address();
        if (typeof address === 'object' && address !== null) port = address.port;
        resolve();
      });
    });
  const cut = (): Promise<void> =>
    new Promise((resolve) => {
      server?.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  await mend();
  const through = new URL(url);
  through.host = `127.0.0.1:${port}`;
  return { url: through.href, cut, mend };
}

describe('a database that goes away (contracts.md section 2)', () => {
  let ingest: IngestUnderTest;

  before(async () => {
    ingest = await startIngest();
  });
  after(() => ingest.stop());

  it('pauses pulling after one failed message, loses nothing, and pulling goes on when it is back', async () => {
    const wire = await wireTo(ingest.database.url);
    const pool = createPool(wire.url);
    const logged: Logged[] = [];
    const system = await startSystem({
      pool,
      nats: ingest.nats.backend,
      log: collectInto(logged),
      options: { ...QUICK, lanes: 1, nakDelaysMs: [50] },
    });
    const failures = { outcome: 'failed', reason: 'database' };
    const [failed, stored] = await Promise.all([
      metric('proxima_ingest_outcomes_total', failures),
      metric('proxima_ingest_outcomes_total', { outcome: 'stored' }),
    ]);
    try {
      const agents = [await ingest.enroll('a'), await ingest.enroll('b'), await ingest.enroll('c')];
      await wire.cut();
      for (const agent of agents) await agent.publish(agent.snapshot());
      await eventually('not ready', () => !system.ready());
      await new Promise((resolve) => setTimeout(resolve, 500));
      assert.equal(
        (await metric('proxima_ingest_outcomes_total', failures)) - failed,
        1,
        'only the first message was pulled; its nak delay passed many times',
      );
      assert.equal(await ingest.kept(), 3);
      await wire.mend();
      await eventually('all stored', async () => {
        const now = await metric('proxima_ingest_outcomes_total', { outcome: 'stored' });
        return now - stored === 3;
      });
      await eventually('all settled', async () => (await ingest.kept()) === 0);
      assert.equal(system.ready(), true);
      const said = logged.map(({ message }) => message);
      assert.equal(said.filter((message) => /is away/.test(message)).length, 1);
      assert.equal(said.filter((message) => /is back/.test(message)).length, 1);
    } finally {
      await system.stop();
      await pool.end();
      await wire.cut();
    }
  });
});
