/** Compares a snapshot's records of one kind with the stored rows (D8). Pure. */

import { recordKey } from '../../wire/inventory.ts';
import type { Kind } from '../../wire/kinds/define.ts';
import type { InventoryRecord } from './columns.ts';
import { keptColumns } from './columns.ts';
import { contentHash } from './contentHash.ts';
import type { StoredRows } from './stored.ts';

/** A row to write whole. */
export interface RowToWrite {
  readonly id: string;
  readonly record: InventoryRecord;
  /** Undefined for a new row: hashed when its line is written, while the server works on the lines before. */
  readonly hash: string | undefined;
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
  /** For the two kinds that others refer to: ids of all rows that are there afterwards, by name. */
  readonly ids: ReadonlyMap<string, string>;
}

/** How a kind is compared. */
export interface DiffRules {
  /** The id that a record's link column shall hold. */
  readonly linkOf: (record: InventoryRecord) => string | null;
  /** Of a stored row that the snapshot does not hold, by its values of `identityColumns`. */
  readonly isGone: (identity: readonly string[]) => boolean;
  readonly newId: () => string;
  /** Hashes made beforehand, while the database was being read; without them each is made when it is needed. */
  readonly hashes?: readonly string[] | undefined;
}

/** Which rows to write, to link anew and to delete. */
export function diffKind(
  kind: Kind,
  records: readonly InventoryRecord[],
  stored: StoredRows,
  rules: DiffRules,
): Changes {
  const changes = { inserted: [], updated: [], relinked: [] } as Pick<
    Changes,
    'inserted' | 'updated' | 'relinked'
  >;
  const ids = new Map<string, string>();
  const isReferredTo = kind.key.length === 1;
  const kept = keptColumns(kind);
  const isSeen = new Uint8Array(stored.ids.length);
  records.forEach((sent, index) => {
    const key = recordKey(kind, sent);
    const row = stored.byKey.get(key);
    const link = rules.linkOf(sent);
    const known = row === undefined ? undefined : stored.ids[row];
    const id = known ?? rules.newId();
    if (isReferredTo) ids.set(key, id);
    if (row === undefined) {
      changes.inserted.push({ id, record: sent, hash: rules.hashes?.[index], link });
      return;
    }
    isSeen[row] = 1;
    const record = kept.length === 0 ? sent : keepCounts(sent, kept, stored, row);
    const hash = rules.hashes?.[index] ?? contentHash(record);
    if (stored.hashes[row] !== hash) changes.updated.push({ id, record, hash, link });
    else if ((stored.links[row] ?? null) !== link) changes.relinked.push({ id, link });
  });
  const deleted: string[] = [];
  stored.ids.forEach((id, row) => {
    if (isSeen[row] === 1) return;
    const identity = stored.identities.map((column) => column[row] ?? '');
    if (rules.isGone(identity)) deleted.push(id);
    else if (isReferredTo) ids.set(identity[0] ?? '', id);
  });
  return { seen: records.length, ...changes, deleted, ids };
}

/** Null counts take the stored number; before hashing, or each such sync would find the row changed. */
function keepCounts(
  record: InventoryRecord,
  kept: readonly string[],
  stored: StoredRows,
  row: number,
): InventoryRecord {
  const filled: Record<string, unknown> = { ...record };
  kept.forEach((column, i) => {
    filled[column] ??= stored.kept[i]?.[row] ?? null;
  });
  return filled;
}
