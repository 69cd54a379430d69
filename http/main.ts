/** The backend's entry: everything that runs, started in order and stopped in the reverse one. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stores } from '../actors/afterSync.ts';
import { createJwtIssuer } from '../actors/agentJwt.ts';
import { startEmbeddedNats } from '../actors/embeddedNats.ts';
import type { Log } from '../actors/log.ts';
import { createLog } from '../actors/log.ts';
import { hastyThreshold } from '../actors/maintenance.ts';
import { ensureNatsServer } from '../actors/natsBinary.ts';
import type { NatsAddress } from '../actors/natsLink.ts';
import type { SystemOptions } from '../actors/system.ts';
import { startSystem } from '../actors/system.ts';
import type { Tracing } from '../actors/tracing.ts';
import { startEmbeddedPostgres } from '../store/embedded.ts';
import { migrate } from '../store/migrate.ts';
import type { Pool } from '../store/pool.ts';
import { createPool } from '../store/pool.ts';
import { createVictoriaLogs } from '../store/victoriaLogs.ts';
import { createVictoriaMetrics } from '../store/victoriaMetrics.ts';
import { BACKEND_INBOX } from '../wire/subjects.ts';
import type { Backend } from './backend.ts';
import { bootstrapAdministrator, demoAdministratorToken } from './bootstrap.ts';
import { Budgets } from './budget.ts';
import type { Config, ExternalNats } from './config.ts';
import { createOidcVerifier } from './oidc.ts';
import { routes } from './routes/index.ts';
import { startHttpServer } from './server.ts';

/** Enough for a dashboard with many panels; a loop over pages stays far below. */
const CALLER_REQUESTS_PER_MINUTE = 12_000;

/** The longest read of a big fleet takes a tenth of this. */
const STATEMENT_TIMEOUT_MS = 20_000;

export interface ServeOptions {
  /** Where embedded servers keep keys and data; `.proxima` of the working folder by default. */
  readonly dataDir?: string;
  /** Interface to listen on in place of the configured one. */
  readonly host?: string;
  /** When the port is taken, use the next free one. */
  readonly nextFreePort?: boolean;
  readonly log?: Log;
  /** Hears one line before each long step. */
  readonly onProgress?: (line: string) => void;
  readonly system?: Partial<SystemOptions>;
  readonly callerRequestsPerMinute?: number;
  /** Makes an administrator's token at this start too, for whoever has let all of them end. */
  readonly newAdministratorToken?: boolean;
}

/** A running backend. */
export interface Serving {
  /** Where it is reached from this machine, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** An administrator's token, which expires after 24 h; null on later starts that did not ask for one. */
  readonly administratorToken: string | null;
  readonly pool: Pool;
  /** Stops taking requests, hands unfinished messages back, then closes the servers that were started here. */
  stop(): Promise<void>;
}

/**
 * Starts the backend: PostgreSQL and NATS (ours, where none is configured), migrations, the first administrator, the
 * actor system, HTTP. Throws when a part does not come up, after having stopped those that had.
 */
export async function serve(config: Config, options: ServeOptions = {}): Promise<Serving> {
  const running: Stop[] = [];
  try {
    return await start(config, options, running);
  } catch (error) {
    await stopAll(running);
    throw error;
  }
}

/** The same promise; its error says which part it came from: an operator reads the message alone. */
async function naming<T>(part: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new Error(`${part}: ${(error as Error).message}`, { cause: error });
  }
}

type Stop = () => Promise<unknown>;

/** Later parts use earlier ones, so the newest goes first. */
async function stopAll(running: Stop[]): Promise<void> {
  for (let stop = running.pop(); stop !== undefined; stop = running.pop()) await stop();
}

async function start(config: Config, options: ServeOptions, running: Stop[]): Promise<Serving> {
  const log = options.log ?? createLog(config.logLevel);
  const now = () => new Date();
  const hasty = hastyThreshold(config.staleAfterMs, config.syncIntervalMs);
  if (hasty !== null) {
    log.warn({ stale_after_ms: config.staleAfterMs, sync_interval_ms: config.syncIntervalMs }, hasty);
  }
  const tracing = await startTracing(config);
  if (tracing !== null) running.push(() => tracing.stop());
  const databaseUrl = config.databaseUrl?.reveal() ?? (await ownDatabase(options, running));
  const onIdleError = (err: Error) => log.warn({ err }, 'database connection lost');
  // Two pools: transactions of a busy ingest must not make a reader wait for a connection.
  const ingestPool = createPool(databaseUrl, { onIdleError });
  running.push(() => ingestPool.end());
  const pool = createPool(databaseUrl, { onIdleError, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
  running.push(() => pool.end());

  options.onProgress?.('bringing the database to the current schema');
  const applied = await naming('PostgreSQL', migrate(ingestPool));
  if (applied > 0) log.info({ applied }, 'database migrated');

  const nats = config.nats === null ? await ownNats(options, running) : await externalNats(config.nats);
  const starting = startSystem({
    pool: ingestPool,
    nats: nats.address,
    log,
    stores: storesOf(config),
    options: {
      lifecycleRecords: config.lifecycleRecords,
      eventsMaxBytes: config.eventsMaxBytes,
      maintenance: {
        everyMs: config.maintenanceIntervalMs,
        staleAfterMs: config.staleAfterMs,
        eventRetentionMs: config.eventRetentionMs,
        changeRetentionMs: config.changeRetentionMs,
      },
      ...options.system,
    },
  });
  const system = await naming('NATS', starting);
  running.push(() => system.stop());

  let draining = false;
  const backend: Backend = {
    pool,
    log,
    now,
    budgets: new Budgets(),
    inspector: system.inspector,
    live: system.live,
    ready: () => !draining && system.ready(),
    nats: { url: config.agentNatsUrl ?? nats.address.url, ca: nats.ca, issuer: createJwtIssuer(nats.signer) },
    oidc: config.oidc === null ? null : createOidcVerifier(config.oidc),
    callerRequestsPerMinute: options.callerRequestsPerMinute ?? CALLER_REQUESTS_PER_MINUTE,
  };
  const host = options.host ?? config.host;
  const server = await startHttpServer(routes, backend, {
    host,
    port: config.port,
    nextFree: options.nextFreePort ?? false,
  });
  running.push(() => server.stop());
  // Only now: a token made by a start that then fails would be shown to nobody, and no later start makes another.
  const first = await bootstrapAdministrator(pool, now());
  const isWanted = first === null && options.newAdministratorToken === true;
  const administratorToken = isWanted ? await demoAdministratorToken(pool, now()) : first;
  log.info({ host: host ?? 'all interfaces', port: server.port }, 'listening');

  let stopped: Promise<void> | undefined;
  return {
    url: urlOf(host, server.port),
    administratorToken,
    pool,
    stop() {
      draining = true;
      // Streams have no end of their own, and the server waits for open answers.
      system.inspector.close();
      stopped ??= stopAll(running);
      return stopped;
    },
  };
}

/** Loaded only here: the SDK costs time and memory that whoever does not trace keeps. */
async function startTracing({ traced }: Config): Promise<Tracing | null> {
  return traced === null ? null : (await import('../actors/tracing.ts')).startTracing(traced);
}

const storesOf = ({ victoriaLogsUrl: logs, victoriaMetrics: metrics }: Config): Stores => ({
  logs: logs === null ? null : createVictoriaLogs(logs.reveal()),
  metrics: metrics === null ? null : createVictoriaMetrics(metrics.insertUrl.reveal()),
});

function urlOf(host: string | null, port: number): string {
  const everywhere = host === null || host === '0.0.0.0' || host === '::';
  const name = everywhere ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

const dataDir = (options: ServeOptions): string => options.dataDir ?? '.proxima';

async function ownDatabase(options: ServeOptions, running: Stop[]): Promise<string> {
  options.onProgress?.('starting PostgreSQL');
  const postgres = await startEmbeddedPostgres({ dir: join(dataDir(options), 'postgres') });
  running.push(() => postgres.stop());
  return postgres.url;
}

/** How the backend reaches NATS, and what it signs agents' JWTs with. */
interface NatsSetup {
  readonly address: NatsAddress;
  /** PEM of a private CA, for agents. */
  readonly ca: string | null;
  readonly signer: { readonly account: string; readonly signingSeed: string };
}

async function ownNats(options: ServeOptions, running: Stop[]): Promise<NatsSetup> {
  const program = await ensureNatsServer({
    binDir: join(dataDir(options), 'bin'),
    ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
  });
  options.onProgress?.('starting nats-server');
  const nats = await startEmbeddedNats({ dir: join(dataDir(options), 'nats'), program });
  running.push(() => nats.stop());
  const { account, signing } = nats.keys;
  return {
    address: nats.backend,
    ca: null,
    signer: { account: account.publicKey, signingSeed: signing.seed },
  };
}

async function externalNats(external: ExternalNats): Promise<NatsSetup> {
  const [creds, signingSeed, ca] = await Promise.all([
    readFile(external.credsFile, 'utf8'),
    readFile(external.signingSeedFile, 'utf8'),
    external.caFile === null ? null : readFile(external.caFile, 'utf8'),
  ]);
  return {
    address: {
      url: external.url,
      creds,
      inboxPrefix: BACKEND_INBOX,
      caFile: external.caFile ?? undefined,
    },
    ca,
    signer: { account: external.account, signingSeed: signingSeed.trim() },
  };
}
