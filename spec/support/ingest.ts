/** A backend's running half on a real nats-server and a real database, with enrolled agents that publish by hand. */

import { headers, type NatsConnection } from 'nats';
import type { Stores } from '../../actors/afterSync.ts';
import type { Log } from '../../actors/log.ts';
import { renderMetrics } from '../../actors/metrics.ts';
import { type System, type SystemOptions, startSystem } from '../../actors/system.ts';
import type { Snapshot } from '../../wire/snapshot.ts';
import type { Sender } from '../../wire/subjects.ts';
import { dataSubject } from '../../wire/subjects.ts';
import { type NatsUnderTest, startNats } from './nats.ts';
import { type FreshDatabase, freshDatabase } from './postgres.ts';
import { snapshotOf } from './snapshots.ts';

/** One line that the backend logged. */
export interface Logged {
  readonly level: string;
  readonly message: string;
  readonly fields: object;
}

export interface AgentUnderTest {
  readonly sender: Sender;
  readonly connection: NatsConnection;
  /** Its cluster, named by the slug alone. */
  snapshot(change?: { readonly timestamp?: string; readonly slug?: string; readonly uid?: string }): Snapshot;
  /** Publishes and waits until the stream has it. */
  publish(message: Snapshot | Uint8Array, extra?: Readonly<Record<string, string>>): Promise<void>;
}

export interface IngestUnderTest {
  readonly nats: NatsUnderTest;
  readonly database: FreshDatabase;
  readonly logged: Logged[];
  /** Enrolls an agent of `acme/prod` for a cluster of this slug. */
  enroll(slug: string): Promise<AgentUnderTest>;
  /** Starts a backend; stopped by `stop` unless it was before. */
  start(
    options?: Parameters<typeof startSystem>[0]['options'],
    sync?: Sync,
    stores?: Stores,
  ): Promise<System>;
  /** Messages that the stream still keeps. */
  kept(): Promise<number>;
  stop(): Promise<void>;
}

type Sync = NonNullable<Parameters<typeof startSystem>[0]['sync']>;

/** Seconds where production has minutes. */
export const QUICK: Partial<SystemOptions> = {
  ackWaitMs: 3_000,
  nakDelaysMs: [100, 200],
  pullExpiresMs: 1_000,
  probeEveryMs: 50,
  drainMs: 100,
  heartbeatFlushMs: 50,
  eventsMaxBytes: 256 * 1024 ** 2,
};

export async function startIngest(): Promise<IngestUnderTest> {
  const [nats, database] = await Promise.all([startNats(), freshDatabase()]);
  const { rows } = await database.pool.query<{ client_id: string; environment_id: string }>(
    `with c as (insert into clients (slug, name) values ('acme', 'Acme') returning id)
     insert into environments (client_id, slug, name) select id, 'prod', 'Production' from c
     returning client_id, id as environment_id`,
  );
  const place = rows[0];
  const logged: Logged[] = [];
  const systems: System[] = [];
  return {
    nats,
    database,
    logged,
    async enroll(slug) {
      const { rows: agents } = await database.pool.query<{ id: string }>(
        `insert into agents (client_id, environment_id, name, cluster_name, cluster_slug, cluster_uid, nkey,
                             agent_version)
         values ($1, $2, 'proxima-cluster-agent-0', $3, $3, $4, $5, '0.9.0') returning id`,
        [place?.client_id, place?.environment_id, slug, `uid-of-${slug}`, `nkey-of-${slug}`],
      );
      const sender = { client: 'acme', environment: 'prod', agentId: agents[0]?.id ?? '' };
      return agentOver(sender, slug, await nats.connectAgent(sender));
    },
    async start(options = {}, sync, stores) {
      const system = await startSystem({
        pool: database.pool,
        nats: nats.backend,
        log: collectInto(logged),
        options: { ...QUICK, ...options },
        ...(sync === undefined ? {} : { sync }),
        ...(stores === undefined ? {} : { stores }),
      });
      systems.push(system);
      return system;
    },
    async kept() {
      const backend = await nats.connectAs(nats.backend);
      const manager = await backend.jetstreamManager({ checkAPI: false });
      const { state } = await manager.streams.info('EVENTS');
      await backend.close();
      return state.messages;
    },
    async stop() {
      await Promise.all(systems.map((system) => system.stop()));
      await Promise.all([nats.stop(), database.drop()]);
    },
  };
}

function agentOver(sender: Sender, slug: string, connection: NatsConnection): AgentUnderTest {
  return {
    sender,
    connection,
    snapshot(change = {}) {
      const plain = snapshotOf({}, { agent_id: sender.agentId });
      const cluster = { ...plain.data.cluster, name: slug, slug: change.slug ?? slug };
      return {
        ...plain,
        timestamp: change.timestamp ?? plain.timestamp,
        data: { ...plain.data, cluster: { ...cluster, uid: change.uid ?? `uid-of-${slug}` } },
      };
    },
    async publish(message, extra = {}) {
      const bytes = message instanceof Uint8Array ? message : Buffer.from(JSON.stringify(message));
      const header = headers();
      for (const [key, value] of Object.entries(extra)) header.set(key, value);
      await connection.jetstream().publish(dataSubject(sender, 'kubernetes'), bytes, { headers: header });
    },
  };
}

/** A log whose lines land in `logged`. */
export function collectInto(logged: Logged[]): Log {
  const at = (level: string) => (fields: object, message: string) => {
    logged.push({ level, message, fields });
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  };
}

/** The value of one counter or gauge, 0 when it has no such sample yet. */
export async function metric(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
  const { body } = await renderMetrics();
  const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
  const line = body
    .split('\n')
    .find((text) => new RegExp(`^${name}[{ ]`).test(text) && wanted.every((label) => text.includes(label)));
  return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ')));
}

/** Waits until `holds` answers true; throws after `timeoutMs`. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 10_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
