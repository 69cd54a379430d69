/** Writes the difference of one kind: new rows by COPY, changed ones by COPY and one UPDATE, gone ones by id (D8). */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { Kind } from '../../wire/kinds/define.ts';
import type { PoolClient } from '../pool.ts';
import { linkColumn, recordFields, writtenColumns } from './columns.ts';
import { contentHash } from './contentHash.ts';
import { encodeValue, inPieces } from './copyText.ts';
import type { Changes, RowToWrite } from './diff.ts';

/** Whose rows they are, and the time for `synced_at` (ISO). */
export interface WriteContext {
  readonly clusterId: string;
  readonly syncedAt: string;
}

/** Columns of new rows that are no part of a record, and their values in COPY text by the row's id. */
export interface ExtraCells {
  readonly columns: readonly string[];
  cellsOf(id: string): readonly string[];
}

/** Inserts, updates and relinks. Deletions wait until the end of the sync (`deleteRows`). */
export async function writeChanges(
  client: PoolClient,
  kind: Kind,
  changes: Changes,
  context: WriteContext,
  extra?: ExtraCells,
): Promise<void> {
  if (changes.updated.length > 0) await updateRows(client, kind, changes.updated, context);
  if (changes.inserted.length > 0) await copyRows(client, kind.table, kind, changes.inserted, context, extra);
  if (changes.relinked.length > 0) await relinkRows(client, kind, changes.relinked, context);
}

/** Deletes by primary key: the anti-join that a prune by keys needs is a nested loop of seconds on fresh statistics. */
export async function deleteRows(client: PoolClient, kind: Kind, ids: readonly string[]): Promise<void> {
  await client.query(`delete from ${kind.table} where id = any ($1::uuid[])`, [ids]);
}

async function copyRows(
  client: PoolClient,
  table: string,
  kind: Kind,
  rows: readonly RowToWrite[],
  context: WriteContext,
  extra?: ExtraCells,
): Promise<void> {
  const columns = [...writtenColumns(kind).map(([column]) => column), ...(extra?.columns ?? [])];
  const target = client.query(copyFrom(`copy ${table} (${columns.join(', ')}) from stdin`));
  await pipeline(Readable.from(inPieces(rowLines(kind, rows, context, extra))), target);
}

/** Rows in COPY text, columns in the order of `writtenColumns`, then those of `extra`. */
export function* rowLines(
  kind: Kind,
  rows: readonly RowToWrite[],
  context: WriteContext,
  extra?: ExtraCells,
): Generator<string> {
  const fields = recordFields(kind).map(([column, field]) => ({ column, type: field.column }));
  const linked = linkColumn(kind) !== null;
  for (const { id, record, hash, link } of rows) {
    let line = `${id}\t${context.clusterId}`;
    for (const { column, type } of fields) line += `\t${encodeValue(type, record[column])}`;
    if (linked) line += `\t${link ?? '\\N'}`;
    line += `\t${hash ?? contentHash(record)}\t${context.syncedAt}`;
    if (extra !== undefined) for (const cell of extra.cellsOf(id)) line += `\t${cell}`;
    yield `${line}\n`;
  }
}

async function updateRows(
  client: PoolClient,
  kind: Kind,
  rows: readonly RowToWrite[],
  context: WriteContext,
): Promise<void> {
  const columns = writtenColumns(kind).map(([column]) => column);
  const assignments = columns
    .filter((column) => column !== 'id' && column !== 'cluster_id')
    .map((column) => `${column} = changed.${column}`);
  const update = `update ${kind.table} as stored set ${assignments.join(', ')}`;
  if (rows.length <= FEW_ROWS) {
    await client.query(
      `${update} from json_populate_recordset(null::${kind.table}, $1::json) as changed where stored.id = changed.id`,
      [JSON.stringify(rows.map((row) => asJson(kind, row, context)))],
    );
    return;
  }
  const staging = `staged_${kind.name}`;
  await client.query(
    `create temp table if not exists ${staging} on commit delete rows
     as select ${columns.join(', ')} from ${kind.table} with no data`,
  );
  await copyRows(client, `pg_temp.${staging}`, kind, rows, context);
  await client.query(`${update} from pg_temp.${staging} as changed where stored.id = changed.id`);
}

/**
 * Up to here changed rows travel as one JSON parameter: one round trip, where the temporary table takes four. Above, that
 * table wins: 2.1 times a plain COPY when all rows change, against 2.6 for INSERT … ON CONFLICT from the same table.
 */
const FEW_ROWS = 200;

const asJson = (kind: Kind, { id, record, hash, link }: RowToWrite, context: WriteContext) => ({
  ...record,
  id,
  ...(linkColumn(kind) === null ? {} : { [linkColumn(kind) ?? '']: link }),
  content_hash: hash,
  synced_at: context.syncedAt,
});

async function relinkRows(
  client: PoolClient,
  kind: Kind,
  rows: Changes['relinked'],
  context: WriteContext,
): Promise<void> {
  await client.query(
    `update ${kind.table} as stored set ${linkColumn(kind)} = relinked.link, synced_at = $3::timestamptz
     from unnest($1::uuid[], $2::uuid[]) as relinked (id, link) where stored.id = relinked.id`,
    [rows.map((row) => row.id), rows.map((row) => row.link), context.syncedAt],
  );
}
