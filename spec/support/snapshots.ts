/** Snapshots for specs: a minimal valid one, and an arbitrary built from the kind table itself. */
import fc from 'fast-check';
import type { Fields, Kind, Schema } from '../../wire/kinds/define.ts';
import { kinds } from '../../wire/kinds/index.ts';
import type { Snapshot, SnapshotBody } from '../../wire/snapshot.ts';

export const AGENT_ID = '3f8a1c52-6d0e-4b7a-9c11-0a2b3c4d5e6f';

/** A valid snapshot of an empty cluster, with parts replaced. */
export function snapshotOf(data: Partial<SnapshotBody> = {}, envelope: Partial<Snapshot> = {}): Snapshot {
  const empty = Object.fromEntries(kinds.map((kind) => [kind.name, []])) as unknown as SnapshotBody;
  return {
    type: 'kubernetes',
    schema: 1,
    agent_id: AGENT_ID,
    agent_version: '0.9.0',
    timestamp: '2026-11-30T22:00:00.123Z',
    epoch: null,
    ...envelope,
    data: {
      ...empty,
      cluster: {
        name: 'shop',
        display_name: 'Shop',
        slug: 'shop',
        uid: '11111111-2222-4333-8444-555555555555',
        version: 'v1.37.2',
        platform: null,
        distribution: null,
        api_server_url: null,
        cluster_cidr: null,
        service_cidr: null,
        dns_domain: null,
        cloud_provider: null,
        cloud_region: null,
        cloud_account_id: null,
        status: 'healthy',
        sync_interval_seconds: 300,
        excluded_namespaces: [],
      },
      ...data,
    },
  };
}

/** A record whose values have the usual prototype, as JSON gives them. */
const plainRecord = (entries: [string, fc.Arbitrary<unknown>][]): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(entries), { noNullPrototype: true });

/** Any value that a schema of the kind table admits. */
function anyOfSchema(schema: Schema): fc.Arbitrary<unknown> {
  const s = schema as {
    type?: string | string[];
    format?: string;
    minLength?: number;
    minimum?: number;
    maximum?: number;
    items?: Schema;
    properties?: Record<string, Schema>;
    additionalProperties?: Schema | false;
  };
  if (Array.isArray(s.type)) {
    return fc.oneof(...s.type.map((type) => anyOfSchema({ ...schema, type })));
  }
  switch (s.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: Math.max(s.minimum ?? 0, -1000), max: Math.min(s.maximum ?? 1000, 2 ** 40) });
    case 'array':
      return fc.array(anyOfSchema(s.items ?? {}), { maxLength: 3 });
    case 'string':
      return s.format === 'date-time'
        ? anyTime
        : fc.string({ minLength: s.minLength ?? 0, maxLength: 12, unit: 'grapheme' });
    default:
      return s.properties === undefined
        ? fc.dictionary(anyKey, anyOfSchema(s.additionalProperties || {}), {
            maxKeys: 3,
            noNullPrototype: true,
          })
        : plainRecord(Object.entries(s.properties).map(([key, p]) => [key, anyOfSchema(p)]));
  }
}

const anyTime = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
// `__proto__` as a key is lost by JSON.parse consumers that assign; label keys never are.
const anyKey = fc.stringMatching(/^[a-z][a-z0-9./-]{0,8}$/);

const anyRecord = (fields: Fields): fc.Arbitrary<Record<string, unknown>> =>
  plainRecord(Object.entries(fields).map(([key, field]) => [key, anyOfSchema(field.schema)]));

/** Records of one kind with distinct natural keys. */
export const anyRecords = (kind: Kind, maxLength: number): fc.Arbitrary<Record<string, unknown>[]> =>
  fc.uniqueArray(anyRecord(kind.fields), {
    maxLength,
    selector: (record) => kind.key.map((column) => record[column]).join('\u0000'),
  });

/** Any snapshot of at most `maxLength` records a kind. */
export const anySnapshot = (maxLength = 3): fc.Arbitrary<Snapshot> =>
  fc
    .record(Object.fromEntries(kinds.map((kind) => [kind.name, anyRecords(kind, maxLength)])))
    .map((data) => snapshotOf(data as unknown as Partial<SnapshotBody>));
