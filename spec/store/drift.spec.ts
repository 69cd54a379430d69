import { deepEqual, ok } from 'node:assert/strict';
import { linkColumn, recordFields } from '../../store/inventory/columns.ts';
import type { Kind } from '../../wire/kinds/define.ts';
import { kinds } from '../../wire/kinds/index.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { freshDatabase } from '../support/postgres.ts';

/** information_schema spells types in words, and arrays by their element. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  'timestamp with time zone': 'timestamptz',
  _text: 'text[]',
};

/** Columns of every k8s_ table that no record has. */
const OWN_COLUMNS = ['id', 'cluster_id', 'content_hash', 'synced_at'];
const FACT_COLUMNS = ['spec_facts', 'spec_facts_hash', 'spec_facts_at', 'spec_references'];

interface Column {
  readonly column: string;
  readonly type: string;
  readonly nullable: boolean;
}

describe('the kind table and the migrations', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  const columnsOf = async (table: string): Promise<Column[]> => {
    const { rows } = await database.pool.query<{ name: string; type: string; udt: string; nullable: string }>(
      `select column_name as name, data_type as type, udt_name as udt, is_nullable as nullable
       from information_schema.columns where table_schema = 'public' and table_name = $1`,
      [table],
    );
    return rows.map(({ name, type, udt, nullable }) => ({
      column: name,
      type: TYPE_NAMES[type === 'ARRAY' ? udt : type] ?? type,
      nullable: nullable === 'YES',
    }));
  };

  const byName = (a: Column, b: Column) => (a.column < b.column ? -1 : 1);

  for (const kind of kinds as readonly Kind[]) {
    it(`agree on every column of ${kind.table}, its type and whether it may be null (SC-16)`, async () => {
      const stored = await columnsOf(kind.table);
      const ours = new Set([...OWN_COLUMNS, ...FACT_COLUMNS, linkColumn(kind)]);
      const described = recordFields(kind).map(([column, field]) => ({
        column,
        type: field.column,
        nullable: field.nullable,
      }));
      deepEqual(stored.filter(({ column }) => !ours.has(column)).sort(byName), described.sort(byName));
    });

    it(`give ${kind.table} its own columns, unique keys inside a cluster, and let it go with its cluster`, async () => {
      const names = new Set((await columnsOf(kind.table)).map(({ column }) => column));
      for (const column of [...OWN_COLUMNS, linkColumn(kind) ?? 'id']) ok(names.has(column), column);
      const { rows } = await database.pool.query<{ definition: string }>(
        `select pg_get_constraintdef(oid) as definition from pg_constraint where conrelid = $1::regclass`,
        [kind.table],
      );
      const definitions = rows.map(({ definition }) => definition);
      const unique = `UNIQUE (cluster_id, ${kind.key.join(', ')})`;
      ok(
        definitions.some((one) => one.replace(/ INCLUDE .*/, '') === unique),
        definitions.join('\n'),
      );
      ok(definitions.includes('FOREIGN KEY (cluster_id) REFERENCES clusters(id) ON DELETE CASCADE'));
    });
  }

  it('keep what the query over all stored rows takes for granted', () => {
    for (const kind of kinds as readonly Kind[]) {
      ok(kind.key.length <= 3, kind.name);
      deepEqual('kind' in kind.fields, typeof kind.coverage !== 'string', kind.name);
    }
  });

  it('order by bytes: every text column of a key or an order is collate "C"', async () => {
    for (const kind of kinds as readonly Kind[]) {
      const { rows } = await database.pool.query<{ name: string; collation: string | null }>(
        `select column_name as name, collation_name as collation from information_schema.columns
         where table_schema = 'public' and table_name = $1 and column_name = any ($2::text[])`,
        [kind.table, [...kind.key, ...kind.order]],
      );
      deepEqual([...new Set(rows.map((row) => row.collation))], ['C'], kind.name);
    }
  });
});
