/** The agent's configuration (requirements CF). The one place of the agent that reads the environment. */

import type { Secret } from '../rules/secret.ts';
import { slugify } from '../rules/slug.ts';
import type { ListenAddress } from './readers.ts';
import { Fault, MAX_SLUG } from './readers.ts';
import type { LogLevel, Setting } from './settings.ts';
import { SETTINGS } from './settings.ts';

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
  readonly natsUrls: readonly string[] | null;
  readonly natsCaFile: string | null;
  readonly dataDir: string;
  readonly logLevel: LogLevel;
  readonly metricsAddress: ListenAddress;
  readonly podName: string | null;
  readonly podNamespace: string | null;
  readonly kubeconfig: string | null;
  /** Name to enroll under: the pod's, else one that a fresh pod without state would take again. */
  readonly agentName: string;
  /** What an operator should know about these settings; logged at start. */
  readonly warnings: readonly string[];
}

export type ConfigOutcome =
  | { readonly ok: true; readonly config: AgentConfig }
  /** One sentence per faulty variable, naming it; no values. */
  | { readonly ok: false; readonly faults: readonly string[] };

type Values = {
  [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] extends Setting<infer T> ? T | null : never;
};

/** Reads every setting, and reports all faults together. The result is frozen. */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): ConfigOutcome {
  const faults: string[] = [];
  const values = Object.fromEntries(
    Object.entries<Setting<unknown>>(SETTINGS).map(([key, definition]) => {
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
  const warnings = warningsOf(values, derivedSlug);
  return {
    ok: true,
    config: Object.freeze({
      ...(values as AgentConfig),
      clusterSlug,
      agentName: values.podName ?? `${clusterSlug}-collector`,
      warnings,
    }),
  };
}

function warningsOf(values: Values, derivedSlug: string): string[] {
  const warnings: string[] = [];
  if (values.clusterSlug === null && derivedSlug.length > 63) {
    warnings.push(
      'the slug derived from PROXIMA_CLUSTER_NAME is longer than 63 characters and may differ from the one that Console recorded; set PROXIMA_CLUSTER_SLUG',
    );
  }
  const backend = new URL(values.backendUrl ?? '');
  if (backend.protocol === 'http:' && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(backend.hostname)) {
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
