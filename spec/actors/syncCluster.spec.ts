import { deepEqual, equal, notEqual, ok, rejects } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SyncOutcome } from '../../actors/syncCluster.ts';
import { syncCluster } from '../../actors/syncCluster.ts';
import type { EnrolledAgent } from '../../store/agents.ts';
import { findAgent } from '../../store/agents.ts';
import { TransactionTimeout } from '../../store/tx.ts';
import type { CoverageBlock } from '../../wire/coverage.ts';
import { COVERED_RESOURCES } from '../../wire/coverage.ts';
import { decodeSnapshot, encodeSnapshot } from '../../wire/inventory.ts';
import { kinds } from '../../wire/kinds/index.ts';
import type { Snapshot } from '../../wire/snapshot.ts';
import { enrollAgent, snapshotOf } from '../support/enrolled.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { freshDatabase } from '../support/postgres.ts';

const NOW = new Date(Date.UTC(2026, 10, 30, 12, 30));

type Draft<T> = { -readonly [K in keyof T]: Draft<T[K]> };

/** The same snapshot, changed by `edit` in a copy of its own. */
function edited(snapshot: Snapshot, edit: (snapshot: Draft<Snapshot>) => void): Snapshot {
  const copy = structuredClone(snapshot) as Draft<Snapshot>;
  edit(copy);
  return copy;
}

function complete(except: CoverageBlock = {}): CoverageBlock {
  const whole = COVERED_RESOURCES.map((resource) => [resource, { state: 'complete', listed: 1, sent: 1 }]);
  return { ...Object.fromEntries(whole), ...except };
}

const unread = { state: 'forbidden', listed: 0, sent: 0 } as const;

describe('syncCluster', () => {
  let database: FreshDatabase;
  let agent: EnrolledAgent;
  before(async () => {
    database = await freshDatabase();
    await query('create extension pgstattuple');
  });
  // A fifth of the time that a database of its own would take each test.
  beforeEach(async () => {
    for (const table of ['agents', 'assets', 'hosts', 'environments', 'clients'])
      await query(`delete from ${table}`);
    agent = await enrollAgent(database.pool);
  });
  after(() => database.drop());

  const query = async (text: string, values: unknown[] = []) =>
    (await database.pool.query<Record<string, unknown>>(text, values)).rows;

  async function sync(snapshot: Snapshot, from = agent, options = {}): Promise<SyncOutcome> {
    const decoded = await decodeSnapshot(encodeSnapshot(snapshot), undefined);
    ok(decoded.ok);
    const input = { agent: from, snapshot: decoded.snapshot, folded: decoded.folded, publishedAt: NOW };
    return syncCluster(database.pool, input, { now: () => NOW, timeoutMs: 10_000, ...options });
  }

  async function stored(snapshot: Snapshot, from = agent) {
    const outcome = await sync(snapshot, from);
    ok(outcome.outcome === 'stored', JSON.stringify(outcome));
    return outcome;
  }

  /** Row id and the version of the row (xmin) by table and natural key: equal means not written. */
  async function rowVersions(): Promise<Record<string, string>> {
    const versions: Record<string, string> = {};
    for (const kind of kinds) {
      const key = kind.key.join(` || '/' || `);
      const rows = await query(`select ${key} as key, id, xmin::text as version from ${kind.table}`);
      for (const row of rows) versions[`${kind.table} ${row.key}`] = `${row.id} ${row.version}`;
    }
    return versions;
  }

  /** Rows that an update or a delete left behind, by table. */
  async function deadRows(): Promise<Record<string, unknown>> {
    const dead: Record<string, unknown> = {};
    for (const { table } of kinds) {
      const [row] = await query(`select dead_tuple_count as dead from pgstattuple('${table}')`);
      dead[table] = row?.dead;
    }
    return dead;
  }

  describe('a first snapshot', () => {
    it('stores every record of every kind, and the cluster with its asset (IN-07 to IN-21)', async () => {
      const snapshot = snapshotOf(agent);
      const outcome = await stored(snapshot);
      for (const kind of kinds) {
        const sent = (snapshot.data as unknown as Record<string, unknown[]>)[kind.name] ?? [];
        const [row] = await query(`select count(*) as n from ${kind.table} where cluster_id = $1`, [
          outcome.clusterId,
        ]);
        equal(row?.n, sent.length, kind.name);
        ok(sent.length > 0, kind.name);
        deepEqual(outcome.kinds[kind.name], {
          seen: sent.length,
          inserted: sent.length,
          updated: 0,
          deleted: 0,
        });
      }
      const [cluster] = await query(
        `select c.name, c.display_name, c.slug, c.uid, c.status, c.agent_status, c.agent_version, c.last_seen_at,
                c.snapshot_at, c.node_count, c.namespace_count, c.workload_count, a.asset_type, a.status as asset_status
         from clusters c join assets a on a.id = c.asset_id`,
      );
      deepEqual(cluster, {
        name: 'k8s-1',
        display_name: 'Production, Frankfurt',
        slug: 'k8s-1',
        uid: 'uid-of-k8s-1',
        status: 'healthy',
        agent_status: 'connected',
        agent_version: '0.9.0',
        last_seen_at: new Date(snapshot.timestamp),
        snapshot_at: new Date(snapshot.timestamp),
        node_count: snapshot.data.nodes.length,
        namespace_count: snapshot.data.namespaces.length,
        workload_count: snapshot.data.workloads.length,
        asset_type: 'cluster',
        asset_status: 'active',
      });
    });

    it('links workloads to their namespace and pods to their node', async () => {
      await stored(snapshotOf(agent));
      const unresolved = await query(
        `select w.name from k8s_workloads w left join k8s_namespaces n on n.id = w.namespace_id
         where n.name is distinct from w.namespace
         union all
         select p.name from k8s_pods p left join k8s_nodes n on n.id = p.node_id
         where n.name is distinct from p.node_name`,
      );
      deepEqual(unresolved, []);
    });

    it('counts distinct ready addresses as the endpoints of a service', async () => {
      const snapshot = edited(snapshotOf(agent), ({ data }) => {
        const [slice] = data.endpoint_slices;
        ok(slice);
        const endpoint = (address: string, ready: boolean) => ({
          addresses: [address],
          ready,
          serving: ready,
          terminating: false,
          node_name: null,
          zone: null,
          target_kind: null,
          target_name: null,
        });
        slice.endpoints = [
          endpoint('10.0.0.1', true),
          endpoint('10.0.0.1', true),
          endpoint('10.0.0.2', false),
        ];
        data.endpoint_slices.push({ ...slice, name: 'second', endpoints: [endpoint('10.0.0.3', true)] });
      });
      await stored(snapshot);
      const rows = await query('select endpoints from k8s_services where name = $1', [
        snapshot.data.endpoint_slices[0]?.service,
      ]);
      deepEqual(rows, [{ endpoints: 2 }]);
    });

    it('fills a uid that could not be read at enrollment', async () => {
      const other = await enrollAgent(database.pool, { slug: 'late', uid: null });
      await stored(snapshotOf(other), other);
      equal((await findAgent(database.pool, other.id))?.cluster_uid, 'uid-of-late');
    });

    it('keeps clusters of one slug in two environments apart (IN-27)', async () => {
      const twin = await enrollAgent(database.pool, { environment: 'stage' });
      const here = await stored(snapshotOf(agent));
      const there = await stored(snapshotOf(twin), twin);
      notEqual(here.clusterId, there.clusterId);
    });
  });

  describe('a second snapshot', () => {
    it('writes nothing when nothing changed: no row, no dead row, the same ids (IN-03)', async () => {
      await stored(snapshotOf(agent));
      const before = await rowVersions();
      const dead = await deadRows();
      const outcome = await stored(snapshotOf(agent, 1));
      deepEqual(await rowVersions(), before);
      deepEqual(await deadRows(), dead);
      for (const kind of Object.values(outcome.kinds)) {
        deepEqual([kind.inserted, kind.updated, kind.deleted], [0, 0, 0]);
      }
    });

    it('writes exactly what changed and keeps the ids of changed rows (IN-03)', async () => {
      const first = snapshotOf(agent);
      await stored(first);
      const before = await rowVersions();
      const second = edited(snapshotOf(agent, 1), ({ data }) => {
        for (const kind of kinds) {
          const [record] = (data as unknown as Record<string, { created_at: string }[]>)[kind.name] ?? [];
          ok(record);
          record.created_at = '2020-01-01T00:00:00Z';
        }
      });
      const outcome = await stored(second);
      const after = await rowVersions();
      const changed = Object.keys(after).filter((key) => after[key] !== before[key]);
      equal(changed.length, kinds.length);
      for (const key of changed) equal(after[key]?.split(' ')[0], before[key]?.split(' ')[0]);
      for (const kind of kinds) equal(outcome.kinds[kind.name]?.updated, 1, kind.name);
    });

    it('writes many changed rows as it writes few', async () => {
      const size = { pods: 500, events: 5 };
      await stored(snapshotOf(agent, 0, size));
      const before = await query('select id from k8s_pods order by id');
      const second = edited(snapshotOf(agent, 1, size), ({ data }) => {
        data.pods.forEach((pod, i) => {
          pod.labels = { quoted: `a "quote", a \\ and a tab \t of ${i}`, line: 'one\ntwo' };
          pod.reason = i % 2 === 0 ? null : `{${i}}\\N`;
        });
      });
      equal((await stored(second)).kinds.pods?.updated, 500);
      deepEqual(await query('select id from k8s_pods order by id'), before);
      deepEqual(
        await query('select namespace, name, labels, reason from k8s_pods order by namespace, name'),
        second.data.pods
          .map(({ namespace, name, labels, reason }) => ({ namespace, name, labels, reason }))
          .sort((a, b) => (`${a.namespace}\0${a.name}` < `${b.namespace}\0${b.name}` ? -1 : 1)),
      );
    });

    it('removes only what is gone, and counts afterwards (IN-04, IN-22)', async () => {
      await stored(snapshotOf(agent));
      const before = await rowVersions();
      const second = edited(snapshotOf(agent, 1), ({ data }) => {
        data.services.shift();
        data.workloads.pop();
      });
      await stored(second);
      const after = await rowVersions();
      const missing = Object.keys(before).filter((key) => after[key] === undefined);
      deepEqual(missing.map((key) => key.split(' ')[0]).sort(), ['k8s_services', 'k8s_workloads']);
      deepEqual(
        await query('select workload_count from clusters'),
        await query('select count(*)::integer as workload_count from k8s_workloads'),
      );
    });

    it('removes a namespace with all that lives in it, and a node under its pods', async () => {
      await stored(snapshotOf(agent));
      const second = edited(snapshotOf(agent, 1), ({ data }) => {
        for (const kind of kinds.filter((k) => k.namespaced))
          (data as unknown as Record<string, []>)[kind.name] = [];
        data.namespaces = [];
        data.nodes = [];
      });
      await stored(second);
      deepEqual(await rowVersions(), {});
    });

    it('leaves the rows of another cluster alone (IN-04)', async () => {
      const other = await enrollAgent(database.pool, { slug: 'k8s-2' });
      const { clusterId } = await stored(snapshotOf(other), other);
      const ids = () =>
        query('select id, xmin::text from k8s_pods where cluster_id = $1 order by id', [clusterId]);
      const before = await ids();
      await stored(snapshotOf(agent));
      await stored(edited(snapshotOf(agent, 1), ({ data }) => void data.pods.splice(0)));
      deepEqual(await ids(), before);
    });

    it('takes a node that came back with another uid, and two nodes that swapped theirs (SC-08)', async () => {
      const first = edited(snapshotOf(agent, 0, { pods: 120, events: 1 }), ({ data }) => {
        data.nodes.forEach((node, i) => {
          node.uid = `uid-${i}`;
        });
      });
      await stored(first);
      const second = edited(first, (snapshot) => {
        snapshot.timestamp = '2026-11-30T12:01:00Z';
        const [a, b, c] = snapshot.data.nodes;
        ok(a && b && c);
        [a.uid, b.uid, c.uid] = [b.uid, a.uid, 'reborn'];
      });
      await stored(second);
      const rows = await query('select name, uid from k8s_nodes order by name');
      deepEqual(
        rows,
        second.data.nodes.map(({ name, uid }) => ({ name, uid })),
      );
    });

    it('hands a uid from a node that is gone to a new one', async () => {
      const first = snapshotOf(agent);
      await stored(first);
      const second = edited(snapshotOf(agent, 1), ({ data }) => {
        for (const node of data.nodes) node.name = `renamed-${node.name}`;
      });
      await stored(second);
      deepEqual(
        (await query('select name from k8s_nodes')).map((row) => row.name),
        second.data.nodes.map((node) => node.name),
      );
    });

    it('sets the cluster back to connected and its asset to the reported status (ST-03, ST-07)', async () => {
      await stored(snapshotOf(agent));
      await query(`update clusters set agent_status = 'disconnected'`);
      await stored(
        edited(snapshotOf(agent, 1), ({ data }) => Object.assign(data.cluster, { status: 'unreachable' })),
      );
      deepEqual(
        await query(
          `select c.agent_status, c.status, a.status as asset_status, c.last_seen_at
           from clusters c join assets a on a.id = c.asset_id`,
        ),
        [
          {
            agent_status: 'connected',
            status: 'unreachable',
            asset_status: 'unreachable',
            last_seen_at: new Date('2026-11-30T12:01:00Z'),
          },
        ],
      );
    });

    it('keeps dns_domain and the uid where the snapshot knows neither', async () => {
      await stored(
        edited(snapshotOf(agent), ({ data }) => Object.assign(data.cluster, { dns_domain: 'corp.example' })),
      );
      await stored(
        edited(snapshotOf(agent, 1), ({ data }) =>
          Object.assign(data.cluster, { dns_domain: null, uid: null }),
        ),
      );
      deepEqual(await query('select dns_domain, uid from clusters'), [
        { dns_domain: 'corp.example', uid: 'uid-of-k8s-1' },
      ]);
    });
  });

  describe('coverage (D9)', () => {
    it('keeps rows of what could not be read, and says since when', async () => {
      await stored({ ...snapshotOf(agent), coverage: complete() });
      const before = await rowVersions();
      const empty = (minute: number) =>
        edited({ ...snapshotOf(agent, minute), coverage: complete({ pods: unread }) }, ({ data }) => {
          data.pods.splice(0);
        });
      await stored(empty(1));
      await stored(empty(2));
      deepEqual(await rowVersions(), before);
      deepEqual(await query('select unverified_since from clusters'), [
        { unverified_since: { pods: '2026-11-30T12:01:00Z' } },
      ]);
      await stored({ ...snapshotOf(agent, 3), coverage: complete() });
      deepEqual(await query('select unverified_since from clusters'), [{ unverified_since: {} }]);
    });

    it('prunes deployments while rollouts are refused, each by its own resource', async () => {
      const first = edited({ ...snapshotOf(agent), coverage: complete() }, ({ data }) => {
        const [a, b] = data.workloads;
        ok(a && b);
        a.kind = 'Rollout';
        b.kind = 'Deployment';
      });
      await stored(first);
      const second = edited(
        { ...first, timestamp: '2026-11-30T12:01:00Z', coverage: complete({ rollouts: unread }) },
        ({ data }) => data.workloads.splice(0),
      );
      await stored(second);
      deepEqual(await query('select distinct kind from k8s_workloads'), [{ kind: 'Rollout' }]);
    });

    it('counts a resource that the block does not name as unread', async () => {
      await stored({ ...snapshotOf(agent), coverage: complete() });
      const { ingresses: _, ...rest } = complete();
      await stored(
        edited({ ...snapshotOf(agent, 1), coverage: rest }, ({ data }) => void data.ingresses.splice(0)),
      );
      ok((await query('select 1 from k8s_ingresses')).length > 0);
    });

    it('takes rows of unread kinds along with a namespace that is proven gone or excluded', async () => {
      for (const [minute, proof] of [
        [1, 'gone'],
        [3, 'excluded'],
      ] as const) {
        await stored({ ...snapshotOf(agent, minute), coverage: complete() });
        const nsUnread = proof === 'excluded' ? { namespaces: unread } : {};
        const second = edited(
          { ...snapshotOf(agent, minute + 1), coverage: complete({ pods: unread, ...nsUnread }) },
          ({ data }) => {
            const gone = data.namespaces.map((namespace) => namespace.name);
            for (const kind of kinds.filter((k) => k.namespaced))
              (data as unknown as Record<string, []>)[kind.name] = [];
            data.namespaces = [];
            if (proof === 'excluded') Object.assign(data.cluster, { excluded_namespaces: gone });
          },
        );
        await stored(second);
        deepEqual(await query('select name from k8s_pods'), [], proof);
        deepEqual(await query('select name from k8s_namespaces'), [], proof);
      }
    });

    it('keeps namespaces, and what lives in them, while they cannot be read', async () => {
      await stored({ ...snapshotOf(agent), coverage: complete() });
      const before = await rowVersions();
      const second = edited(
        { ...snapshotOf(agent, 1), coverage: complete({ namespaces: unread }) },
        ({ data }) => void data.namespaces.splice(0),
      );
      await stored(second);
      deepEqual(await rowVersions(), before);
    });

    it('keeps counts whose source could not be read, and the row unwritten', async () => {
      const first = snapshotOf(agent);
      await stored({ ...first, coverage: complete() });
      const before = await rowVersions();
      const second = edited(
        { ...snapshotOf(agent, 1), coverage: complete({ pods: unread, endpointslices: unread }) },
        ({ data }) => {
          for (const node of data.nodes) node.pod_count = null;
          for (const namespace of data.namespaces) namespace.pod_count = null;
          data.pods.splice(0);
          data.endpoint_slices.splice(0);
        },
      );
      await stored(second);
      deepEqual(await rowVersions(), before);
      ok(((await query('select min(endpoints) as least from k8s_services'))[0]?.least as number) > 0);
    });
  });

  describe('host links', () => {
    const host = async (hostname: string, ip: string | null, environment = 'prod') => {
      const [row] = await query(
        `insert into hosts (client_id, environment_id, hostname, ip_address)
         select client_id, id, $1, $2 from environments where slug = $3 returning id`,
        [hostname, ip, environment],
      );
      return row?.id;
    };
    const links = async () =>
      (await query('select host_id from k8s_nodes order by name')).map((row) => row.host_id);
    const nodes = (minute: number, names: readonly [name: string, address: string][]) =>
      edited(snapshotOf(agent, minute), ({ data }) => {
        const [node] = data.nodes;
        ok(node);
        data.nodes = names.map(([name, address], i) => ({
          ...structuredClone(node),
          name,
          uid: `uid-${i}`,
          addresses: [{ type: 'InternalIP', address }],
        }));
      });

    it('match by name without regard to case, else by address, in the own environment only (LK-01 to LK-03, X-43)', async () => {
      await enrollAgent(database.pool, { environment: 'stage', slug: 'elsewhere' });
      const byName = await host('Node-A', '10.9.9.9');
      const byAddress = await host('other-name', '10.0.0.2');
      await host('node-c', '10.0.0.3', 'stage');
      const outcome = await stored(
        nodes(0, [
          ['node-a', '10.0.0.2'],
          ['node-b', '10.0.0.2'],
          ['node-c', '10.0.0.3'],
        ]),
      );
      deepEqual(await links(), [byName, byAddress, null]);
      equal(outcome.linkedNodes, 2);
    });

    it('take the lowest id where several hosts match', async () => {
      const ids = [await host('a', '10.0.0.1'), await host('b', '10.0.0.1')].map(String).sort();
      await stored(nodes(0, [['n', '10.0.0.1']]));
      deepEqual(await links(), [ids[0]]);
    });

    it('come and go with the host, writing only the nodes that they concern', async () => {
      const names: [string, string][] = [
        ['node-a', '10.0.0.1'],
        ['node-b', '10.0.0.2'],
      ];
      await stored(nodes(0, names));
      const before = await rowVersions();
      const id = await host('node-b', null);
      await stored(nodes(1, names));
      deepEqual(await links(), [null, id]);
      const after = await rowVersions();
      deepEqual(
        Object.keys(after).filter((key) => after[key] !== before[key]),
        ['k8s_nodes node-b'],
      );
      await query('delete from hosts');
      await stored(nodes(2, names));
      deepEqual(await links(), [null, null]);
    });
  });

  describe('a snapshot that may not be stored', () => {
    it('is superseded when older, and writes nothing at all (X-18)', async () => {
      const { clusterId } = await stored(snapshotOf(agent, 5));
      const before = await rowVersions();
      const cluster = await query('select * from clusters');
      const older = edited(snapshotOf(agent, 4), ({ data }) => void data.pods.splice(0));
      deepEqual(await sync(older), { outcome: 'superseded', clusterId, clamped: false, factsNotNewer: 0 });
      deepEqual(await rowVersions(), before);
      deepEqual(await query('select * from clusters'), cluster);
    });

    it('is a replay when it is the stored one again, and writes no row', async () => {
      await stored(snapshotOf(agent, 5));
      const before = await rowVersions();
      equal((await stored(snapshotOf(agent, 5))).replay, true);
      deepEqual(await rowVersions(), before);
    });

    it('follows the epoch: a deposed leader is superseded, a new one with a slow clock goes on for good', async () => {
      const led = (minute: number, transitions: number) => ({
        ...snapshotOf(agent, minute),
        epoch: { lease_uid: 'lease', transitions },
      });
      await stored(led(20, 1));
      await stored(led(3, 2));
      equal((await sync(led(25, 1))).outcome, 'superseded');
      await stored(led(8, 2));
    });

    it('is clamped when it is stamped in the future, alike at every delivery (CH-32, X-19)', async () => {
      const future = { ...snapshotOf(agent), timestamp: '2027-01-01T00:00:00Z' };
      equal((await stored(future)).clamped, true);
      const limit = new Date(NOW.getTime() + 60_000);
      deepEqual(await query('select snapshot_at, last_seen_at from clusters'), [
        { snapshot_at: limit, last_seen_at: limit },
      ]);
      equal((await stored(future)).replay, true);
    });

    it('is rejected when it is of another cluster, by agent, slug or uid, and writes nothing', async () => {
      const other = await enrollAgent(database.pool, { slug: 'k8s-2' });
      const cases: [Snapshot, string][] = [
        [{ ...snapshotOf(agent), agent_id: other.id }, 'agent_id'],
        [
          edited(snapshotOf(agent), ({ data }) => Object.assign(data.cluster, { slug: 'k8s-2' })),
          'data.cluster.slug',
        ],
        [
          edited(snapshotOf(agent), ({ data }) => Object.assign(data.cluster, { uid: 'x' })),
          'data.cluster.uid',
        ],
      ];
      for (const [snapshot, detail] of cases) {
        deepEqual(await sync(snapshot), { outcome: 'rejected', reason: 'foreign_cluster', detail });
      }
      deepEqual(await query('select 1 from clusters'), []);
    });

    it('is rejected when an agent without a uid meets a cluster that has another', async () => {
      await stored(snapshotOf(agent));
      const second = await enrollAgent(database.pool, { uid: null, name: 'proxima-cluster-agent-1' });
      const foreign = edited(snapshotOf(second, 1), ({ data }) =>
        Object.assign(data.cluster, { uid: 'rebuilt' }),
      );
      deepEqual(await sync(foreign, second), {
        outcome: 'rejected',
        reason: 'foreign_cluster',
        detail: 'data.cluster.uid',
      });
      equal((await findAgent(database.pool, second.id))?.cluster_uid, null);
    });

    it('is rejected by a value that PostgreSQL refuses, naming the place and never the value', async () => {
      const bad = edited(snapshotOf(agent), ({ data }) => {
        const [pod] = data.pods;
        ok(pod);
        pod.started_at = '0000-01-01T00:00:00Z';
      });
      deepEqual(await sync(bad), {
        outcome: 'rejected',
        reason: 'refused_value',
        detail: '22008 k8s_pods started_at',
      });
      deepEqual(await query('select 1 from clusters'), []);
    });

    it('is rejected by two nodes of one uid, and leaves what was stored (IN-06)', async () => {
      await stored(snapshotOf(agent, 0, { pods: 120, events: 1 }));
      const before = await rowVersions();
      const bad = edited(snapshotOf(agent, 1, { pods: 120, events: 1 }), ({ data }) => {
        for (const node of data.nodes) node.uid = 'the-same';
        data.pods.splice(0);
      });
      deepEqual(await sync(bad), {
        outcome: 'rejected',
        reason: 'refused_value',
        detail: '23505 k8s_nodes k8s_nodes_cluster_id_uid_key',
      });
      deepEqual(await rowVersions(), before);
    });

    it('is rejected by a key too long for its index', async () => {
      const bad = edited(snapshotOf(agent), ({ data }) => {
        const [pod] = data.pods;
        ok(pod);
        // Random enough that the index cannot compress it away.
        pod.namespace = Array.from({ length: 512 }, (_, i) =>
          String.fromCodePoint(0x4e00 + ((i * 7919) % 20000)),
        ).join('');
        pod.name = [...pod.namespace].reverse().join('');
      });
      const outcome = await sync(bad);
      ok(outcome.outcome === 'rejected' && outcome.detail.startsWith('54000'), JSON.stringify(outcome));
    });
  });

  describe('two syncs of one cluster', () => {
    it('wait for each other, while rows that refer to the cluster can be inserted (IN-23, IN-25)', async () => {
      const { clusterId } = await stored(snapshotOf(agent));
      const holder = await database.pool.connect();
      try {
        await holder.query('begin');
        await holder.query('select 1 from clusters where id = $1 for no key update', [clusterId]);
        let done = false;
        const waiting = stored(snapshotOf(agent, 1)).then(() => {
          done = true;
        });
        await sleep(150);
        equal(done, false);
        await query(
          `insert into k8s_namespaces (cluster_id, name, uid, status, created_at) values ($1, 'apart', 'u', 'Active', now())`,
          [clusterId],
        );
        await holder.query('commit');
        await waiting;
        deepEqual(await query(`select 1 from k8s_namespaces where name = 'apart'`), []);
      } finally {
        holder.release();
      }
    });

    it('both starting from nothing leave one cluster and one asset', async () => {
      const outcomes = await Promise.all([
        sync(snapshotOf(agent)),
        sync(snapshotOf(agent)),
        sync(snapshotOf(agent)),
      ]);
      deepEqual(outcomes.map((outcome) => outcome.outcome === 'stored' && outcome.replay).sort(), [
        false,
        true,
        true,
      ]);
      deepEqual(
        await query(
          'select (select count(*) from clusters) as clusters, (select count(*) from assets) as assets',
        ),
        [{ clusters: 1, assets: 1 }],
      );
    });

    it('never deadlock, however many snapshots arrive at once (IN-24)', async () => {
      const snapshots = Array.from({ length: 12 }, (_, i) =>
        edited(snapshotOf(agent, i), ({ data }) => void data.pods.splice(0, i)),
      );
      const outcomes = await Promise.all(snapshots.map((snapshot) => sync(snapshot)));
      ok(outcomes.every(({ outcome }) => outcome === 'stored' || outcome === 'superseded'));
      const [row] = await query('select count(*)::integer as pods from k8s_pods');
      equal(row?.pods, snapshots.at(-1)?.data.pods.length);
    });
  });

  it('gives up at its time limit, throws, and leaves nothing (IN-06)', async () => {
    const { clusterId } = await stored(snapshotOf(agent));
    const before = await rowVersions();
    const holder = await database.pool.connect();
    try {
      await holder.query('begin');
      await holder.query('select 1 from clusters where id = $1 for no key update', [clusterId]);
      const begun = Date.now();
      await rejects(sync(snapshotOf(agent, 1), agent, { timeoutMs: 200 }), TransactionTimeout);
      ok(Date.now() - begun < 2000);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    deepEqual(await rowVersions(), before);
  });

  it('goes with its asset: the cluster and all its rows (SC-17)', async () => {
    await stored(snapshotOf(agent));
    await query('delete from assets');
    deepEqual(await query('select 1 from clusters'), []);
    deepEqual(await rowVersions(), {});
  });
});
