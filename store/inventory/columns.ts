/** Columns of the k8s_ tables, from the kind table. Identifiers in SQL come from here and from nowhere else. */

import type { ColumnType, Field, Kind } from '../../wire/kinds/define.ts';

/** Inventory rows as they are held in JavaScript: the keys are the kind's fields. */
export type InventoryRecord = Readonly<Record<string, unknown>>;

/** Ids of other rows that a record refers to by name; they are no part of the snapshot, hence not of the hash (D8). */
const LINK_COLUMNS: Readonly<Record<string, string>> = {
  nodes: 'host_id',
  workloads: 'namespace_id',
  pods: 'node_id',
};

/** The column that holds the id of another row, for the three kinds that have one. */
export const linkColumn = (kind: Kind): string | null => LINK_COLUMNS[kind.name] ?? null;

/** What the snapshot says of a record, as fields by column: those sent and those counted here. */
export const recordFields = (kind: Kind): [column: string, field: Field<unknown>][] => [
  ...Object.entries(kind.fields),
  ...Object.entries(kind.derived),
];

/** Counts that keep the stored number where the snapshot has null. */
export const keptColumns = (kind: Kind): string[] =>
  recordFields(kind)
    .filter(([, field]) => field.keepsStored)
    .map(([column]) => column);

/** What tells a row and where it lives: its natural key, then its namespace where the key does not hold it (events). */
export const identityColumns = (kind: Kind): readonly string[] =>
  kind.namespaced && !kind.key.includes('namespace') ? [...kind.key, 'namespace'] : kind.key;

/** Every column that a sync writes, in the order in which `rowLine` spells them. */
export function writtenColumns(kind: Kind): [column: string, type: ColumnType | 'uuid'][] {
  const link = linkColumn(kind);
  return [
    ['id', 'uuid'],
    ['cluster_id', 'uuid'],
    ...recordFields(kind).map(([column, field]): [string, ColumnType] => [column, field.column]),
    ...(link === null ? [] : [[link, 'uuid'] as [string, 'uuid']]),
    ['content_hash', 'text'],
    ['synced_at', 'timestamptz'],
  ];
}
