import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import fc from 'fast-check';
import { syncCluster } from '../../actors/syncCluster.ts';
import { readCursor } from '../../rules/query/list.ts';
import type { ListRequest } from '../../store/inventory/listSql.ts';
import { filterColumns, selectWindow } from '../../store/inventory/listSql.ts';
import { listAll, listWindow } from '../../store/inventory/read.ts';
import type { ClusterInScope } from '../../store/scope.ts';
import { mintClusterInScope } from '../../store/scope.ts';
import type { Kind } from '../../wire/kinds/define.ts';
import { kinds, pods, services } from '../../wire/kinds/index.ts';
import type { SnapshotBody } from '../../wire/snapshot.ts';
import { enrollAgent, snapshotOf as enrolledSnapshot } from '../support/enrolled.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { freshDatabase } from '../support/postgres.ts';
import { anyRecords } from '../support/snapshots.ts';

type Row = Readonly<Record<string, unknown>>;

const SEED = 20261201;
const ROWS = 90;
const NAMESPACES = ['a', 'shop', 'shop-2', 'Z_odd', '100%'];
const ADDRESSES = [
  '10.0.0.2',
  '10.0.0.10',
  '9.255.0.1',
  '256.1.1.1',
  '010.0.0.1',
  'None',
  'fd00::1',
  '',
  null,
];

const searchable = kinds.filter((kind) => Object.keys(kind.sortKeys).length > 0) as Kind[];

const all: ListRequest = {
  filters: {},
  labels: null,
  search: null,
  sort: null,
  window: { page: 1, perPage: 100 },
};

/** Records that tie, lack values and hold the characters of patterns. */
function recordsOf(kind: Kind): Record<string, unknown>[] {
  const [records = []] = fc
    .sample(anyRecords(kind, ROWS), { seed: SEED, numRuns: 40 })
    .sort((a, b) => b.length - a.length);
  return Array.from({ length: ROWS }, (_, i) => {
    const base = { ...records[i % records.length], uid: `uid-${i}` };
    const other = records[(i * 7) % records.length] as Row;
    const tied = Object.fromEntries(
      Object.values(kind.sortKeys)
        .flatMap(({ columns }) => columns)
        .map((column) => [column, i % 3 === 0 && kind.fields[column]?.nullable ? null : other[column]]),
    );
    const name = `${i % 4 === 0 ? 'API_' : 'api-'}${i % 5 === 0 ? '50%' : ''}${i}`;
    const address = 'cluster_ip' in kind.fields ? { cluster_ip: ADDRESSES[i % ADDRESSES.length] } : {};
    return { ...base, ...tied, ...address, name, namespace: NAMESPACES[i % NAMESPACES.length] };
  });
}

const bytes = (a: unknown, b: unknown): number =>
  Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
const isIpv4 = (text: string): boolean =>
  /^\d+(\.\d+){3}$/.test(text) &&
  text.split('.').every((part) => Number(part) < 256 && String(Number(part)) === part);
const ipv4Number = (text: string): number =>
  text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

function compare(kind: Kind, as: string, column: string, a: unknown, b: unknown): number {
  if (as === 'address') {
    const [left, right] = [String(a), String(b)];
    if (isIpv4(left) !== isIpv4(right)) return isIpv4(left) ? -1 : 1;
    return isIpv4(left) ? ipv4Number(left) - ipv4Number(right) : bytes(left, right);
  }
  if (as === 'age') return Date.parse(String(b)) - Date.parse(String(a));
  return kind.fields[column]?.column === 'text' ? bytes(a, b) : Number(a) - Number(b);
}

/** The order that AP-23 to AP-31 ask for, in plain JavaScript. */
function reference(kind: Kind, rows: readonly Row[], key: string, descending: boolean): Row[] {
  const { columns, as } = kind.sortKeys[key] ?? { columns: [], as: 'value' };
  const sortValue = (row: Row) =>
    columns.map((column) => row[column]).find((value) => value !== null) ?? null;
  return [...rows].sort((a, b) => {
    const [left, right] = [sortValue(a), sortValue(b)];
    if (left === null || right === null) {
      if (left !== right) return left === null ? 1 : -1;
    } else {
      const order = compare(kind, as, columns[0] ?? '', left, right);
      if (order !== 0) return descending ? -order : order;
    }
    return bytes(a.namespace, b.namespace) || bytes(a.name, b.name) || bytes(a.id, b.id);
  });
}

const ids = (rows: readonly Row[]): unknown[] => rows.map((row) => row.id);

describe('lists of the store', () => {
  let database: FreshDatabase;
  let cluster: ClusterInScope;
  const rowsOf = new Map<string, Row[]>();

  before(async () => {
    database = await freshDatabase();
    const agent = await enrollAgent(database.pool, { slug: 'lists' });
    const sent = enrolledSnapshot(agent, 0, { pods: 1, events: 1 });
    const data = Object.fromEntries(searchable.map((kind) => [kind.name, recordsOf(kind)]));
    const snapshot = { ...sent, data: { ...sent.data, ...data } as SnapshotBody };
    const outcome = await syncCluster(
      database.pool,
      { agent, snapshot, folded: 0, publishedAt: new Date() },
      { now: () => new Date(), timeoutMs: 30_000 },
    );
    ok(outcome.outcome === 'stored', JSON.stringify(outcome));
    const { client_id, environment_id } = agent;
    cluster = mintClusterInScope({ id: outcome.clusterId, client_id, environment_id });
    for (const kind of searchable) rowsOf.set(kind.name, await listAll(database.pool, cluster, kind));
  });
  after(() => database.drop());

  const windowOf = (kind: Kind, request: Partial<ListRequest>) =>
    listWindow(database.pool, cluster, kind, { ...all, ...request });

  for (const kind of searchable) {
    const rows = (): Row[] => rowsOf.get(kind.name) ?? [];

    for (const key of Object.keys(kind.sortKeys)) {
      it(`orders ${kind.path} by ${key} as the reference does, both ways, nulls last (AP-23 to AP-34)`, async () => {
        equal(rows().length, ROWS);
        for (const descending of [false, true]) {
          const found = await windowOf(kind, { sort: { key, descending } });
          deepEqual(ids(found.rows), ids(reference(kind, rows(), key, descending)));
          equal(found.nextCursor, null);
        }
      });
    }

    it(`searches ${kind.path} by a literal part of name or namespace (AP-21, AP-37)`, async () => {
      for (const search of ['%', '_', 'API', 'shop', '0%', '\\', 'nothing like it', '-1']) {
        const part = search.toLowerCase();
        const expected = rows().filter((row) =>
          [row.name, row.namespace].some((text) => String(text).toLowerCase().includes(part)),
        );
        const found = await windowOf(kind, { search });
        deepEqual(ids(found.rows), ids(expected), search);
        equal(found.total, expected.length);
        for (const column of filterColumns(kind)) {
          const value = String(rows()[7]?.[column]);
          const narrowed = await windowOf(kind, { search, filters: { [column]: value } });
          deepEqual(ids(narrowed.rows), ids(expected.filter((row) => row[column] === value)), column);
        }
      }
    });

    it(`meets each row of ${kind.path} once over pages of seven and over cursors (AP-25)`, async () => {
      const key = Object.keys(kind.sortKeys)[3] ?? 'age';
      const paged: unknown[] = [];
      for (let page = 1; page <= Math.ceil(ROWS / 7); page += 1) {
        const found = await windowOf(kind, { sort: { key, descending: true }, window: { page, perPage: 7 } });
        equal(found.total, ROWS);
        paged.push(...ids(found.rows));
      }
      deepEqual(paged, ids(reference(kind, rows(), key, true)));

      const followed: unknown[] = [];
      let window: ListRequest['window'] = { page: 1, perPage: 7 };
      for (;;) {
        const found = await windowOf(kind, { window });
        equal(found.total, ROWS);
        followed.push(...ids(found.rows));
        if (found.nextCursor === null) break;
        const place = readCursor(kind, found.nextCursor);
        ok(place.ok);
        window = { after: place.value, perPage: 7 };
      }
      deepEqual(followed, ids(rows()));
    });
  }

  it('keeps a cursor in its place while rows before it come and go', async () => {
    const [first] = (await windowOf(pods, { window: { page: 1, perPage: 10 } })).rows;
    const { nextCursor } = await windowOf(pods, { window: { page: 1, perPage: 10 } });
    const place = readCursor(pods, nextCursor ?? '');
    ok(place.ok);
    const window = { after: place.value, perPage: 10 };
    const before = ids((await windowOf(pods, { window })).rows);
    await database.pool.query('delete from k8s_pods where id = $1', [first?.id]);
    deepEqual(ids((await windowOf(pods, { window })).rows), before);
  });

  it('finds objects by labels that they all have (U-35)', async () => {
    const rows = rowsOf.get('services') ?? [];
    const labelled = rows.find((row) => Object.keys(row.labels as object).length > 1);
    const labels = labelled?.labels as Record<string, string>;
    const found = await windowOf(services, { labels });
    const has = (row: Row) =>
      Object.entries(labels).every(([key, value]) => (row.labels as Record<string, string>)[key] === value);
    deepEqual(ids(found.rows), ids(rows.filter(has)));
    ok(found.rows.length > 0 && found.rows.length < rows.length);
  });

  it('refuses a sort key and a filter that the kind does not have, whoever let them through (AP-36)', () => {
    const text = (request: Partial<ListRequest>) => selectWindow(pods, cluster.id, { ...all, ...request });
    for (const key of ['helm', 'name;drop table k8s_pods', 'constructor', '']) {
      throws(() => text({ sort: { key, descending: false } }), RangeError);
    }
    throws(() => text({ filters: { uid: 'x' } }), RangeError);
  });
});
