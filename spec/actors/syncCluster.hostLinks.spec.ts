import { deepEqual, equal, ok } from 'node:assert/strict';
import { enrollAgent, snapshotOf } from '../support/enrolled.ts';
import { edited, syncRig } from '../support/syncing.ts';

describe('syncCluster, host links', () => {
  const rig = syncRig();
  const { query, stored, rowVersions } = rig;

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
    edited(snapshotOf(rig.agent, minute), ({ data }) => {
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
    await enrollAgent(rig.database.pool, { environment: 'stage', slug: 'elsewhere' });
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
