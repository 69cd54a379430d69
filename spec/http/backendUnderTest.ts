/** The HTTP half of a backend on a real database and a free port, with a clock that specs may move. */

import { ok } from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { createJwtIssuer } from '../../actors/agentJwt.ts';
import { createInspector } from '../../actors/inspector.ts';
import { createLog } from '../../actors/log.ts';
import { createNatsKeys } from '../../actors/natsKeys.ts';
import { syncCluster } from '../../actors/syncCluster.ts';
import type { Backend } from '../../http/backend.ts';
import { Budgets } from '../../http/budget.ts';
import type { Route } from '../../http/route.ts';
import { routes } from '../../http/routes/index.ts';
import { startHttpServer } from '../../http/server.ts';
import type { Role } from '../../rules/access.ts';
import { createCaller, createToken } from '../../store/callers.ts';
import { createGrant } from '../../store/grants.ts';
import type { Pool } from '../../store/pool.ts';
import type { EnrolledPlace } from '../support/enrolled.ts';
import { enrollAgent, snapshotOf } from '../support/enrolled.ts';
import { freshDatabase } from '../support/postgres.ts';
import { assertDescribed } from './described.ts';

export interface Scope {
  readonly client_id?: string;
  readonly environment_id?: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; null when it is not JSON. */
  readonly json: Body;
}

export type Body = {
  data: Row & Row[];
  meta: Row;
  error: { code: string; message: string; details: Row | null };
} & Row;
export type Row = Record<string, never> & Record<string, unknown>;

export interface Question {
  readonly method?: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An environment of a client, by slugs made where missing. */
export interface PlaceIds {
  readonly client_id: string;
  readonly environment_id: string;
}

export interface BackendUnderTest {
  readonly url: string;
  readonly pool: Pool;
  /** Moves the backend's clock. */
  advance(ms: number): void;
  now(): Date;
  ask(path: string, question?: Question): Promise<Answered>;
  /** A token of a new service caller with these grants. */
  tokenFor(...grants: ({ role: Role } & Scope)[]): Promise<string>;
  place(client: string, environment: string): Promise<PlaceIds>;
  /** A cluster with every kind in it, stored as a sync stores it; answers its id. */
  cluster(place: EnrolledPlace): Promise<string>;
  stop(): Promise<void>;
}

export async function startBackend(
  change: Partial<Backend> = {},
  served: readonly Route[] = routes,
): Promise<BackendUnderTest> {
  const database = await freshDatabase();
  const { pool } = database;
  let offsetMs = 0;
  const now = () => new Date(Date.now() + offsetMs);
  const keys = createNatsKeys();
  const issuer = createJwtIssuer({ account: keys.account.publicKey, signingSeed: keys.signing.seed, now });
  const backend: Backend = {
    pool,
    log: createLog('error'),
    now,
    budgets: new Budgets(),
    inspector: createInspector({ now }),
    live: { askLive: async () => ({ kind: 'unavailable' }) },
    ready: () => true,
    nats: { url: 'nats://nats.example:4222', ca: null, issuer },
    oidc: null,
    callerRequestsPerMinute: 100_000,
    ...change,
  };
  const server = await startHttpServer(served, backend, { host: '127.0.0.1', port: 0, nextFree: false });
  const url = `http://127.0.0.1:${server.port}`;
  const place = async (client: string, environment: string): Promise<PlaceIds> => {
    const agent = await enrollAgent(pool, {
      client,
      environment,
      slug: 'anchor',
      name: `${client}-${environment}`,
    }).catch(() => null);
    const { rows } = await pool.query<PlaceIds>(
      `select e.client_id, e.id as environment_id from environments e join clients c on c.id = e.client_id
       where c.slug = $1 and e.slug = $2`,
      [client, environment],
    );
    if (agent !== null) await pool.query('delete from agents where id = $1', [agent.id]);
    const [ids] = rows;
    ok(ids);
    return ids;
  };
  return {
    url,
    pool,
    now,
    advance(ms) {
      offsetMs += ms;
    },
    async ask(path, question) {
      const answer = await ask(url + path, question);
      assertDescribed(served, question?.method ?? 'GET', path, answer);
      return answer;
    },
    async tokenFor(...grants) {
      const caller = await createCaller(pool, { type: 'service', name: 'spec', email: null });
      ok(caller);
      for (const { role, client_id = null, environment_id = null } of grants) {
        const made = await createGrant(pool, { caller_id: caller.id, role, client_id, environment_id });
        ok(made.kind === 'created');
      }
      return (await createToken(pool, { caller_id: caller.id, name: 'spec', expires_at: null })).secret;
    },
    place,
    async cluster(where) {
      const agent = await enrollAgent(pool, where);
      const input = { agent, snapshot: snapshotOf(agent), publishedAt: now(), folded: 0 };
      const outcome = await syncCluster(pool, input, { now, timeoutMs: 20_000 });
      ok(outcome.outcome === 'stored');
      return outcome.clusterId;
    },
    async stop() {
      await server.stop();
      await database.drop();
    },
  };
}

/** One request by node:http: fetch would overwrite the Sec-Fetch headers that specs set. */
function ask(url: string, { method = 'GET', token, body, headers = {} }: Question = {}): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const outgoing = request(
    url,
    {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      timeout: 15_000,
    },
    (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => resolve(answered(incoming, Buffer.concat(chunks).toString())));
    },
  );
  outgoing.on('timeout', () => outgoing.destroy(new Error('no answer within 15 s')));
  outgoing.on('error', reject);
  outgoing.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
  return promise;
}

function answered(incoming: IncomingMessage, text: string): Answered {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  const isJson = (headers.get('content-type') ?? '').startsWith('application/json');
  return {
    status: incoming.statusCode ?? 0,
    headers,
    text,
    json: (isJson ? JSON.parse(text) : null) as Body,
  };
}
