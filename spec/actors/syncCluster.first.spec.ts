import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { findAgent } from '../../store/agents.ts';
import { kinds } from '../../wire/kinds/index.ts';
import { enrollAgent, snapshotOf } from '../support/enrolled.ts';
import { edited, syncRig } from '../support/syncing.ts';

describe('syncCluster, a first snapshot', () => {
  const rig = syncRig();
  const { query, stored } = rig;

  it('stores every record of every kind, and the cluster with its asset (IN-07 to IN-21)', async () => {
    const snapshot = snapshotOf(rig.agent);
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
    await stored(snapshotOf(rig.agent));
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
    const snapshot = edited(snapshotOf(rig.agent), ({ data }) => {
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
      slice.endpoints = [endpoint('10.0.0.1', true), endpoint('10.0.0.1', true), endpoint('10.0.0.2', false)];
      data.endpoint_slices.push({ ...slice, name: 'second', endpoints: [endpoint('10.0.0.3', true)] });
    });
    await stored(snapshot);
    const rows = await query('select endpoints from k8s_services where name = $1', [
      snapshot.data.endpoint_slices[0]?.service,
    ]);
    deepEqual(rows, [{ endpoints: 2 }]);
  });

  it('fills a uid that could not be read at enrollment', async () => {
    const other = await enrollAgent(rig.database.pool, { slug: 'late', uid: null });
    await stored(snapshotOf(other), other);
    equal((await findAgent(rig.database.pool, other.id))?.cluster_uid, 'uid-of-late');
  });

  it('keeps clusters of one slug in two environments apart (IN-27)', async () => {
    const twin = await enrollAgent(rig.database.pool, { environment: 'stage' });
    const here = await stored(snapshotOf(rig.agent));
    const there = await stored(snapshotOf(twin), twin);
    notEqual(here.clusterId, there.clusterId);
  });
});
