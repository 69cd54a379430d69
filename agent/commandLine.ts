/** What `./proxima agent` can be told, and how it explains itself. */

import { parseArgs } from 'node:util';
import { settingsHelp } from './settings.ts';

const OPTIONS = {
  once: {
    type: 'boolean',
    help: 'with --stdout: collect once, send nothing; needs no backend, only PROXIMA_CLUSTER_NAME',
  },
  stdout: { type: 'boolean', help: 'print the snapshot as JSON, and how each resource was read on stderr' },
  version: { type: 'boolean', help: 'print the version' },
  help: { type: 'boolean', short: 'h', help: 'print this text' },
} as const;

export type Asked =
  | { readonly kind: 'run' | 'once' | 'version' | 'help' }
  /** `problem` names the argument. */
  | { readonly kind: 'wrong'; readonly problem: string };

/** What the arguments ask for. */
export function readArguments(argv: readonly string[]): Asked {
  let values: { readonly [K in keyof typeof OPTIONS]?: boolean };
  try {
    values = parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: false }).values;
  } catch (error) {
    // What follows the first sentence is advice about arguments that this command does not have.
    return { kind: 'wrong', problem: (error as Error).message.split('. ', 1)[0] ?? '' };
  }
  if (values.help) return { kind: 'help' };
  if (values.version) return { kind: 'version' };
  if (values.once && !values.stdout) {
    return {
      kind: 'wrong',
      problem: '--once needs --stdout: it prints one snapshot. To publish, run the agent without --once',
    };
  }
  if (values.stdout && !values.once) return { kind: 'wrong', problem: '--stdout needs --once' };
  return { kind: values.once ? 'once' : 'run' };
}

/** The help text. */
export const usage = (): string => `usage: ./proxima agent [options]

Reads one Kubernetes cluster and publishes its inventory to the backend, until SIGTERM or SIGINT. The cluster is the one
of KUBECONFIG, else the one that it runs in.

Settings, from the environment:
${settingsHelp()}

options:
${Object.entries(OPTIONS)
  .map(([name, { help }]) => `  --${name.padEnd(18)} ${help}`)
  .join('\n')}
`;
