/** The table of the agent's settings: variable, default, meaning, form. Help and configuration are made from it. */

import { Secret } from '../rules/secret.ts';
import type { Reader } from './readers.ts';
import {
  duration,
  inClusterNames,
  integer,
  listenAddress,
  namespaces,
  oneOf,
  slug,
  text,
  url,
  urls,
} from './readers.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Setting<T> {
  readonly variable: string;
  /** What an unset or empty variable reads as; null leaves the value null. */
  readonly fallback: string | null;
  readonly required?: true;
  readonly help: string;
  /** How the fallback is shown where it is not a text of its own. */
  readonly shownFallback?: string;
  readonly read: Reader<T>;
}

const setting = <T>(definition: Setting<T>): Setting<T> => definition;

export const SETTINGS = {
  clusterName: setting({
    variable: 'PROXIMA_CLUSTER_NAME',
    fallback: null,
    required: true,
    help: 'Display name of the cluster.',
    read: text(512),
  }),
  clusterSlug: setting({
    variable: 'PROXIMA_CLUSTER_SLUG',
    fallback: null,
    shownFallback: 'derived from the name',
    help: 'URL-safe name of the cluster; the backend matches inventory on (environment, slug). Set it.',
    read: slug,
  }),
  backendUrl: setting({
    variable: 'PROXIMA_BACKEND_URL',
    fallback: null,
    required: true,
    help: "The backend's API, for enrollment.",
    read: url(['http:', 'https:']),
  }),
  installToken: setting({
    variable: 'PROXIMA_INSTALL_TOKEN',
    fallback: null,
    shownFallback: 'none, and needed until the agent is enrolled',
    help: 'Enrollment token; may be removed once state.json exists.',
    read: (value) => new Secret(value),
  }),
  syncIntervalMs: setting({
    variable: 'PROXIMA_K8S_SYNC_INTERVAL',
    fallback: '5m',
    help: 'Time from one full sync to the next. The backend has this variable, too: set both alike.',
    read: duration('1s', '24h'),
  }),
  podLimit: setting({
    variable: 'PROXIMA_K8S_POD_LIMIT',
    fallback: '5000',
    help: 'Most pods of a sync. Lower it when the inventory does not fit into one message.',
    read: integer(1, 1_000_000),
  }),
  excludedNamespaces: setting({
    variable: 'PROXIMA_K8S_EXCLUDE_NAMESPACES',
    fallback: '',
    shownFallback: 'none',
    help: 'Namespaces, separated by commas, that are neither collected nor stored.',
    read: namespaces,
  }),
  inClusterNames: setting({
    variable: 'PROXIMA_ARGOCD_IN_CLUSTER_NAMES',
    fallback: '',
    shownFallback: 'none',
    help: 'Names, separated by commas, by which an ArgoCD in this cluster calls the cluster itself, beside in-cluster.',
    read: inClusterNames,
  }),
  natsUrls: setting({
    variable: 'PROXIMA_NATS_URL',
    fallback: null,
    shownFallback: 'from enrollment',
    help: 'NATS servers, separated by commas; takes priority over the enrolled URL.',
    read: urls(['nats:', 'tls:']),
  }),
  natsCaFile: setting({
    variable: 'PROXIMA_NATS_CA_FILE',
    fallback: null,
    shownFallback: 'from enrollment',
    help: "PEM file of the CA that signed the NATS server's certificate; TLS is then required.",
    read: text(4096),
  }),
  dataDir: setting({
    variable: 'PROXIMA_AGENT_DATA_DIR',
    fallback: '/var/lib/proxima-agent',
    help: 'Folder of state.json, the identity of this agent, and the CA certificate. Keep it on a volume.',
    read: text(4096),
  }),
  logLevel: setting({
    variable: 'PROXIMA_LOG_LEVEL',
    fallback: 'info',
    help: `${LOG_LEVELS.join(', ')}.`,
    read: oneOf(LOG_LEVELS),
  }),
  metricsAddress: setting({
    variable: 'PROXIMA_METRICS_ADDR',
    fallback: ':9090',
    help: 'Address of /healthz, /readyz, /metrics and /debug/state.',
    read: listenAddress,
  }),
  podName: setting({
    variable: 'POD_NAME',
    fallback: null,
    shownFallback: 'none',
    help: 'Name of this pod in a StatefulSet: the agent enrolls under it and takes part in the election. Without it: enrolls under <slug>-collector, alone.',
    read: text(253),
  }),
  podNamespace: setting({
    variable: 'POD_NAMESPACE',
    fallback: null,
    shownFallback: 'none',
    help: 'Namespace of this pod, and of the Lease of the election.',
    read: text(63),
  }),
  kubeconfig: setting({
    variable: 'KUBECONFIG',
    fallback: null,
    shownFallback: "the pod's ServiceAccount",
    help: 'Configuration of the cluster to read, outside of a pod.',
    read: text(65_536),
  }),
} as const;

/** The settings that collecting needs: all that `--once` reads, so that no fault of another one stops it. */
export const ONCE_SETTINGS = [
  'clusterName',
  'clusterSlug',
  'syncIntervalMs',
  'podLimit',
  'excludedNamespaces',
  'inClusterNames',
  'logLevel',
  'kubeconfig',
] as const satisfies readonly (keyof typeof SETTINGS)[];

/** The default as it is shown to people: `required` where there is none. */
export const defaultOf = ({ fallback, required, shownFallback }: Setting<unknown>): string =>
  required ? 'required' : (shownFallback ?? fallback ?? 'none');

/** Two lines per variable with its default, for `--help`. */
export function settingsHelp(): string {
  return Object.values<Setting<unknown>>(SETTINGS)
    .map((definition) => {
      const standard = definition.required ? 'Required.' : `Default: ${defaultOf(definition)}.`;
      return `  ${definition.variable}\n      ${definition.help} ${standard}`;
    })
    .join('\n');
}
