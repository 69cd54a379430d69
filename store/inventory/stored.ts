/** What the thirteen tables hold of a cluster, as far as a sync has to know it. */

import { joinKey } from '../../wire/inventory.ts';
import type { Kind } from '../../wire/kinds/define.ts';
import { kinds } from '../../wire/kinds/index.ts';
import { FACTS_HASH } from '../facts.ts';
import type { Db } from '../pool.ts';
import { identityColumns, keptColumns, linkColumn } from './columns.ts';

/** The rows of one table, by column: a row is its number, and thousands of them cost no object each. */
export interface StoredRows {
  readonly ids: readonly string[];
  readonly hashes: readonly string[];
  /** Ids in the kind's link column; empty for a kind without one. */
  readonly links: readonly (string | null)[];
  /** Per column of `identityColumns`. */
  readonly identities: readonly (readonly string[])[];
  /** Per kept count, in the order of `keptColumns`. */
  readonly kept: readonly (readonly (number | null)[])[];
  /** Of workloads: what their stored facts are compared by; null without facts. Empty for other kinds. */
  readonly factHashes: readonly (string | null)[];
  /** Natural key to number. */
  readonly byKey: ReadonlyMap<string, number>;
}

/** Per kind name. */
export type StoredInventory = ReadonlyMap<string, StoredRows>;

/** The JSON that a kind's rows come as; null where the table has no rows of the cluster. */
type Packed = [
  ids: string[] | null,
  hashes: string[] | null,
  links: (string | null)[] | null,
  identities: (string[] | null)[],
  kept: ((number | null)[] | null)[],
  factHashes: (string | null)[] | null,
];

function selectStored(kind: Kind): string {
  const column = (name: string): string => `json_agg(${name})`;
  const link = linkColumn(kind);
  const parts = [
    column('id'),
    column('content_hash'),
    link === null ? 'null::json' : column(link),
    `json_build_array(${identityColumns(kind).map(column).join(', ')})`,
    `json_build_array(${keptColumns(kind).map(column).join(', ')})`,
    kind.name === 'workloads' ? column(FACTS_HASH) : 'null::json',
  ];
  return `(select json_build_array(${parts.join(', ')}) from ${kind.table} where cluster_id = $1)::text`;
}

/**
 * One row, one JSON text per kind, one array per column. The server reads and packs all of it while this process hashes
 * the snapshot, and JSON.parse of flat arrays takes a fraction of what the driver needs for as many rows.
 */
const SELECT_ALL = `select ${kinds.map((kind) => `${selectStored(kind)} as ${kind.name}`).join(',\n')}`;

/** Reads keys, ids and hashes of everything stored of a cluster. Call it under the cluster's row lock. */
export async function readStored(db: Db, clusterId: string): Promise<StoredInventory> {
  const { rows } = await db.query<Record<string, string | null>>({
    name: 'stored_inventory',
    text: SELECT_ALL,
    values: [clusterId],
  });
  return new Map(kinds.map((kind) => [kind.name, unpack(kind, rows[0]?.[kind.name] ?? null)]));
}

/** No rows, as for a cluster that was never stored. */
export const NO_ROWS: StoredRows = {
  ids: [],
  hashes: [],
  links: [],
  identities: [],
  kept: [],
  factHashes: [],
  byKey: new Map(),
};

function unpack(kind: Kind, json: string | null): StoredRows {
  const [ids, hashes, links, identities, kept, factHashes] = JSON.parse(json ?? '[null]') as Packed;
  if (ids === null || hashes === null) return NO_ROWS;
  const [a, b, c] = identities;
  const byKey = new Map<string, number>();
  for (let row = 0; row < ids.length; row += 1) {
    byKey.set(joinKey(kind.key.length, a?.[row], b?.[row], c?.[row]), row);
  }
  const columns = <T>(of: (T[] | null)[]): T[][] => of.map((column) => column ?? []);
  return {
    ids,
    hashes,
    links: links ?? [],
    identities: columns(identities),
    kept: columns(kept),
    factHashes: factHashes ?? [],
    byKey,
  };
}
