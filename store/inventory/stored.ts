/** What the thirteen tables hold of a cluster, as far as a sync has to know it. */

import type { Kind } from '../../wire/kinds/define.ts';
import { kinds } from '../../wire/kinds/index.ts';
import type { Db } from '../pool.ts';
import { keptColumns, linkColumn, MAX_KEPT } from './columns.ts';

export interface StoredRow {
  readonly id: string;
  readonly hash: string;
  /** Id in the kind's link column. */
  readonly link: string | null;
  /** Where it lives; the name itself for a namespace, null for a node. */
  readonly namespace: string | null;
  /** Value of the `kind` column, in the two tables that have one. */
  readonly kind: string | null;
  /** The kept counts, in the order of `keptColumns`. */
  readonly kept: readonly (number | null)[];
}

/** Per kind name: natural key (as `recordKey` spells it) to row. */
export type StoredInventory = ReadonlyMap<string, ReadonlyMap<string, StoredRow>>;

const KEY_PARTS = 3;

type Row = [
  kind: number,
  id: string,
  hash: string,
  link: string | null,
  namespace: string | null,
  key1: string,
  key2: string | null,
  key3: string | null,
  kept1: number | null,
  kept2: number | null,
  kept3: number | null,
];

const padded = (columns: readonly string[], length: number, type: string): string[] =>
  Array.from({ length }, (_, i) => columns[i] ?? `null::${type}`);

function selectStored(kind: Kind, ordinal: number): string {
  const namespace = kind.namespaced ? 'namespace' : kind.name === 'namespaces' ? 'name' : 'null::text';
  const columns = [
    `${ordinal}`,
    'id',
    'content_hash',
    linkColumn(kind) ?? 'null::uuid',
    namespace,
    ...padded(kind.key, KEY_PARTS, 'text'),
    ...padded(keptColumns(kind), MAX_KEPT, 'integer'),
  ];
  return `select ${columns.join(', ')} from ${kind.table} where cluster_id = $1`;
}

/** One statement for all kinds: the server reads all of it while this process hashes the snapshot. */
const SELECT_ALL = kinds.map((kind, ordinal) => selectStored(kind, ordinal)).join('\nunion all\n');

/** Reads keys, ids and hashes of everything stored of a cluster. Call it under the cluster's row lock. */
export async function readStored(db: Db, clusterId: string): Promise<StoredInventory> {
  const { rows } = await db.query<Row>({
    name: 'stored_inventory',
    text: SELECT_ALL,
    values: [clusterId],
    rowMode: 'array',
  });
  const stored = kinds.map(() => new Map<string, StoredRow>());
  for (const [ordinal, id, hash, link, namespace, key1, key2, key3, ...kept] of rows) {
    const key =
      key2 === null ? key1 : key3 === null ? `${key1}\u0000${key2}` : `${key1}\u0000${key2}\u0000${key3}`;
    // Kind comes first in the keys of both tables that have one (spec/store/drift holds them to it).
    const kind = key3 === null ? null : key1;
    stored[ordinal]?.set(key, { id, hash, link, namespace, kind, kept });
  }
  return new Map(kinds.map((kind, ordinal) => [kind.name, stored[ordinal] ?? new Map()]));
}
