/** Which host a node is (LK-01 to LK-03, X-43). */

import type { Arrays } from '../wire/kinds/index.ts';
import type { Db } from './pool.ts';

type Node = Pick<Arrays['nodes'][number], 'name' | 'addresses'>;

/** Host ids by lower-case hostname and by address; the lowest id where several hosts share one. */
export interface HostIndex {
  readonly byHostname: ReadonlyMap<string, string>;
  readonly byAddress: ReadonlyMap<string, string>;
}

/** Reads the hosts of one environment that could be one of these nodes. Another environment's never match (LK-02). */
export async function findHosts(db: Db, environmentId: string, nodes: readonly Node[]): Promise<HostIndex> {
  const { rows } = await db.query<{ id: string; hostname: string; ip_address: string | null }>(
    `select id, hostname, ip_address from hosts
     where environment_id = $1 and (lower(hostname) = any ($2::text[]) or ip_address = any ($3::text[]))
     order by id desc`,
    [
      environmentId,
      nodes.map((node) => node.name.toLowerCase()),
      nodes.flatMap((node) => node.addresses.map(({ address }) => address)),
    ],
  );
  // Highest id first: the lowest is set last and stays.
  return {
    byHostname: new Map(rows.map((row) => [row.hostname.toLowerCase(), row.id])),
    byAddress: new Map(rows.flatMap((row) => (row.ip_address === null ? [] : [[row.ip_address, row.id]]))),
  };
}

/** The node's host: by name first, then by any of its addresses; null resets a link that no longer holds. */
export function hostOf(node: Node, hosts: HostIndex): string | null {
  const byName = hosts.byHostname.get(node.name.toLowerCase());
  if (byName !== undefined) return byName;
  const byAddress = node.addresses.flatMap(({ address }) => hosts.byAddress.get(address) ?? []);
  return byAddress.sort()[0] ?? null;
}
