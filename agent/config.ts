/** The agent's configuration (requirements CF). The one place of the agent that reads the environment. */

import type { Secret } from '../rules/secret.ts';
import { slugify } from '../rules/slug.ts';
import type { PodAddress } from './kubeAccess.ts';
import type { ListenAddress } from './readers.ts';
import { Fault, MAX_IN_CLUSTER_NAMES, MAX_SLUG } from './readers.ts';
import type { LogLevel, Setting } from './settings.ts';
import { ONCE_SETTINGS, SETTINGS } from './settings.ts';

/** User and password of a URL. */
const URL_LOGIN = /(\/\/)[^/@]*@/g;

export interface AgentConfig {
  readonly clusterName: string;
  readonly clusterSlug: string;
  readonly backendUrl: string;
  readonly installToken: Secret | null;
  readonly syncIntervalMs: number;
  readonly podLimit: number;
  readonly excludedNamespaces: ReadonlySet<string>;
  /** What an ArgoCD here may call this cluster; already without the bad ones (AA-12). */
  readonly inClusterNames: readonly string[];
  readonly natsUrls: readonly string[] | null;
  readonly natsCaFile: string | null;
  readonly dataDir: string;
  readonly logLevel: LogLevel;
  readonly metricsAddress: ListenAddress;
  readonly podName: string | null;
  readonly podNamespace: string | null;
  readonly kubeconfig: string | null;
  /** KUBERNETES_SERVICE_HOST and _PORT, which Kubernetes sets in every pod; null outside of one. */
  readonly podAddress: PodAddress | null;
  /** Name to enroll under: the pod's, else one that a fresh pod without state would take again. */
  readonly agentName: string;
  /** What an operator should know about these settings; logged at start. */
  readonly warnings: readonly string[];
}

export type ConfigOutcome<T = AgentConfig> =
  | { readonly ok: true; readonly config: T }
  /** One sentence per faulty variable, naming it; no values. */
  | { readonly ok: false; readonly faults: readonly string[] };

/** What `--once` works with: no backend, no NATS, no identity. */
export type OnceConfig = Pick<AgentConfig, (typeof ONCE_SETTINGS)[number] | 'podAddress' | 'warnings'>;

export type Environment = Readonly<Record<string, string | undefined>>;

type Values = {
  [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] extends Setting<infer T> ? T | null : never;
};

/** Reads every setting, and reports all faults together. The result is frozen. */
export function readConfig(env: Environment = process.env): ConfigOutcome {
  return read(env, Object.keys(SETTINGS) as (keyof Values)[], (config) => ({
    ...(config as AgentConfig),
    agentName: config.podName ?? `${config.clusterSlug}-collector`,
  }));
}

/** Reads the settings of `--once` alone, in the same way: of them only the cluster's name has no default. */
export const readOnceConfig = (env: Environment = process.env): ConfigOutcome<OnceConfig> =>
  read(env, ONCE_SETTINGS, (config) => config as OnceConfig);

type Derived = Omit<Values, 'inClusterNames'> &
  Pick<AgentConfig, 'clusterSlug' | 'inClusterNames' | 'podAddress' | 'warnings'>;

function read<T>(
  env: Environment,
  keys: readonly (keyof Values)[],
  finish: (config: Derived) => T,
): ConfigOutcome<T> {
  const faults: string[] = [];
  const values = Object.fromEntries(
    keys.map((key) => {
      const definition: Setting<unknown> = SETTINGS[key];
      const given = env[definition.variable]?.trim() || definition.fallback;
      if (given === null) {
        if (definition.required) faults.push(`${definition.variable} is required`);
        return [key, null];
      }
      const value = definition.read(given);
      if (value instanceof Fault) faults.push(`${definition.variable} ${value.problem}`);
      return [key, value];
    }),
  ) as unknown as Values;

  const derivedSlug = slugify(values.clusterName ?? '');
  const clusterSlug = values.clusterSlug ?? derivedSlug;
  if (values.clusterName !== null && clusterSlug === '') {
    faults.push('PROXIMA_CLUSTER_SLUG is required, because the cluster name gives an empty slug');
  }
  if (clusterSlug.length > MAX_SLUG) {
    faults.push('PROXIMA_CLUSTER_SLUG is required, because the cluster name gives a slug that is too long');
  }
  if (faults.length > 0) return { ok: false, faults };
  const inClusterNames = values.inClusterNames?.names ?? [];
  const warnings = warningsOf(values, derivedSlug);
  const podAddress = podAddressOf(env);
  const derived = { ...values, clusterSlug, inClusterNames, podAddress, warnings };
  return { ok: true, config: Object.freeze(finish(derived)) };
}

function podAddressOf(env: Environment): PodAddress | null {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  return host && port ? { host, port } : null;
}

function warningsOf(values: Values, derivedSlug: string): string[] {
  const warnings: string[] = [];
  if (values.clusterSlug === null && derivedSlug.length > 63) {
    warnings.push(
      'the slug derived from PROXIMA_CLUSTER_NAME is longer than 63 characters and may differ from the one that the backend recorded; set PROXIMA_CLUSTER_SLUG',
    );
  }
  if (values.inClusterNames !== null && values.inClusterNames.dropped > 0) {
    warnings.push(
      `PROXIMA_ARGOCD_IN_CLUSTER_NAMES: ${values.inClusterNames.dropped} not used; at most ${MAX_IN_CLUSTER_NAMES} names count, each of 1 to 253 letters, digits, dots, underscores and dashes`,
    );
  }
  // Absent where only the settings of `--once` were read.
  const backend = values.backendUrl ? new URL(values.backendUrl) : null;
  if (backend?.protocol === 'http:' && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(backend.hostname)) {
    warnings.push('PROXIMA_BACKEND_URL is plain http: the install token travels in clear');
  }
  return warnings;
}

/** The settings by variable, as text for the log; secrets are hidden, unset ones left out. */
export function describeConfig(config: AgentConfig): Readonly<Record<string, string>> {
  const lines: Record<string, string> = {};
  for (const [key, { variable }] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const value = config[key as keyof typeof SETTINGS];
    if (value === null) continue;
    lines[variable] = (key === 'metricsAddress' ? shownAddress(config.metricsAddress) : shown(value)).replace(
      URL_LOGIN,
      '$1[hidden]@',
    );
  }
  return lines;
}

const shown = (value: unknown): string =>
  value instanceof Set || Array.isArray(value) ? [...value].join(',') : String(value);

const shownAddress = ({ host, port }: ListenAddress): string =>
  host === null ? `:${port}` : host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
