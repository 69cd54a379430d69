import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Snapshot } from '../../wire/snapshot.ts';
import type { AgentUnderTest, IngestUnderTest } from '../support/ingest.ts';
import { eventually, metric, startIngest } from '../support/ingest.ts';
import { factsOf, sentWorkload } from '../support/workloads.ts';

const NOT_NEWER = 'proxima_k8s_spec_facts_not_newer_total';
const STARTED = Date.now() - 3_600_000;

interface Link {
  before: string;
  after: string;
}

describe('change records on the way of a message', function () {
  this.timeout(30_000);
  let ingest: IngestUnderTest;
  let slugs = 0;

  before(async () => {
    ingest = await startIngest();
    await (await ingest.start()).stop();
  });
  after(() => ingest.stop());

  /** The state of one Deployment whose image carries the number as its tag, an hour ago plus so many seconds. */
  const state = (agent: AgentUnderTest, second: number, tag = second): Snapshot => {
    const snapshot = agent.snapshot({ timestamp: new Date(STARTED + second * 1000).toISOString() });
    const workloads = [sentWorkload('api', factsOf({ image: `shop/api:${tag}` }))];
    return { ...snapshot, data: { ...snapshot.data, workloads } };
  };
  const enroll = () => {
    slugs += 1;
    return ingest.enroll(`k8s-${slugs}`);
  };
  const links = async (): Promise<Link[]> => {
    const { rows } = await ingest.database.pool.query<Link>(
      `select details->'changes'->0->>'before' as before, details->'changes'->0->>'after' as after
       from change_events where details->>'cluster' = $1 order by scanned_at`,
      [`k8s-${slugs}`],
    );
    return rows;
  };
  const settled = () =>
    eventually('every message is settled', async () => (await ingest.kept()) === 0, 20_000);

  it('come out once for a change whose first transaction died before its commit (IN-26)', async () => {
    const { pool } = ingest.database;
    const agent = await enroll();
    // A sequence keeps its count when the transaction is lost: the first record ends its own connection.
    await pool.query(`
      create sequence deaths;
      create function die_once() returns trigger language plpgsql as $$
      begin
        if nextval('deaths') = 1 then perform pg_terminate_backend(pg_backend_pid()); end if;
        return null;
      end $$;
      create trigger die_once after insert on change_events for each statement execute function die_once()`);
    const system = await ingest.start();
    try {
      await agent.publish(state(agent, 0));
      await agent.publish(state(agent, 1));
      await settled();
      const { rows } = await pool.query('select last_value as tries from deaths');
      deepEqual(rows, [{ tries: 2 }]);
      deepEqual(await links(), [{ before: 'shop/api:0', after: 'shop/api:1' }]);
    } finally {
      await pool.query('drop function die_once() cascade');
      await system.stop();
    }
  });

  it('form one chain when several backends work off a backlog (IN-25)', async () => {
    const agent = await enroll();
    for (let second = 0; second < 24; second += 1) await agent.publish(state(agent, second));
    const systems = await Promise.all([ingest.start(), ingest.start(), ingest.start()]);
    await settled();
    const chain = await links();
    ok(chain.length > 0);
    for (const [i, { before }] of chain.entries()) if (i > 0) equal(before, chain[i - 1]?.after);
    equal(chain.at(-1)?.after, 'shop/api:23');
    await Promise.all(systems.map((system) => system.stop()));
  });

  it('are not made of what is not newer, which is counted (CH-31)', async () => {
    const agent = await enroll();
    const system = await ingest.start();
    await agent.publish(state(agent, 9));
    await settled();
    const before = await metric(NOT_NEWER);
    await agent.publish(state(agent, 8, 1));
    await agent.publish(state(agent, 9, 1));
    await settled();
    equal((await metric(NOT_NEWER)) - before, 2);
    deepEqual(await links(), []);
    await system.stop();
  });

  it('of a stamp far ahead are clamped with a warning (CH-32)', async () => {
    const agent = await enroll();
    const system = await ingest.start();
    await agent.publish(state(agent, 0));
    await agent.publish(state(agent, 86_400, 1));
    await settled();
    equal((await links()).length, 1);
    const warned = ingest.logged.filter(
      ({ message }) => message === 'kubernetes snapshot stamped in the future, clamped',
    );
    deepEqual(
      warned.map(({ level }) => level),
      ['warn'],
    );
    await system.stop();
  });
});
