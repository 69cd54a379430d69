import { deepEqual, ok } from 'node:assert/strict';
import { syncCluster } from '../../actors/syncCluster.ts';
import type { EnrolledAgent } from '../../store/agents.ts';
import type { Snapshot } from '../../wire/snapshot.ts';
import { enrollAgent, snapshotOf } from '../support/enrolled.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { freshDatabase } from '../support/postgres.ts';

/** As IN-05 lists them. */
const CHILDREN_FIRST = [
  'k8s_endpoint_slices',
  'k8s_resource_quotas',
  'k8s_network_policies',
  'k8s_hpas',
  'k8s_jobs',
  'k8s_events',
  'k8s_pvcs',
  'k8s_ingresses',
  'k8s_services',
  'k8s_pods',
  'k8s_workloads',
  'k8s_namespaces',
  'k8s_nodes',
];

describe('the prune', () => {
  let database: FreshDatabase;
  let agent: EnrolledAgent;

  before(async () => {
    database = await freshDatabase();
    agent = await enrollAgent(database.pool);
    await database.pool.query(
      `create table written (number integer generated always as identity, operation text, of_table text);
       create function note_row() returns trigger language plpgsql as $$
       begin
         insert into written (operation, of_table) values (lower(tg_op), tg_table_name);
         return null;
       end $$`,
    );
    for (const table of CHILDREN_FIRST) {
      await database.pool.query(
        `create trigger noted after insert or update or delete on ${table}
         for each row execute function note_row()`,
      );
    }
  });
  after(() => database.drop());

  const sync = async (snapshot: Snapshot): Promise<void> => {
    const input = { agent, snapshot, publishedAt: new Date(), folded: 0 };
    const { outcome } = await syncCluster(database.pool, input, { now: () => new Date(), timeoutMs: 20_000 });
    ok(outcome === 'stored');
  };

  // A parent that went first would take its children along, by a cascade that notes their rows too early.
  it('deletes children before parents, after everything was written (IN-04, IN-05)', async () => {
    await sync(snapshotOf(agent, 0));
    await database.pool.query('truncate written');
    const next = snapshotOf(agent, 1, { pods: 3, events: 1 });
    const { cluster, ...arrays } = next.data;
    const emptied = Object.fromEntries(Object.keys(arrays).map((name) => [name, []]));
    const [node] = next.data.nodes;
    ok(node);
    const data = { ...emptied, cluster, nodes: [{ ...node, name: 'the-only-one-left', uid: 'its-uid' }] };
    await sync({ ...next, data: data as unknown as Snapshot['data'] });
    const { rows } = await database.pool.query<{ operation: string; of_table: string }>(
      'select operation, of_table from written group by operation, of_table order by min(number)',
    );
    deepEqual(rows, [
      { operation: 'insert', of_table: 'k8s_nodes' },
      ...CHILDREN_FIRST.map((table) => ({ operation: 'delete', of_table: table })),
    ]);
  });
});
