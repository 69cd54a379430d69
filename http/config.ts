/** The backend's settings (contracts.md section 6). The one place of the backend that reads the environment. */

import type { Level } from '../actors/log.ts';
import { LOG_LEVELS } from '../actors/log.ts';
import { Secret } from '../rules/secret.ts';
import {
  isUrl,
  positiveDuration,
  readBytes,
  readHost,
  readLevel,
  readPort,
  readSampler,
  readShare,
  readSwitch,
} from './settingReaders.ts';
import type { SettingName } from './settings.ts';

/** A NATS server that somebody else runs; all of it, or none. */
export interface ExternalNats {
  readonly url: string;
  readonly credsFile: string;
  readonly caFile: string | null;
  /** Public key of the account that agents belong to. */
  readonly account: string;
  /** File with the seed of one of the account's signing keys. */
  readonly signingSeedFile: string;
}

/** VictoriaMetrics as it is written to and read; `{tenant}` in a URL stands for the client's tenant number. */
export interface MetricsStore {
  readonly insertUrl: Secret;
  readonly selectUrl: Secret;
}

export interface Config {
  /** Null: our own PostgreSQL (D15). It may hold a password. */
  readonly databaseUrl: Secret | null;
  /** Null: our own nats-server (D15). */
  readonly nats: ExternalNats | null;
  /** What agents are told; null: the address that the backend itself uses. */
  readonly agentNatsUrl: string | null;
  readonly eventsMaxBytes: number;
  /** Interface to listen on; null for all. */
  readonly host: string | null;
  /** 0: any free port. */
  readonly port: number;
  readonly logLevel: Level;
  /** A cluster without a snapshot for this long shows as disconnected (ST-01). */
  readonly staleAfterMs: number;
  readonly maintenanceIntervalMs: number;
  /** Events whose last sighting is older leave the database (ST-04). */
  readonly eventRetentionMs: number;
  /** Change records that are older leave the database (U-17). */
  readonly changeRetentionMs: number;
  /** How often agents are told to sync, as far as texts and warnings speak of it. */
  readonly syncIntervalMs: number;
  /** Record workloads that are proven to have been created or deleted: ours, the seeds have no such records. */
  readonly lifecycleRecords: boolean;
  /** Null: nothing is forwarded to VictoriaLogs. The URL may hold a login. */
  readonly victoriaLogsUrl: Secret | null;
  /** Null: nothing is forwarded to VictoriaMetrics. */
  readonly victoriaMetrics: MetricsStore | null;
  /** Whose tokens are taken besides our own, and for whom they must be meant; null: ours alone. */
  readonly oidc: { readonly issuer: string; readonly audience: string } | null;
  /** Share of messages whose spans are sent to an OpenTelemetry collector; null: no spans. */
  readonly traced: { readonly sampledShare: number } | null;
}

export type ConfigOutcome =
  | { readonly ok: true; readonly config: Config }
  /** One sentence per faulty variable, naming it; no values. */
  | { readonly ok: false; readonly faults: readonly string[] };

/** Set together: a URL without the others could connect, and then sign nothing for agents. */
const NATS_GROUP = [
  'NATS_URL',
  'NATS_CREDS',
  'PROXIMA_NATS_ACCOUNT',
  'PROXIMA_NATS_SIGNING_SEED_FILE',
] as const;

const CLUSTER_URLS = ['VICTORIA_METRICS_INSERT_URL', 'VICTORIA_METRICS_SELECT_URL'] as const;
const OTLP_ENDPOINTS = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] as const;

/** Reads every setting and reports all faults together. An empty variable counts as not set. The result is frozen. */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): ConfigOutcome {
  const faults: string[] = [];
  const text = (name: SettingName): string | null => env[name]?.trim() || null;
  const read = <T>(
    name: SettingName,
    fallback: T,
    reader: (given: string) => T | null,
    problem: string,
  ): T => {
    const given = text(name);
    if (given === null) return fallback;
    const value = reader(given);
    if (value === null) faults.push(`${name} ${problem}`);
    return value ?? fallback;
  };
  const url = (name: SettingName, ...schemes: string[]): string | null =>
    read<string | null>(
      name,
      null,
      (given) => (isUrl(given, schemes) ? given : null),
      `must be a URL (${schemes.join(', ')})`,
    );
  const duration = (name: SettingName, fallbackMs: number): number =>
    read(name, fallbackMs, positiveDuration, 'must be a duration of more than zero, such as 15m');

  const databaseUrl = url('DATABASE_URL', 'postgres', 'postgresql');
  // Agents are told these addresses, so a login in one would be given away.
  const natsAddress = (name: SettingName, ...schemes: string[]): string | null => {
    const given = url(name, ...schemes);
    const { username, password } = new URL(given ?? 'nats://none');
    if (username !== '' || password !== '') faults.push(`${name} must not hold a user or a password`);
    return given;
  };
  const store = (name: SettingName): Secret | null => {
    const given = url(name, 'http', 'https');
    return given === null ? null : new Secret(given);
  };
  const metricsStore = (): MetricsStore | null => {
    const single = store('VICTORIA_METRICS_URL');
    const [insertUrl, selectUrl] = CLUSTER_URLS.map(store);
    if (CLUSTER_URLS.every((name) => text(name) === null)) {
      return single === null ? null : { insertUrl: single, selectUrl: single };
    }
    if (single !== null) faults.push('VICTORIA_METRICS_URL must not be set beside the URLs of a cluster');
    for (const name of CLUSTER_URLS) {
      const given = text(name);
      if (given === null) faults.push(`${name} is required beside the other URL of the cluster`);
      else if (!given.includes('{tenant}')) faults.push(`${name} must hold {tenant}`);
    }
    return insertUrl == null || selectUrl == null ? null : { insertUrl, selectUrl };
  };
  const tracing = (): Config['traced'] => {
    const endpoints = OTLP_ENDPOINTS.map((name) => url(name, 'http', 'https'));
    const share = read('OTEL_TRACES_SAMPLER_ARG', 1, readShare, 'must be a number from 0 to 1');
    const sampledShare = read(
      'OTEL_TRACES_SAMPLER',
      1,
      (given) => readSampler(given, share),
      'must be always_on, always_off or traceidratio',
    );
    const disabled = text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true';
    return disabled || endpoints.every((endpoint) => endpoint === null) ? null : { sampledShare };
  };
  const oidcIssuer = url('PROXIMA_OIDC_ISSUER', 'http', 'https');
  const audience = text('PROXIMA_OIDC_AUDIENCE');
  if ((text('PROXIMA_OIDC_ISSUER') === null) !== (audience === null)) {
    faults.push('PROXIMA_OIDC_ISSUER and PROXIMA_OIDC_AUDIENCE go together');
  }
  const natsUrl = natsAddress('NATS_URL', 'nats', 'tls');
  const [credsFile, account, signingSeedFile] = NATS_GROUP.slice(1).map(text);
  if (NATS_GROUP.some((name) => text(name) !== null)) {
    for (const name of NATS_GROUP)
      if (text(name) === null) faults.push(`${name} is required beside the other NATS settings`);
  }
  if (account != null && !/^A[A-Z2-7]{55}$/.test(account))
    faults.push('PROXIMA_NATS_ACCOUNT must be the public key of an account');
  const config: Config = {
    databaseUrl: databaseUrl === null ? null : new Secret(databaseUrl),
    nats:
      natsUrl === null
        ? null
        : {
            url: natsUrl,
            credsFile: credsFile ?? '',
            caFile: text('PROXIMA_NATS_CA_FILE'),
            account: account ?? '',
            signingSeedFile: signingSeedFile ?? '',
          },
    agentNatsUrl: natsAddress('PROXIMA_AGENT_NATS_URL', 'nats', 'tls', 'ws', 'wss'),
    eventsMaxBytes: read(
      'PROXIMA_EVENTS_MAX_BYTES',
      4 * 1024 ** 3,
      readBytes,
      'must be a size in bytes, such as 4GiB',
    ),
    host: read('PROXIMA_HOST', null, readHost, 'must be an IP address or a host name'),
    port: read('PROXIMA_PORT', 8080, readPort, 'must be a port number'),
    logLevel: read('PROXIMA_LOG_LEVEL', 'info', readLevel, `must be one of ${LOG_LEVELS.join(', ')}`),
    staleAfterMs: duration('PROXIMA_K8S_STALE_AFTER', 15 * 60_000),
    maintenanceIntervalMs: duration('PROXIMA_K8S_MAINTENANCE_INTERVAL', 60_000),
    eventRetentionMs: duration('PROXIMA_K8S_EVENT_RETENTION', 24 * 3_600_000),
    changeRetentionMs: duration('PROXIMA_CHANGE_RETENTION', 2160 * 3_600_000),
    syncIntervalMs: duration('PROXIMA_K8S_SYNC_INTERVAL', 5 * 60_000),
    lifecycleRecords: read('PROXIMA_K8S_LIFECYCLE_RECORDS', false, readSwitch, 'must be on or off'),
    victoriaLogsUrl: store('VICTORIA_LOGS_URL'),
    victoriaMetrics: metricsStore(),
    oidc: oidcIssuer === null || audience === null ? null : { issuer: oidcIssuer, audience },
    traced: tracing(),
  };
  return faults.length > 0 ? { ok: false, faults } : { ok: true, config: Object.freeze(config) };
}
