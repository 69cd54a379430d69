/** Requests for the fuzz of the routes: from a route's own parameters and schema, with good, boundary and hostile values. */

import type { Seeded } from '../../bench/seeded.ts';
import type { Route } from '../../http/route.ts';
import type { Schema } from '../../wire/kinds/define.ts';

/** What a request may name. */
export interface FuzzWorld {
  /** Ids by the parameter of a path that they fit; `any` fits all of them a little. */
  readonly ids: ReadonlyMap<string, readonly string[]>;
  readonly cursors: readonly string[];
  /** Texts that the rows of somebody else hold a part of. */
  readonly foreignTexts: readonly string[];
  /** An empty one stands for a request without a token. */
  readonly tokens: readonly string[];
}

export interface FuzzRequest {
  readonly path: string;
  readonly method: string;
  readonly token?: string;
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
}

const HOSTILE = [
  '',
  ' ',
  '0',
  '-1',
  'null',
  'undefined',
  '[object Object]',
  '__proto__',
  'constructor',
  "' or 1=1 --",
  "'; drop table clusters; --",
  '%',
  '_',
  '\\',
  '$1',
  '\u0000',
  'a\u0000b',
  '\u0007',
  '\ufffd',
  '\ud83d\ude00',
  '\u202e',
  'İ',
  'ß',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '1e309',
  '9007199254740993',
  '99999999999999999999999',
  '١',
  'x'.repeat(100),
  'x'.repeat(101),
  'é'.repeat(300),
  'x'.repeat(513),
  '"'.repeat(64),
  '('.repeat(500),
];
const NUMBERS = [
  '1',
  '2',
  '50',
  '100',
  '101',
  '1099511627776',
  '1099511627777',
  '0',
  '01',
  '+1',
  '1.5',
  '1e3',
  ' 1',
];
const TIMES = [
  '2026-11-30T12:00:00Z',
  '2026-11-30T12:00:00.123456789Z',
  '2026-11-30T12:00:00+14:00',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '9999-12-31T23:59:59-23:59',
  '2026-02-30T00:00:00Z',
  '2026-11-30T23:59:60Z',
  '2026-11-30',
];
const LABELS = ['app.kubernetes.io/name=service-1', 'a=', 'a=b,c=d', 'a=b,a=c', '=', 'a', ',', 'A/B/C=1'];
const PQL_VALUES = [
  '"*"',
  '"service-*"',
  '"%"',
  '"\\""',
  '"\\\\"',
  '""',
  '3',
  '999999999999999',
  '"a\u0000b"',
  '"*nginx:1.25*"',
  '"',
];
const WORDS = [
  'shop',
  'team-0',
  'service-1',
  'Deployment',
  'Pod',
  'Node',
  'Running',
  'Warning',
  'healthy',
  'default',
];

const chance = (random: Seeded, percent: number): boolean => random.below(100) < percent;

function pqlText(random: Seeded, fields: readonly string[], depth = 0): string {
  const comparison = () =>
    `${chance(random, 95) ? random.pick(fields) : 'no.such'} ${random.pick(['=', '!=', '~', '!~', '<', '>=', 'is'])} ` +
    random.pick(PQL_VALUES);
  if (depth > 3 || chance(random, 50)) return comparison();
  const inner = () => pqlText(random, fields, depth + 1);
  return random.pick([
    () => `${inner()} AND ${inner()}`,
    () => `${inner()} or ${inner()}`,
    () => `NOT ${inner()}`,
    () => `(${inner()})`,
    () => `(${inner()}`,
    () => `${inner()} ${inner()}`,
  ])();
}

/** The fields of PQL as the parameter's description lists them. */
const fieldsOf = (description: string): string[] =>
  (/Fields: (.*)\.$/.exec(description)?.[1] ?? '').split(', ');

function queryValue(
  random: Seeded,
  world: FuzzWorld,
  name: string,
  schema: Schema,
  description: string,
): string {
  if (chance(random, 25)) return random.pick(HOSTILE);
  if (Array.isArray(schema.enum)) return String(random.pick(schema.enum as string[]));
  if (schema.type === 'integer') return random.pick(NUMBERS);
  if (schema.format === 'uuid') return random.pick(world.ids.get('any') ?? []);
  switch (name) {
    case 'pql':
      return pqlText(random, fieldsOf(description));
    case 'cursor':
      return random.pick([...world.cursors, 'W10', 'e30', 'bnVsbA', 'WyJwb2RzIl0', '!!']);
    case 'labels':
      return random.pick(LABELS);
    case 'at':
      return random.pick(TIMES);
    default:
      return random.pick([...WORDS, ...world.foreignTexts]);
  }
}

function queryOf(random: Seeded, world: FuzzWorld, route: Route): string {
  const query = new URLSearchParams();
  for (const [name, param] of Object.entries(route.query)) {
    if (!chance(random, param.required ? 95 : 30)) continue;
    const value = () => queryValue(random, world, name, param.schema, param.description);
    query.append(name, value());
    if (chance(random, 3)) query.append(name, value());
  }
  if (chance(random, 15))
    query.append(random.pick(['unknown', '__proto__', 'limit', '']), random.pick(HOSTILE));
  let text = query.toString();
  if (chance(random, 5)) text += random.pick(['&', '&&=', '%', '&%zz=1', '&q=%ff%fe', '?', '&page', '+']);
  return text === '' ? '' : `?${text}`;
}

/** A value that a schema takes; formats and patterns come from what this API knows of them. */
function sampleOf(random: Seeded, world: FuzzWorld, schema: Schema): unknown {
  if (Array.isArray(schema.anyOf)) return sampleOf(random, world, random.pick(schema.anyOf as Schema[]));
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return random.pick(schema.enum as unknown[]);
  switch (schema.type) {
    case 'null':
      return null;
    case 'integer': {
      const { minimum = 0, maximum = 10 } = schema as { minimum?: number; maximum?: number };
      return random.pick([minimum, maximum, minimum - 1, maximum + 1, minimum + 1]);
    }
    case 'object': {
      const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
      const required = (schema.required ?? []) as string[];
      const given = properties.filter(([name]) => required.includes(name) || chance(random, 50));
      return Object.fromEntries(given.map(([name, property]) => [name, sampleOf(random, world, property)]));
    }
    default:
      return textOf(random, world, schema);
  }
}

function textOf(random: Seeded, world: FuzzWorld, schema: Schema): string {
  if (schema.format === 'uuid') return random.pick(world.ids.get('any') ?? []);
  if (schema.format === 'date-time') return random.pick(TIMES);
  const pattern = String(schema.pattern ?? '');
  if (pattern.startsWith('^U')) return `U${'A'.repeat(55)}`;
  if (pattern.includes('@')) return `${random.hex(6)}@example.com`;
  const length = Math.min(Number(schema.maxLength ?? 40), 400);
  return random.pick([random.hex(6), 'a', 'x'.repeat(length), 'x'.repeat(length + 1), random.pick(WORDS)]);
}

const WRONG = [null, true, 0, -1, 1.5, 1e300, [], {}, [[[]]], { a: { b: 1 } }] as const;

/** The body as text: as the schema has it, or broken in one place, or no JSON at all. */
function bodyOf(random: Seeded, world: FuzzWorld, schema: Schema): string {
  const good = sampleOf(random, world, schema);
  if (chance(random, 40) || typeof good !== 'object' || good === null) return JSON.stringify(good);
  const names = Object.keys((schema.properties ?? {}) as object);
  const name = random.pick(['__proto__', 'id', 'client_id', ...names]);
  return random.pick<() => string>([
    () => JSON.stringify({ ...good, [name]: random.pick(HOSTILE) }),
    () => JSON.stringify({ ...good, [name]: random.pick(WRONG) }),
    () => JSON.stringify(Object.fromEntries(Object.entries(good).filter(([key]) => key !== name))),
    () => `{"__proto__": {"role": "super_admin"}, ${JSON.stringify(good).slice(1)}`,
    () => JSON.stringify(good).slice(0, -1),
    () => JSON.stringify([good]),
    () => '['.repeat(2000),
    () => random.pick(['', 'null', '1', '"text"', '\u0000', '{"name": "\\ud800"}', '{"name": "\\u0000"}']),
    () => JSON.stringify({ ...good, padding: 'x'.repeat(300_000) }),
  ])();
}

const HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'accept-encoding': 'gzip;q=0, *' },
  { 'accept-encoding': 'br' },
  { 'if-none-match': 'W/"abc", *' },
  { 'x-request-id': 'x'.repeat(300) },
  { 'x-forwarded-proto': 'https' },
  { cookie: 'proxima_session=nonsense; proxima_session=twice' },
  { cookie: 'proxima_session=%00' },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'unknown' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { authorization: 'Bearer' },
  { authorization: 'Basic OjoA' },
  { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' },
];

function pathOf(random: Seeded, world: FuzzWorld, route: Route): string {
  return route.path.replace(/:(\w+)/g, (_, name: string) => {
    const fitting = world.ids.get(`${route.path.split('/')[3]}.${name}`) ?? world.ids.get(name);
    if (fitting !== undefined && chance(random, 80)) return random.pick(fitting);
    if (chance(random, 50)) return random.pick(world.ids.get('any') ?? []);
    if (chance(random, 10)) return random.pick(['%E0%A4%A', '%', '%00', '%2e%2e%2f', ';', '*']);
    const hostile = random.pick(HOSTILE.filter((text) => text.trim() !== ''));
    return encodeURIComponent(hostile);
  });
}

/** The next request for this route. */
export function fuzzRequest(random: Seeded, world: FuzzWorld, route: Route): FuzzRequest {
  const token = random.pick(world.tokens);
  const body = route.bodySchema === null ? null : bodyOf(random, world, route.bodySchema);
  return {
    path: pathOf(random, world, route) + queryOf(random, world, route),
    method: route.method,
    headers: chance(random, 20) ? random.pick(HEADERS) : {},
    ...(token === '' ? {} : { token }),
    ...(body === null ? {} : { body }),
  };
}
