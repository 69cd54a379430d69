import { deepEqual, equal, match, ok } from 'node:assert/strict';
import fc from 'fast-check';
import type { Pql } from '../../rules/pql/parse.ts';
import { mintScopeFilter } from '../../store/scope.ts';
import { searchFleet } from '../../store/search.ts';
import { kinds } from '../../wire/kinds/index.ts';
import { anyPql } from '../support/anyPql.ts';
import type { BackendUnderTest, PlaceIds } from './backendUnderTest.ts';
import { startBackend } from './backendUnderTest.ts';

interface Container {
  readonly name: string;
  readonly image: string;
  readonly env_names: string[];
  readonly env_from: string[];
  readonly volume_refs: string[];
}

interface Placed {
  readonly cluster: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly helm_release: string | null;
  readonly replicas: number;
  readonly containers: readonly Container[];
  /** False for a workload whose facts are unknown. */
  readonly facts: boolean;
}

const NAMES = ['api', 'api_1', 'a%i', 'A*I', 'back\\slash', 'quote"s'];
const IMAGES = ['nginx:1.25', 'registry.example/nginx:1.25.3', 'redis:7', 'a_b:1', 'a%b:1'];
const REFS = [
  'configmap:app',
  'configmap:app#APP_',
  'configmap:other',
  'secret:app',
  'pvc:data',
  'pvc-template:data',
];

/** What a query means, in plain JavaScript. */
function holds(pql: Pql, row: Placed, clusterName: string): boolean {
  switch (pql.kind) {
    case 'and':
      return pql.parts.every((part) => holds(part, row, clusterName));
    case 'or':
      return pql.parts.some((part) => holds(part, row, clusterName));
    case 'not':
      return !holds(pql.part, row, clusterName);
    case 'number': {
      const { operator, value } = pql;
      const replicas = row.replicas;
      return {
        '=': replicas === value,
        '!=': replicas !== value,
        '<': replicas < value,
        '<=': replicas <= value,
        '>': replicas > value,
        '>=': replicas >= value,
      }[operator];
    }
    case 'text': {
      const pieces = pql.value.split('*');
      const matches = (text: string): boolean =>
        pql.operator.endsWith('~') ? globs(pieces, text) : text === pql.value;
      const any = valuesOf(pql.field, row, clusterName).some(matches);
      return pql.operator.startsWith('!') ? !any : any;
    }
  }
}

/** The pieces in this order, the first at the start and the last at the end. */
function globs([first = '', ...rest]: readonly string[], text: string): boolean {
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - at >= last.length && text.endsWith(last);
}

function valuesOf(field: string, row: Placed, clusterName: string): string[] {
  const known = row.facts ? row.containers : [];
  const referred = (...kindsOfRef: string[]) =>
    known
      .flatMap(({ env_from, volume_refs }) => [...env_from, ...volume_refs])
      .filter((reference) => kindsOfRef.includes(reference.slice(0, reference.indexOf(':'))))
      .map((reference) => reference.slice(reference.indexOf(':') + 1).split('#', 1)[0] ?? '');
  switch (field) {
    case 'cluster.name':
      return [clusterName];
    case 'workload.kind':
      return [row.kind];
    case 'workload.namespace':
      return [row.namespace];
    case 'workload.name':
      return [row.name];
    case 'workload.helm_release':
      return [row.helm_release ?? ''];
    case 'workload.image':
      return row.containers.map(({ image }) => image);
    case 'workload.env':
      return known.flatMap(({ env_names }) => env_names);
    case 'workload.configmap':
      return referred('configmap');
    case 'workload.secret':
      return referred('secret');
    default:
      return referred('pvc', 'pvc-template');
  }
}

const anyContainer: fc.Arbitrary<Container> = fc.record({
  name: fc.constantFrom('app', 'side'),
  image: fc.constantFrom(...IMAGES),
  env_names: fc.uniqueArray(fc.constantFrom('PORT', 'HOST', 'A_B')),
  env_from: fc.uniqueArray(fc.constantFrom(...REFS.slice(0, 4))),
  volume_refs: fc.uniqueArray(fc.constantFrom(...REFS.filter((reference) => !reference.includes('#')))),
});

const anyQuery = anyPql({
  textFields: [
    'cluster.name',
    'workload.kind',
    'workload.namespace',
    'workload.name',
    'workload.helm_release',
    'workload.image',
    'workload.env',
    'workload.configmap',
    'workload.secret',
    'workload.pvc',
  ],
  text: fc.oneof(
    fc.constantFrom(
      ...['', '*', '**', 'a*', '*nginx:1.25*', '*1', 'app', 'data', 'PORT', 'one'],
      ...NAMES,
      ...IMAGES,
    ),
    fc
      .array(fc.constantFrom('a', '*', '_', '%', '\\', ':', '1', 'p'), { maxLength: 5 })
      .map((all) => all.join('')),
  ),
  numberFields: ['workload.replicas'],
  number: fc.nat(4),
  maxDepth: 3,
});

describe('search over the fleet', () => {
  let backend: BackendUnderTest;
  let home: PlaceIds;
  let token: string;
  let stranger: string;
  const clusters = new Map<string, string>();
  let placed: Placed[];

  before(async () => {
    backend = await startBackend();
    for (const slug of ['one', 'two']) clusters.set(slug, await backend.cluster({ slug }));
    clusters.set('foreign', await backend.cluster({ client: 'globex', slug: 'foreign' }));
    home = await backend.place('acme', 'prod');
    token = await backend.tokenFor({ role: 'viewer', ...home });
    stranger = await backend.tokenFor({ role: 'viewer', ...(await backend.place('globex', 'prod')) });
    for (const kind of kinds) await backend.pool.query(`delete from ${kind.table}`);
    const containersOf = fc.sample(fc.array(anyContainer, { maxLength: 3 }), { seed: 7, numRuns: 60 });
    placed = containersOf.map((containers, i) => ({
      cluster: ['one', 'two', 'foreign'][i % 3] ?? '',
      kind: i % 2 === 0 ? 'Deployment' : 'StatefulSet',
      namespace: i % 5 === 0 ? 'shop' : 'default',
      name: `${NAMES[i % NAMES.length]}${i % 7 === 0 ? '' : `-${i}`}`,
      helm_release: i % 4 === 0 ? null : `release-${i % 3}`,
      replicas: i % 5,
      containers,
      facts: i % 6 !== 0,
    }));
    placed = [
      ...new Map(
        placed.map((row) => [`${row.cluster} ${row.kind} ${row.namespace} ${row.name}`, row]),
      ).values(),
    ];
    for (const row of placed) await store(row);
  });
  after(() => backend.stop());

  const store = (row: Placed) =>
    backend.pool.query(
      `insert into k8s_workloads (cluster_id, kind, namespace, name, uid, replicas_desired, replicas_ready,
         replicas_available, helm_release, containers, spec_facts)
       values ($1, $2, $3, $4, gen_random_uuid()::text, $5, 0, 0, $6, $7, $8)`,
      [
        clusters.get(row.cluster),
        row.kind,
        row.namespace,
        row.name,
        row.replicas,
        row.helm_release,
        JSON.stringify(
          row.containers.map(({ name, image }) => ({
            name,
            image,
            role: 'main',
            requests: {},
            limits: {},
            ports: [],
          })),
        ),
        row.facts ? JSON.stringify({ facts_version: 1, containers: row.containers }) : null,
      ],
    );

  const search = (path: string, pql: string, caller = token) =>
    backend.ask(`/api/v1/search/${path}?per_page=100&pql=${encodeURIComponent(pql)}`, { token: caller });
  const keyOf = (row: Readonly<Record<string, unknown>>, cluster = row.cluster_name): string =>
    `${cluster} ${row.namespace} ${row.kind} ${row.name}`;

  it('finds what a plain reading of the query finds, in every cluster of the scope', async () => {
    const scope = mintScopeFilter({
      everything: false,
      clientIds: [],
      environmentIds: [home.environment_id],
    });
    await fc.assert(
      fc.asyncProperty(anyQuery, async (pql) => {
        const { rows, total } = await searchFleet(backend.pool, scope, 'workloads', pql, {
          page: 1,
          perPage: 100,
        });
        const expected = placed
          .filter((row) => row.cluster !== 'foreign' && holds(pql, row, row.cluster))
          .map((row) => keyOf({ ...row }, row.cluster));
        deepEqual(rows.map((row) => keyOf(row)).sort(), expected.sort());
        equal(total, expected.length);
      }),
      { numRuns: 300 },
    );
  });

  it('answers who runs an image, who reads a Secret and who has a variable, with the cluster and its age', async () => {
    const image = await search('workloads', 'workload.image ~ "*nginx:1.25*" AND cluster.name = "one"');
    ok(image.json.data.length > 0);
    for (const row of image.json.data) {
      equal(row.cluster_name, 'one');
      equal(row.cluster_id, clusters.get('one'));
      match(String(row.as_of), /^2026-11-30T/);
      ok((row.containers as unknown as Container[]).some((one) => one.image.includes('nginx:1.25')));
    }
    for (const pql of ['workload.secret = "app"', 'workload.env = "PORT"', 'workload.pvc = "data"']) {
      ok((await search('workloads', pql)).json.data.length > 0, pql);
    }
  });

  it('finds pods by phase, restarts and image', async () => {
    await backend.pool.query(
      `insert into k8s_pods (cluster_id, namespace, name, uid, phase, containers_total, containers_ready, restart_count, containers)
       values ($1, 'shop', 'crashing', 'u1', 'Running', 1, 0, 12, '[{"image": "redis:7"}]'),
              ($1, 'shop', 'calm', 'u2', 'Running', 1, 1, 0, '[{"image": "redis:7"}]')`,
      [clusters.get('one')],
    );
    const { rows } = await searchFleet(
      backend.pool,
      mintScopeFilter({ everything: true, clientIds: [], environmentIds: [] }),
      'pods',
      {
        kind: 'and',
        parts: [
          { kind: 'number', field: 'pod.restarts', operator: '>', value: 5 },
          { kind: 'text', field: 'pod.image', operator: '~', value: 'redis*' },
        ],
      },
      { page: 1, perPage: 10 },
    );
    deepEqual(
      rows.map((row) => row.name),
      ['crashing'],
    );
    await backend.pool.query('delete from k8s_pods');
  });

  it('adds the scope to every query: whatever is asked, nothing of another client comes', async () => {
    for (const pql of [
      'workload.name ~ "*"',
      'NOT workload.name = "x"',
      'cluster.name = "foreign" OR workload.name ~ "*"',
    ]) {
      const mine = (await search('workloads', pql)).json.data;
      ok(mine.length > 0);
      ok(
        mine.every((row) => row.cluster_name !== 'foreign'),
        pql,
      );
      const theirs = (await search('workloads', pql, stranger)).json.data;
      ok(theirs.length > 0 && theirs.every((row) => row.cluster_name === 'foreign'), pql);
    }
  });

  it('says where a query is wrong, and that one is missing', async () => {
    const wrong = await search('workloads', 'workload.name = api');
    deepEqual(
      [wrong.status, wrong.json.error.code, wrong.json.error.details],
      [400, 'invalid_param', { parameter: 'pql', position: 17 }],
    );
    equal((await search('workloads', 'pod.name = "x"')).status, 400);
    equal((await backend.ask('/api/v1/search/pods', { token })).json.error.message, 'pql is missing');
    equal((await search('workloads', '')).status, 400);
  });

  it('pages without meeting an object twice', async () => {
    const seen: string[] = [];
    for (let page = 1; page <= 20; page += 1) {
      const path = `/api/v1/search/workloads?per_page=5&page=${page}&pql=${encodeURIComponent('workload.name ~ "*"')}`;
      seen.push(...(await backend.ask(path, { token })).json.data.map((row) => keyOf(row)));
    }
    equal(new Set(seen).size, seen.length);
    equal(seen.length, placed.filter((row) => row.cluster !== 'foreign').length);
  });
});

describe('search for hosts (PQ)', () => {
  let backend: BackendUnderTest;
  let token: string;
  const hosts = new Map<string, string>();

  before(async () => {
    backend = await startBackend();
    const home = await backend.place('acme', 'prod');
    const elsewhere = await backend.place('acme', 'elsewhere');
    token = await backend.tokenFor({ role: 'viewer' });
    const clusters = [
      await backend.cluster({ slug: 'k8s-prod-01' }),
      await backend.cluster({ slug: 'k8s-prod-02' }),
    ];
    await backend.pool.query('delete from k8s_nodes');
    await backend.pool.query("update clusters set version = 'v1.29.3', platform = 'rke2' where id = $1", [
      clusters[0],
    ]);
    await backend.pool.query(
      "update clusters set version = 'v1.30.0', platform = 'eks', status = 'degraded' where id = $1",
      [clusters[1]],
    );
    for (const [hostname, os, place] of [
      ['linked-ubuntu', 'Ubuntu', home],
      ['linked-twice', 'Ubuntu', home],
      ['linked-rocky', 'Rocky', home],
      ['bare', 'Ubuntu', home],
      ['moved', 'Ubuntu', elsewhere],
    ] as const) {
      const { rows } = await backend.pool.query<{ id: string }>(
        'insert into hosts (client_id, environment_id, hostname, os, ip_address) values ($1, $2, $3, $4, null) returning id',
        [place.client_id, place.environment_id, hostname, os],
      );
      hosts.set(hostname, rows[0]?.id ?? '');
    }
    for (const [cluster, name, host] of [
      [clusters[0], 'n1', 'linked-ubuntu'],
      [clusters[0], 'n2', 'linked-twice'],
      [clusters[0], 'n3', 'linked-twice'],
      [clusters[1], 'n4', 'linked-twice'],
      [clusters[1], 'n5', 'linked-rocky'],
      [clusters[0], 'n6', 'moved'],
      [clusters[0], 'n7', null],
    ] as const) {
      await backend.pool.query(
        `insert into k8s_nodes (cluster_id, name, uid, status, unschedulable, host_id) values ($1, $2, $2, 'Ready', false, $3)`,
        [cluster, name, host === null ? null : hosts.get(host)],
      );
    }
  });
  after(() => backend.stop());

  const find = async (pql: string): Promise<unknown[]> => {
    const { status, json } = await backend.ask(`/api/v1/hosts?pql=${encodeURIComponent(pql)}`, { token });
    equal(status, 200, JSON.stringify(json));
    equal(json.meta.total, json.data.length);
    return json.data.map((row) => row.hostname);
  };

  it('finds the nodes of a cluster by its name, each host once (PQ-01, PQ-02, PQ-06)', async () => {
    deepEqual(await find('cluster.name = "k8s-prod-01"'), ['linked-twice', 'linked-ubuntu']);
    deepEqual(await find('cluster.name ~ "*"'), ['linked-rocky', 'linked-twice', 'linked-ubuntu']);
  });

  it('matches a version by pattern, a platform and a status (PQ-03 to PQ-05)', async () => {
    deepEqual(await find('cluster.version ~ "v1.29*"'), ['linked-twice', 'linked-ubuntu']);
    deepEqual(await find('cluster.platform = "eks"'), ['linked-rocky', 'linked-twice']);
    deepEqual(await find('cluster.status = "healthy"'), ['linked-twice', 'linked-ubuntu']);
  });

  it('combines with what the host itself is (PQ-06)', async () => {
    deepEqual(await find('cluster.name = "k8s-prod-02" AND host.os = "Ubuntu"'), ['linked-twice']);
    deepEqual(await find('host.os = "Ubuntu"'), ['bare', 'linked-twice', 'linked-ubuntu', 'moved']);
  });

  it('never finds an unlinked host or one that moved on by its cluster, not by a negation either (PQ-01, LK-06)', async () => {
    deepEqual(await find('cluster.name != "k8s-prod-01"'), ['linked-rocky', 'linked-twice']);
    deepEqual(await find('NOT cluster.name = "nothing"'), ['linked-rocky', 'linked-twice', 'linked-ubuntu']);
  });

  it('asks for one cluster, not for parts of several', async () => {
    deepEqual(await find('cluster.platform = "rke2" AND cluster.version ~ "v1.30*"'), []);
  });

  it('keeps to the scope of the caller', async () => {
    const elsewhere = await backend.place('acme', 'elsewhere');
    const caller = await backend.tokenFor({ role: 'viewer', ...elsewhere });
    const answer = await backend.ask(`/api/v1/hosts?pql=${encodeURIComponent('host.os = "Ubuntu"')}`, {
      token: caller,
    });
    deepEqual(
      answer.json.data.map((row) => row.hostname),
      ['moved'],
    );
  });
});
