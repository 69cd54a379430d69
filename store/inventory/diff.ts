/** Compares a snapshot's records of one kind with the stored rows (D8). Pure but for the new rows' ids. */

import { randomUUID } from 'node:crypto';
import { recordKey } from '../../wire/inventory.ts';
import type { Kind } from '../../wire/kinds/define.ts';
import type { InventoryRecord } from './columns.ts';
import { keptColumns } from './columns.ts';
import { contentHash } from './contentHash.ts';
import type { StoredRow } from './stored.ts';

/** A row to write whole. */
export interface RowToWrite {
  readonly id: string;
  readonly record: InventoryRecord;
  readonly hash: string;
  readonly link: string | null;
}

/** What a sync does to one table. `seen` counts the snapshot's records, written or not. */
export interface Changes {
  readonly seen: number;
  readonly inserted: RowToWrite[];
  readonly updated: RowToWrite[];
  /** Rows whose content stayed while the row that they refer to became another. */
  readonly relinked: { readonly id: string; readonly link: string | null }[];
  readonly deleted: string[];
  /** Ids of all rows that are there afterwards, by natural key. */
  readonly ids: ReadonlyMap<string, string>;
}

/** How a kind is compared. */
export interface DiffRules {
  /** The id that a record's link column shall hold. */
  readonly linkOf: (record: InventoryRecord) => string | null;
  readonly isGone: (row: StoredRow) => boolean;
  /** Hashes made beforehand, while the database was being read; without them each is made here. */
  readonly hashes?: readonly string[] | undefined;
}

export function diffKind(
  kind: Kind,
  records: readonly InventoryRecord[],
  stored: ReadonlyMap<string, StoredRow>,
  rules: DiffRules,
): Changes {
  const inserted: RowToWrite[] = [];
  const updated: RowToWrite[] = [];
  const relinked: Changes['relinked'] = [];
  const ids = new Map<string, string>();
  const kept = keptColumns(kind);
  records.forEach((sent, index) => {
    const key = recordKey(kind, sent);
    const row = stored.get(key);
    const record = kept.length === 0 ? sent : keepCounts(sent, kept, row);
    const hash = rules.hashes?.[index] ?? contentHash(record);
    const link = rules.linkOf(record);
    const id = row?.id ?? randomUUID();
    ids.set(key, id);
    if (row === undefined) inserted.push({ id, record, hash, link });
    else if (row.hash !== hash) updated.push({ id, record, hash, link });
    else if (row.link !== link) relinked.push({ id, link });
  });
  const deleted: string[] = [];
  if (stored.size > records.length - inserted.length) {
    for (const [key, row] of stored) {
      if (ids.has(key)) continue;
      if (rules.isGone(row)) deleted.push(row.id);
      else ids.set(key, row.id);
    }
  }
  return { seen: records.length, inserted, updated, relinked, deleted, ids };
}

/** Null counts take the stored number; before hashing, or each such sync would find the row changed. */
function keepCounts(
  record: InventoryRecord,
  kept: readonly string[],
  row: StoredRow | undefined,
): InventoryRecord {
  if (row === undefined) return record;
  const filled: Record<string, unknown> = { ...record };
  kept.forEach((column, i) => {
    filled[column] ??= row.kept[i] ?? null;
  });
  return filled;
}
