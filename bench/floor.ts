/** The measure of everything else: the same rows by plain COPY into unlogged tables without indexes. */

import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { writtenColumns } from '../store/inventory/columns.ts';
import { inPieces } from '../store/inventory/copyText.ts';
import { rowLines } from '../store/inventory/write.ts';
import type { Pool } from '../store/pool.ts';
import type { Kind } from '../wire/kinds/define.ts';
import { kinds } from '../wire/kinds/index.ts';
import type { Snapshot } from '../wire/snapshot.ts';

const columnsOf = (kind: Kind): string =>
  writtenColumns(kind)
    .map(([column]) => column)
    .join(', ');

/** One bare table per kind: the written columns, no index, no constraint, no WAL. */
export async function createFloor(pool: Pool): Promise<void> {
  for (const kind of kinds) {
    await pool.query(
      `create unlogged table floor_${kind.name} as select ${columnsOf(kind)} from ${kind.table} with no data`,
    );
  }
}

/** Milliseconds from BEGIN to the answer of COMMIT, the building of the COPY text included. */
export async function runFloor(pool: Pool, snapshot: Snapshot): Promise<number> {
  await pool.query(`truncate ${kinds.map((kind) => `floor_${kind.name}`).join(', ')}`);
  const data = snapshot.data as unknown as Record<string, Record<string, unknown>[]>;
  const context = { clusterId: randomUUID(), syncedAt: '2026-11-30T12:00:00Z' };
  const rowsOf = (kind: Kind) =>
    (data[kind.name] ?? []).map((record) => ({ id: context.clusterId, record, hash: '1.none', link: null }));
  const client = await pool.connect();
  try {
    const begun = performance.now();
    await client.query('begin');
    for (const kind of kinds) {
      const target = client.query(copyFrom(`copy floor_${kind.name} (${columnsOf(kind)}) from stdin`));
      await pipeline(Readable.from(inPieces(rowLines(kind, rowsOf(kind), context))), target);
    }
    await client.query('commit');
    return performance.now() - begun;
  } finally {
    client.release();
  }
}
