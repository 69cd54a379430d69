import { deepEqual, equal, ok } from 'node:assert/strict';
import { kinds } from '../../wire/kinds/index.ts';
import { enrollAgent, snapshotOf } from '../support/enrolled.ts';
import { edited, syncRig } from '../support/syncing.ts';

describe('syncCluster, a second snapshot', () => {
  const rig = syncRig();
  const { query, stored, rowVersions, deadRows } = rig;

  it('writes nothing when nothing changed: no row, no dead row, the same ids (IN-03)', async () => {
    await stored(snapshotOf(rig.agent));
    const before = await rowVersions();
    const dead = await deadRows();
    const outcome = await stored(snapshotOf(rig.agent, 1));
    deepEqual(await rowVersions(), before);
    deepEqual(await deadRows(), dead);
    for (const kind of Object.values(outcome.kinds)) {
      deepEqual([kind.inserted, kind.updated, kind.deleted], [0, 0, 0]);
    }
  });

  it('writes exactly what changed and keeps the ids of changed rows (IN-03)', async () => {
    const first = snapshotOf(rig.agent);
    await stored(first);
    const before = await rowVersions();
    const second = edited(snapshotOf(rig.agent, 1), ({ data }) => {
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
    await stored(snapshotOf(rig.agent, 0, size));
    const before = await query('select id from k8s_pods order by id');
    const second = edited(snapshotOf(rig.agent, 1, size), ({ data }) => {
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
    await stored(snapshotOf(rig.agent));
    const before = await rowVersions();
    const second = edited(snapshotOf(rig.agent, 1), ({ data }) => {
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
    await stored(snapshotOf(rig.agent));
    const second = edited(snapshotOf(rig.agent, 1), ({ data }) => {
      for (const kind of kinds.filter((k) => k.namespaced))
        (data as unknown as Record<string, []>)[kind.name] = [];
      data.namespaces = [];
      data.nodes = [];
    });
    await stored(second);
    deepEqual(await rowVersions(), {});
  });

  it('leaves the rows of another cluster alone (IN-04)', async () => {
    const other = await enrollAgent(rig.database.pool, { slug: 'k8s-2' });
    const { clusterId } = await stored(snapshotOf(other), other);
    const ids = () =>
      query('select id, xmin::text from k8s_pods where cluster_id = $1 order by id', [clusterId]);
    const before = await ids();
    await stored(snapshotOf(rig.agent));
    await stored(edited(snapshotOf(rig.agent, 1), ({ data }) => void data.pods.splice(0)));
    deepEqual(await ids(), before);
  });

  it('takes a node that came back with another uid, and two nodes that swapped theirs (SC-08)', async () => {
    const first = edited(snapshotOf(rig.agent, 0, { pods: 120, events: 1 }), ({ data }) => {
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
    const first = snapshotOf(rig.agent);
    await stored(first);
    const second = edited(snapshotOf(rig.agent, 1), ({ data }) => {
      for (const node of data.nodes) node.name = `renamed-${node.name}`;
    });
    await stored(second);
    deepEqual(
      (await query('select name from k8s_nodes')).map((row) => row.name),
      second.data.nodes.map((node) => node.name),
    );
  });

  it('sets the cluster back to connected and its asset to the reported status (ST-03, ST-07)', async () => {
    await stored(snapshotOf(rig.agent));
    await query(`update clusters set agent_status = 'disconnected'`);
    await stored(
      edited(snapshotOf(rig.agent, 1), ({ data }) => Object.assign(data.cluster, { status: 'unreachable' })),
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
      edited(snapshotOf(rig.agent), ({ data }) =>
        Object.assign(data.cluster, { dns_domain: 'corp.example' }),
      ),
    );
    await stored(
      edited(snapshotOf(rig.agent, 1), ({ data }) =>
        Object.assign(data.cluster, { dns_domain: null, uid: null }),
      ),
    );
    deepEqual(await query('select dns_domain, uid from clusters'), [
      { dns_domain: 'corp.example', uid: 'uid-of-k8s-1' },
    ]);
  });

  it('goes with its asset: the cluster and all its rows (SC-17)', async () => {
    await stored(snapshotOf(rig.agent));
    await query('delete from assets');
    deepEqual(await query('select 1 from clusters'), []);
    deepEqual(await rowVersions(), {});
  });
});
