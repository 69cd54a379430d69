import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { enrollAgent } from '../support/enrolled.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { freshDatabase } from '../support/postgres.ts';

/** The tables as the requirements spell them, apart from the kind table that the code is made from. */
const REQUIRED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  clusters: {
    uuid: ['id', 'asset_id', 'client_id', 'environment_id'],
    text: [
      ...['name', 'display_name', 'slug', 'version', 'platform', 'distribution', 'api_server_url'],
      ...['cluster_cidr', 'service_cidr', 'dns_domain', 'cloud_provider', 'cloud_region', 'cloud_account_id'],
      ...['status', 'agent_status', 'agent_version'],
    ],
    integer: ['node_count', 'namespace_count', 'workload_count'],
    'timestamp with time zone': ['last_seen_at', 'created_at', 'updated_at'],
  },
  k8s_nodes: {
    uuid: ['id', 'cluster_id', 'host_id'],
    text: [
      ...['name', 'uid', 'status', 'kubelet_version', 'container_runtime', 'os_image', 'kernel_version'],
      ...['provider_id', 'instance_type', 'zone'],
    ],
    ARRAY: ['roles'],
    jsonb: ['labels', 'taints', 'conditions'],
    boolean: ['unschedulable'],
    integer: [
      ...['capacity_cpu_millicores', 'allocatable_cpu_millicores', 'usage_cpu_millicores'],
      ...['capacity_pods', 'allocatable_pods', 'pod_count'],
    ],
    bigint: ['capacity_memory_bytes', 'allocatable_memory_bytes', 'usage_memory_bytes'],
  },
  k8s_namespaces: {
    uuid: ['id', 'cluster_id'],
    text: ['name', 'uid', 'status'],
    jsonb: ['labels'],
    integer: ['workload_count', 'pod_count', 'service_count'],
  },
  k8s_workloads: {
    uuid: ['id', 'cluster_id', 'namespace_id'],
    text: [
      ...['kind', 'name', 'uid', 'namespace', 'strategy', 'service_account'],
      ...['helm_release', 'helm_chart', 'helm_chart_version'],
    ],
    jsonb: ['conditions', 'containers', 'labels', 'annotations', 'spec_facts'],
    integer: ['replicas_desired', 'replicas_ready', 'replicas_available'],
    'timestamp with time zone': ['spec_facts_at'],
  },
};

describe('the schema', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  for (const [table, types] of Object.entries(REQUIRED)) {
    it(`has every column that the requirements give ${table}, with its type (SC-01 to SC-14)`, async () => {
      const { rows } = await database.pool.query<{ name: string; type: string }>(
        `select column_name as name, data_type as type from information_schema.columns
         where table_schema = 'public' and table_name = $1`,
        [table],
      );
      const stored = new Map(rows.map(({ name, type }) => [name, type]));
      for (const [type, columns] of Object.entries(types)) {
        for (const column of columns) equal(stored.get(column), type, `${table}.${column}`);
      }
    });
  }

  it('refers as the requirements say: cascades to the cluster, host links that are let go (SC-01, SC-05, SC-11)', async () => {
    const { rows } = await database.pool.query<{ of_table: string; definition: string }>(
      `select conrelid::regclass::text as of_table, pg_get_constraintdef(oid) as definition
       from pg_constraint where contype = 'f'`,
    );
    const definitions = new Set(rows.map((row) => `${row.of_table} ${row.definition}`));
    for (const expected of [
      'clusters FOREIGN KEY (asset_id) REFERENCES assets(id) ON DELETE CASCADE',
      'clusters FOREIGN KEY (client_id) REFERENCES clients(id)',
      'clusters FOREIGN KEY (environment_id) REFERENCES environments(id)',
      'k8s_nodes FOREIGN KEY (host_id) REFERENCES hosts(id) ON DELETE SET NULL',
      'k8s_workloads FOREIGN KEY (namespace_id) REFERENCES k8s_namespaces(id) ON DELETE CASCADE',
    ]) {
      ok(definitions.has(expected), expected);
    }
  });

  it('takes a workload of a kind that nobody thought of, and no cluster status of that sort (SC-03, SC-12)', async () => {
    const { pool } = database;
    const agent = await enrollAgent(pool);
    const { rows } = await pool.query<{ id: string; dns_domain: string; agent_status: string }>(
      `with a as (
         insert into assets (client_id, environment_id, asset_type, name, status)
         values ($1, $2, 'cluster', 'k', 'active') returning id)
       insert into clusters (asset_id, client_id, environment_id, name, display_name, slug)
       select id, $1, $2, 'k', 'k', 'k' from a returning id, dns_domain, agent_status`,
      [agent.client_id, agent.environment_id],
    );
    deepEqual(
      rows.map((row) => [row.dns_domain, row.agent_status]),
      [['cluster.local', 'disconnected']],
    );
    const { rowCount } = await pool.query(
      `insert into k8s_workloads (cluster_id, kind, namespace, name, uid, replicas_desired, replicas_ready, replicas_available)
       values ($1, 'Foo', 'default', 'w', 'u', 1, 1, 1)`,
      [rows[0]?.id],
    );
    equal(rowCount, 1);
    for (const change of ["status = 'fine'", "agent_status = 'away'"]) {
      await rejects(pool.query(`update clusters set ${change}`), { code: '23514' });
    }
  });
});
