/** The table of the backend's settings (contracts.md section 6): what `serve --help` prints and what may be read. */

/** Every variable: its default as shown, and what it is for. Reading one that is not listed here does not compile. */
export const SETTINGS = {
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
  PROXIMA_HOST: ['all interfaces', 'address to listen on, such as 127.0.0.1'],
  PROXIMA_PORT: ['8080', 'port of the API; 0 takes a free one'],
  PROXIMA_LOG_LEVEL: ['info', 'debug, info, warn or error'],
  PROXIMA_OIDC_ISSUER: ['off', 'OpenID Connect issuer whose tokens are taken too; needs the next one'],
  PROXIMA_OIDC_AUDIENCE: ['', 'what such a token must be meant for (aud)'],
  PROXIMA_K8S_STALE_AFTER: ['15m', 'a cluster without a snapshot for this long shows as disconnected'],
  PROXIMA_K8S_SYNC_INTERVAL: [
    '5m',
    'how often the agents are set to sync; the value above wants two of these',
  ],
  PROXIMA_K8S_MAINTENANCE_INTERVAL: ['1m', 'how often silent clusters and old rows are looked for'],
  PROXIMA_K8S_EVENT_RETENTION: ['24h', 'Kubernetes events not seen for this long are deleted'],
  PROXIMA_CHANGE_RETENTION: ['2160h', 'change records older than this are deleted'],
  PROXIMA_K8S_LIFECYCLE_RECORDS: ['off', 'on: change records of created and deleted workloads too'],
  VICTORIA_LOGS_URL: ['off', 'VictoriaLogs, which gets the events; a login in the URL is sent as Basic'],
  VICTORIA_METRICS_URL: ['off', 'single-node VictoriaMetrics, which gets the replica counts'],
  VICTORIA_METRICS_INSERT_URL: [
    'off',
    'vminsert of a cluster, such as http://vminsert:8480/insert/{tenant}/prometheus',
  ],
  VICTORIA_METRICS_SELECT_URL: [
    'off',
    'vmselect of a cluster, such as http://vmselect:8481/select/{tenant}/prometheus',
  ],
  OTEL_EXPORTER_OTLP_ENDPOINT: [
    'off',
    'OpenTelemetry collector for spans (OTLP over HTTP), such as http://otel:4318',
  ],
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: [
    'off',
    'the same, for spans alone; other OTEL_EXPORTER_OTLP_ variables work too',
  ],
  OTEL_SDK_DISABLED: ['false', 'true: no spans'],
  OTEL_TRACES_SAMPLER: [
    'always_on',
    'always_on, always_off or traceidratio, each also with parentbased_ in front',
  ],
  OTEL_TRACES_SAMPLER_ARG: ['1', 'for traceidratio: share of messages, 0 to 1'],
} as const satisfies Record<string, readonly [fallback: string, help: string]>;
export type SettingName = keyof typeof SETTINGS;

/** The settings, a line each, for a help text. */
export const settingsHelp = (): string =>
  Object.entries(SETTINGS)
    .map(([name, [fallback, help]]) => `  ${name.padEnd(32)} ${help}${fallback && ` (${fallback})`}`)
    .join('\n');
