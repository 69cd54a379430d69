import { equal, ok, rejects } from 'node:assert/strict';
import type { ClusterPlace } from '../../store/clusterSync.ts';
import { insertCluster, lockCluster, lockClusterById } from '../../store/clusterSync.ts';
import { inTransaction } from '../../store/tx.ts';
import { enrollAgent } from '../support/enrolled.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { freshDatabase } from '../support/postgres.ts';

const LIMIT_MS = 5_000;

describe("the lock on a cluster's row", () => {
  let database: FreshDatabase;
  let place: ClusterPlace;
  let clusterId: string;

  before(async () => {
    database = await freshDatabase();
    const { client_id, environment_id } = await enrollAgent(database.pool);
    place = { client_id, environment_id, slug: 'locked' };
    await insertCluster(database.pool, place, { name: 'locked', display_name: 'Locked' });
    const cluster = await lockCluster(database.pool, place);
    ok(cluster);
    clusterId = cluster.id;
  });
  after(() => database.drop());

  for (const [name, lock] of [
    ['of the sync', () => lockCluster],
    ['of the prune', () => (db: Parameters<typeof lockClusterById>[0]) => lockClusterById(db, clusterId)],
  ] as const) {
    it(`${name} lets rows that refer to the cluster be inserted, and another sync wait (IN-23, IN-24)`, async () => {
      await inTransaction(database.pool, LIMIT_MS, async (holder) => {
        await lock()(holder, place);
        const { rowCount } = await database.pool.query(
          `insert into k8s_namespaces (cluster_id, name, uid, status) values ($1, $2, 'u', 'Active')`,
          [clusterId, name],
        );
        equal(rowCount, 1);
        const second = inTransaction(database.pool, LIMIT_MS, async (other) => {
          await other.query("set local lock_timeout = '100ms'");
          await lockCluster(other, place);
        });
        await rejects(second, { code: '55P03' });
      });
    });
  }
});
