/** A fleet as large as the goals ask for: two clusters stored as a sync stores them, the others copied from them by SQL. */

import { syncCluster } from '../actors/syncCluster.ts';
import type { EnrolledAgent } from '../store/agents.ts';
import { findAgent } from '../store/agents.ts';
import type { Pool } from '../store/pool.ts';
import { kinds } from '../wire/kinds/index.ts';
import type { ClusterSize } from './cluster.ts';
import { largeSnapshot } from './cluster.ts';

const CLUSTERS = 150;
/** 5,000 pods in one cluster, the rest of 450,000 over the others; a million events in all. */
const LARGE: ClusterSize = { pods: 5000, events: 6760 };
const OTHERS: ClusterSize = { pods: 2987, events: 6666 };

/** Id of the cluster of 5,000 pods. */
export interface Fleet {
  readonly large: string;
}

/** Fills an empty, migrated database (some minutes), or answers what an earlier run left there. */
export async function seedFleet(pool: Pool): Promise<Fleet> {
  const { rows } = await pool.query<{ id: string }>(`select id from clusters where slug = 'large'`);
  if (rows[0] !== undefined) return { large: rows[0].id };
  const template = await storeCluster(pool, 'cluster-0', OTHERS);
  await copies(pool, template);
  const large = await storeCluster(pool, 'large', LARGE);
  for (const text of UNEVEN) await pool.query(text);
  await pool.query('vacuum (analyze)');
  await pool.query('checkpoint');
  return { large };
}

async function storeCluster(pool: Pool, slug: string, size: ClusterSize): Promise<string> {
  const agent = await enroll(pool, slug);
  const sender = { agentId: agent.id, slug, uid: `uid-of-${slug}` };
  const snapshot = largeSnapshot(sender, size, new Date().toISOString());
  const input = { agent, snapshot, folded: 0, publishedAt: new Date() };
  const outcome = await syncCluster(pool, input, { now: () => new Date(), timeoutMs: 120_000 });
  if (outcome.outcome !== 'stored') throw new Error(`expected stored, got ${outcome.outcome}`);
  return outcome.clusterId;
}

async function enroll(pool: Pool, slug: string): Promise<EnrolledAgent> {
  await pool.query(`insert into clients (slug, name) values ('bench', 'Bench') on conflict do nothing`);
  await pool.query(
    `insert into environments (client_id, slug, name) select id, 'prod', 'Production' from clients on conflict do nothing`,
  );
  const { rows } = await pool.query<{ id: string }>(
    `insert into agents (client_id, environment_id, name, cluster_name, cluster_slug, nkey, agent_version)
     select client_id, id, 'proxima-cluster-agent-0', $1, $1, $1, '0.9.0' from environments returning id`,
    [slug],
  );
  const agent = await findAgent(pool, rows[0]?.id ?? '');
  if (agent === null) throw new Error('the agent that was just enrolled is gone');
  return agent;
}

/** Columns of a copied row that are not the original's; `c` is the new cluster with number `n`, `t` the original. */
const CHANGED: Readonly<Record<string, string>> = {
  id: 'gen_random_uuid()',
  cluster_id: 'c.id',
  // Each cluster runs versions of its own.
  containers: `replace(t.containers::text, ':1.', ':' || c.n || '.')::jsonb`,
  spec_facts: `replace(t.spec_facts::text, ':1.', ':' || c.n || '.')::jsonb`,
  node_id: `(select o.id from k8s_nodes o where o.cluster_id = c.id and o.name = t.node_name)`,
  namespace_id: `(select o.id from k8s_namespaces o where o.cluster_id = c.id and o.name = t.namespace)`,
};

/** Every other cluster of the fleet, table by table: nodes and namespaces first, which the others refer to. */
async function copies(pool: Pool, template: string): Promise<void> {
  const client = await pool.connect();
  try {
    // The references of the copies are right by the way they are made; checking millions takes minutes.
    await client.query(`set session_replication_role = replica`);
    const columns = (await columnsOf(client, 'clusters')).filter((one) => one !== 'id');
    const values = columns.map((column) =>
      column === 'slug' || column === 'name' ? `'cluster-' || n` : `t.${column}`,
    );
    await client.query(
      `insert into clusters (${columns.join(', ')})
       select ${values.join(', ')} from clusters t, generate_series(1, ${CLUSTERS - 2}) n where t.id = $1`,
      [template],
    );
    for (const { table } of kinds) {
      const all = await columnsOf(client, table);
      const copied = all.map((column) => CHANGED[column] ?? `t.${column}`);
      await client.query(
        `insert into ${table} (${all.map((column) => `"${column}"`).join(', ')})
         select ${copied.join(', ')}
         from ${table} t, (select id, split_part(slug, '-', 2) as n from clusters where id <> $1) c
         where t.cluster_id = $1`,
        [template],
      );
    }
  } finally {
    client.release(true);
  }
}

async function columnsOf(db: Pick<Pool, 'query'>, table: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select attname::text as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** What is never the same in two clusters: pods that wait or restart, events of this hour with their messages. */
const UNEVEN = [
  `update k8s_pods set phase = 'Pending', containers_ready = 0, node_id = null,
     containers = jsonb_set(jsonb_set(containers, '{0,state}', '"waiting"'), '{0,reason}', '"ImagePullBackOff"')
   where hashtext(id::text) % 50 = 0`,
  `update k8s_pods set restart_count = 1 + abs(hashtext(name) % 40) where hashtext(id::text) % 20 = 1`,
  `update k8s_events set last_seen_at = now() - random() * interval '2 hours',
     message = 'Back-off restarting failed container api in pod ' || involved_name || '_' || involved_namespace`,
  `update k8s_workloads set replicas_ready = replicas_ready - 1 where hashtext(id::text) % 25 = 0`,
];
