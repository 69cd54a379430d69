import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { createActor } from 'xstate';
import { createInspector } from '../../actors/inspector.ts';
import type { LiveReads } from '../../actors/liveReads.ts';
import { createOidcVerifier } from '../../http/oidc.ts';
import type { Route } from '../../http/route.ts';
import { routes } from '../../http/routes/index.ts';
import { clusterMachine } from '../../machines/cluster.ts';
import { createCaller, createToken } from '../../store/callers.ts';
import { createGrant } from '../../store/grants.ts';
import { createHost } from '../../store/hosts.ts';
import { createIdentity } from '../../store/identities.ts';
import { createInstallToken } from '../../store/installTokens.ts';
import { keepRejected } from '../../store/rejected.ts';
import { compileSchema } from '../../wire/validate.ts';
import { enrollAgent } from '../support/enrolled.ts';
import type { Answered, BackendUnderTest, PlaceIds } from './backendUnderTest.ts';
import { startBackend } from './backendUnderTest.ts';

const CALLERS = [
  'none',
  'no grant',
  'sibling environment',
  'other client',
  'environment grant',
  'client grant',
] as const;
type CallerName = (typeof CALLERS)[number];

/** What the six callers get, in their order; 2 stands for the route's own success. */
const EXPECTED: Readonly<Record<'cluster' | 'system' | 'list' | 'client' | 'object', readonly number[]>> = {
  cluster: [401, 403, 404, 404, 2, 2],
  system: [401, 403, 403, 403, 403, 403],
  list: [401, 403, 2, 2, 2, 2],
  // Whoever may see an environment of the client sees that much of it (AU-03, AU-04).
  client: [401, 403, 2, 404, 2, 2],
  object: [401, 403, 404, 404, 2, 2],
};

const OPEN = [
  'POST /api/v1/agents/enroll',
  'POST /api/v1/agents/:id/renew',
  'GET /',
  'GET /debug/assets/:version/:file',
  'GET /login',
  'POST /login',
  'POST /logout',
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
  'GET /api/openapi.json',
  'GET /api/docs',
  'GET /api/docs/assets/:version/:file',
];

/** Routes that answer no JSON: pages, files, streams. */
const BARE = [
  'GET /',
  'GET /login',
  'GET /debug/actors',
  'GET /debug/assets/:version/:file',
  'GET /debug/actors/stream',
  'GET /debug/machine.mmd',
  'GET /metrics',
  'GET /api/docs',
  'GET /api/docs/assets/:version/:file',
];

/** What a parameter that has to be there may hold. */
const QUERY: Readonly<Record<string, string>> = {
  pql: 'cluster.name ~ "*"',
  kind: 'Node',
  name: 'some',
  namespace: 'shop',
  pod: 'some',
};

/** Other values where the kinds of a route are not those of most. */
const LIVE_QUERY: Readonly<Record<string, string>> = { ...QUERY, kind: 'Deployment' };

function requiredQuery(route: Route): string {
  const names = Object.entries(route.query).flatMap(([name, { required }]) => (required ? [name] : []));
  const values = route.path.includes('/live/') ? LIVE_QUERY : QUERY;
  const query = new URLSearchParams(Object.fromEntries(names.map((name) => [name, values[name] ?? ''])));
  return names.length === 0 ? '' : `?${query}`;
}

/** An answer in the shape of each live read; who asks an agent is for spec/http/live to hold. */
const liveAnswer: LiveReads['askLive'] = async (_, { op, namespace, name }) => {
  const rest = { namespace, notes: [], observed_at: '2026-12-01T05:00:00Z' };
  const object = { kind: 'Deployment', name, ...rest };
  if (op === 'manifest') return { kind: 'answered', data: { ...object, object: {} } };
  if (op === 'revisions') return { kind: 'answered', data: { ...object, revisions: [], truncated: false } };
  const log = { pod: name, container: null, previous: false, lines: [], truncated: false, timestamps: true };
  return { kind: 'answered', data: { ...log, ...rest } };
};

const nameOf = (route: Route): string => `${route.method} ${route.path}`;
const shapeOf = (route: Route): keyof typeof EXPECTED => {
  if (route.kind === 'cluster' || route.kind === 'system') return route.kind;
  if (route.path.startsWith('/api/v1/clients/')) return 'client';
  return route.path.includes(':') || route.bodySchema !== null ? 'object' : 'list';
};

describe('every route', () => {
  let backend: BackendUnderTest;
  let home: PlaceIds;
  let sibling: PlaceIds;
  let clusterId: string;
  const tokens = new Map<CallerName, string | undefined>();
  let administrator: string;
  let serial = 0;

  before(async () => {
    // Nothing is asked of the issuer here: its subjects are only registered.
    const oidc = createOidcVerifier({ issuer: 'https://issuer.example', audience: 'proxima' });
    // A stream of a process that drains ends after its first picture.
    const inspector = createInspector({ now: () => new Date() });
    createActor(clusterMachine, { inspect: inspector.watch('somewhere/home') }).start();
    inspector.close();
    backend = await startBackend({ oidc, inspector, live: { askLive: liveAnswer } });
    home = await backend.place('acme', 'prod');
    sibling = await backend.place('acme', 'staging');
    const other = await backend.place('globex', 'prod');
    clusterId = await backend.cluster({ client: 'acme', environment: 'prod', slug: 'home' });
    await backend.cluster({ client: 'acme', environment: 'staging', slug: 'sibling' });
    tokens.set('none', undefined);
    tokens.set('no grant', await backend.tokenFor());
    tokens.set('sibling environment', await backend.tokenFor({ role: 'admin', ...sibling }));
    tokens.set('other client', await backend.tokenFor({ role: 'admin', client_id: other.client_id }));
    tokens.set('environment grant', await backend.tokenFor({ role: 'admin', ...home }));
    tokens.set('client grant', await backend.tokenFor({ role: 'admin', client_id: home.client_id }));
    administrator = await backend.tokenFor({ role: 'super_admin' });
  });
  after(() => backend.stop());

  const idOf = async (table: string): Promise<string> => {
    const { rows } = await backend.pool.query<{ id: string }>(
      `select id from ${table} where cluster_id = $1`,
      [clusterId],
    );
    return rows[0]?.id ?? '';
  };

  /** An object of the home environment for the route to be about: a new one each time, as DELETE takes it away. */
  async function objectFor(route: Route): Promise<Record<string, string>> {
    serial += 1;
    const { pool } = backend;
    if (route.path.startsWith('/debug/')) return { environment: 'somewhere', slug: 'home' };
    if (route.path.startsWith('/api/v1/clients/')) return { id: home.client_id };
    if (route.path.startsWith('/api/v1/environments/')) return { envID: home.environment_id };
    if (route.path.startsWith('/api/v1/admin/clusters/')) return { id: clusterId };
    if (route.path.startsWith('/api/v1/admin/rejected/')) return { id: await rejectedMessage() };
    if (route.path.startsWith('/api/v1/clusters/')) {
      return {
        clusterID: clusterId,
        nodeID: await idOf('k8s_nodes'),
        workloadID: await idOf('k8s_workloads'),
      };
    }
    if (route.path.startsWith('/api/v1/agents/')) {
      const agent = await enrollAgent(pool, { client: 'acme', environment: 'prod', slug: `s-${serial}` });
      return { id: agent.id };
    }
    if (route.path.startsWith('/api/v1/hosts/')) {
      const host = await createHost(pool, { ...home, hostname: `h-${serial}`, ip_address: null, os: null });
      return { id: host?.id ?? '' };
    }
    if (route.path.startsWith('/api/v1/install-tokens/')) {
      const { row } = await createInstallToken(pool, {
        ...home,
        cluster_slug: null,
        max_agents: 1,
        created_by: null,
        expires_at: new Date(Date.now() + 60_000),
      });
      return { id: row.id };
    }
    const caller = await createCaller(pool, { type: 'service', name: 'object', email: null });
    const id = caller?.id ?? '';
    const token = await createToken(pool, { caller_id: id, name: 'object', expires_at: null });
    const grant = await createGrant(pool, {
      caller_id: id,
      role: 'viewer',
      client_id: null,
      environment_id: null,
    });
    const identity = { caller_id: id, issuer: 'https://issuer.example', subject: `known-${serial}` };
    const identityID = (await createIdentity(pool, identity))?.id ?? '';
    return { id, identityID, tokenID: token.row.id, grantID: grant.kind === 'created' ? grant.grant.id : '' };
  }

  async function rejectedMessage(): Promise<string> {
    const at = new Date();
    await keepRejected(backend.pool, {
      agentId: 'somebody',
      type: 'kubernetes',
      subject: 'proxima.acme.prod.somebody.kubernetes',
      reason: 'json',
      detail: null,
      clusterSlug: null,
      clusterUid: null,
      publishedAt: at,
      receivedAt: at,
      contentEncoding: null,
      bytes: Buffer.from('{'),
    });
    const { rows } = await backend.pool.query<{ id: string }>('select id from rejected_messages limit 1');
    return rows[0]?.id ?? '';
  }

  function bodyFor(route: Route): unknown {
    if (route.bodySchema === null) return undefined;
    if (route.path === '/api/v1/hosts')
      return { environment_id: home.environment_id, hostname: `new-${serial}` };
    if (route.path === '/api/v1/install-tokens') return { environment_id: home.environment_id };
    if (route.path.endsWith('/clients')) return { slug: `c-${serial}`, name: 'C' };
    if (route.path.endsWith('/environments'))
      return { client_id: home.client_id, slug: `e-${serial}`, name: 'E' };
    if (route.path.endsWith('/callers')) return { type: 'service', name: 'new' };
    if (route.path.endsWith('/tokens')) return { name: 'new' };
    if (route.path.endsWith('/rotate')) return { overlap_minutes: 1 };
    if (route.path.endsWith('/identities')) return { subject: `subject-${serial}` };
    if (route.path.endsWith('/grants')) return { role: 'operator' };
    return { uid: 'uid-of-home' };
  }

  async function call(route: Route, token: string | undefined): Promise<Answered> {
    const ids = await objectFor(route);
    const path = route.path.replace(/:(\w+)/g, (_, parameter: string) => ids[parameter] ?? 'missing');
    const body = bodyFor(route);
    return backend.ask(path + requiredQuery(route), {
      method: route.method,
      ...(token === undefined ? {} : { token }),
      ...(body === undefined ? {} : { body }),
    });
  }

  /** The answer is what the route's schema says, with no key beyond it. */
  function assertAnswer(route: Route, answer: Answered): void {
    equal(answer.status, route.status, `${nameOf(route)}: ${answer.text}`);
    if (route.answerSchema === null) return;
    const kept = structuredClone(answer.json);
    const checked = compileSchema(route.answerSchema)(kept);
    ok(checked.ok, `${nameOf(route)}: ${JSON.stringify(checked)}`);
    deepEqual(kept, answer.json);
  }

  for (const route of routes.filter((candidate) => candidate.kind !== 'open')) {
    it(`${nameOf(route)} tells six callers apart (AP-01, AU-01 to AU-06, X-33)`, async () => {
      const shape = shapeOf(route);
      for (const [index, name] of CALLERS.entries()) {
        const answer = await call(route, tokens.get(name));
        const expected = EXPECTED[shape][index];
        if (expected === 2) assertAnswer(route, answer);
        else equal(answer.status, expected, `${name}: ${answer.text}`);
        const strangers = name === 'sibling environment' || name === 'other client';
        if (strangers)
          ok(!answer.text.includes(home.environment_id), `${name} sees the environment of others`);
        if (name === 'environment grant')
          ok(!answer.text.includes(sibling.environment_id), 'an environment grant widened');
      }
    });
  }

  it('answers 403 where the object can be seen and the permission is held elsewhere only (AU-05, X-33)', async () => {
    const { client_id } = await backend.place('globex', 'prod');
    const token = await backend.tokenFor({ role: 'viewer', ...home }, { role: 'admin', client_id });
    const writing = routes.filter((one) => one.kind === 'scoped' && one.permissions.includes('assets:write'));
    for (const route of writing.filter((one) => shapeOf(one) === 'object')) {
      const answer = await call(route, token);
      equal(answer.status, 403, `${nameOf(route)}: ${answer.text}`);
    }
  });

  it('answers administrators of the system on every administration route', async () => {
    for (const route of routes.filter(({ kind }) => kind === 'system'))
      assertAnswer(route, await call(route, administrator));
  });

  it('leaves open only the routes of this list, each with its reason', () => {
    const open = routes.filter(({ kind }) => kind === 'open');
    deepEqual(open.map(nameOf).sort(), [...OPEN].sort());
    for (const route of open) notEqual(route.reason ?? '', '');
  });

  it('describes every body: what it takes, and what it answers unless that is no JSON', () => {
    const bare = routes.filter(({ answerSchema, status }) => answerSchema === null && status !== 204);
    deepEqual(bare.map(nameOf), BARE);
    const posts = routes.filter(({ method, bodySchema }) => method === 'POST' && bodySchema === null);
    deepEqual(posts.map(nameOf), ['POST /logout']);
    for (const route of routes) match(route.summary, /^[A-Z].*\.$/, nameOf(route));
  });

  it('answers an unknown, a foreign and a malformed id with the same 404 body (AU-05)', async () => {
    const token = tokens.get('other client') ?? '';
    for (const route of routes.filter(
      (one) => one.kind === 'cluster' || (one.kind === 'scoped' && one.path.includes(':')),
    )) {
      const body = bodyFor(route);
      const texts = new Set<string>();
      const foreign = await objectFor(route);
      for (const id of [null, '5f0c52f2-7a3e-4a0b-9d6e-3f5b1c2d4e6a', 'not-a-uuid', '%E0%A4%A', '%00']) {
        const path = route.path.replace(/:(\w+)/g, (_, parameter: string) => id ?? foreign[parameter] ?? '');
        const answer = await backend.ask(path, {
          method: route.method,
          token,
          ...(body === undefined ? {} : { body }),
        });
        equal(answer.status, 404, `${route.method} ${path}`);
        texts.add(answer.text);
      }
      equal(texts.size, 1, nameOf(route));
    }
  });

  it('changes no cluster: other methods answer 405 (AU-10)', async () => {
    const token = tokens.get('client grant') ?? '';
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const path of ['/api/v1/clusters', `/api/v1/clusters/${clusterId}`]) {
        const answer = await backend.ask(path, { method, token });
        equal(answer.status, 405);
        equal(answer.json.error.code, 'method_not_allowed');
        ok(answer.headers.get('allow')?.includes('GET'));
      }
    }
  });
});
