/** The backend's settings (contracts.md section 6). The one place of the backend that reads the environment. */

import type { Level } from '../actors/log.ts';
import { LOG_LEVELS } from '../actors/log.ts';
import { parseDuration } from '../rules/duration.ts';
import { Secret } from '../rules/secret.ts';

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

export interface Config {
  /** Null: our own PostgreSQL (D15). It may hold a password. */
  readonly databaseUrl: Secret | null;
  /** Null: our own nats-server (D15). */
  readonly nats: ExternalNats | null;
  /** What agents are told; null: the address that the backend itself uses. */
  readonly agentNatsUrl: string | null;
  readonly eventsMaxBytes: number;
  /** 0: any free port. */
  readonly port: number;
  readonly logLevel: Level;
  /** A cluster without a snapshot for this long shows as disconnected (ST-01). */
  readonly staleAfterMs: number;
  readonly maintenanceIntervalMs: number;
}

export type ConfigOutcome =
  | { readonly ok: true; readonly config: Config }
  /** One sentence per faulty variable, naming it; no values. */
  | { readonly ok: false; readonly faults: readonly string[] };

/** Every variable: its default as shown, and what it is for. Reading one that is not listed here does not compile. */
const SETTINGS = {
  DATABASE_URL: ['embedded', 'PostgreSQL 15 or newer; it may hold a password'],
  NATS_URL: [
    'embedded',
    'nats-server 2.11 or newer with JetStream, in operator mode; needs the three after it',
  ],
  NATS_CREDS: ['', "file with the backend's credentials"],
  PROXIMA_NATS_ACCOUNT: ['', 'public key of the account that backend and agents share'],
  PROXIMA_NATS_SIGNING_SEED_FILE: ['', "file with the seed of that account's signing key"],
  PROXIMA_NATS_CA_FILE: ['', 'PEM of the CA that signed the server’s certificate; agents get it too'],
  PROXIMA_AGENT_NATS_URL: ['NATS_URL', 'the address that agents are told'],
  PROXIMA_EVENTS_MAX_BYTES: ['4GiB', 'room of the stream that snapshots wait in'],
  PROXIMA_PORT: ['8080', 'port of the API; 0 takes a free one'],
  PROXIMA_LOG_LEVEL: ['info', 'debug, info, warn or error'],
  PROXIMA_K8S_STALE_AFTER: ['15m', 'a cluster without a snapshot for this long shows as disconnected'],
  PROXIMA_K8S_MAINTENANCE_INTERVAL: ['1m', 'how often the backend looks for such clusters'],
} as const satisfies Record<string, readonly [fallback: string, help: string]>;
type SettingName = keyof typeof SETTINGS;

/** The settings, a line each, for a help text. */
export const settingsHelp = (): string =>
  Object.entries(SETTINGS)
    .map(([name, [fallback, help]]) => `  ${name.padEnd(32)} ${help}${fallback && ` (${fallback})`}`)
    .join('\n');

/** Set together: a URL without the others could connect, and then sign nothing for agents. */
const NATS_GROUP = [
  'NATS_URL',
  'NATS_CREDS',
  'PROXIMA_NATS_ACCOUNT',
  'PROXIMA_NATS_SIGNING_SEED_FILE',
] as const;

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
    port: read('PROXIMA_PORT', 8080, readPort, 'must be a port number'),
    logLevel: read('PROXIMA_LOG_LEVEL', 'info', readLevel, `must be one of ${LOG_LEVELS.join(', ')}`),
    staleAfterMs: duration('PROXIMA_K8S_STALE_AFTER', 15 * 60_000),
    maintenanceIntervalMs: duration('PROXIMA_K8S_MAINTENANCE_INTERVAL', 60_000),
  };
  return faults.length > 0 ? { ok: false, faults } : { ok: true, config: Object.freeze(config) };
}

function isUrl(text: string, schemes: readonly string[]): boolean {
  const url = URL.parse(text);
  return url !== null && schemes.includes(url.protocol.slice(0, -1));
}

function positiveDuration(text: string): number | null {
  const ms = parseDuration(text);
  return ms !== null && ms > 0 ? ms : null;
}

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
};

function readBytes(text: string): number | null {
  const [, amount = '', unit = ''] = /^([0-9]{1,15})\s?([KMGT]iB)?$/.exec(text) ?? [];
  const bytes = Number(amount) * (UNITS[unit] ?? 0);
  return bytes >= 1 && Number.isSafeInteger(bytes) ? bytes : null;
}

function readPort(text: string): number | null {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : -1;
  return port >= 0 && port <= 65535 ? port : null;
}

const readLevel = (text: string): Level | null => LOG_LEVELS.find((level) => level === text) ?? null;
