/** The agent: as a part of another program, and as `./proxima agent`. */

import { parseArgs } from 'node:util';
import type { AgentConfig } from './config.ts';
import { describeConfig, readConfig } from './config.ts';
import type { AgentEnd, Parts } from './life.ts';
import { createEnding, live } from './life.ts';
import type { Log } from './log.ts';
import { createLog } from './log.ts';
import { startProbes } from './probes.ts';
import { settingsHelp } from './settings.ts';
import { AGENT_VERSION } from './version.ts';

export interface RunningAgent {
  /** Base URL of `/healthz` and `/readyz` on this machine. */
  readonly probesUrl: string;
  /** Resolves when everything is closed. Never rejects. */
  readonly ended: Promise<AgentEnd>;
  /** Asks it to end in order (OB-09) and resolves when it has: a running sync is finished first. */
  stop(): Promise<void>;
}

export interface AgentDeps {
  /** Where it logs; standard output without. */
  readonly log?: Log;
}

/**
 * Starts an agent in this process. Resolves as soon as its probes answer; enrollment and all that follows run behind.
 * Rejects when the probes' address can't be bound. It ends by `stop`, or by itself (`ended` tells how); it never ends
 * the process and handles no signals.
 */
export async function startAgent(config: AgentConfig, deps: AgentDeps = {}): Promise<RunningAgent> {
  const log = deps.log ?? createLog(config.logLevel, { cluster: config.clusterSlug });
  log.info({ version: AGENT_VERSION, settings: describeConfig(config) }, 'the agent starts');
  for (const warning of config.warnings) log.warn({}, warning);
  const ending = createEnding();
  const parts: Parts = { session: null, link: null };
  const probes = await startProbes(config.metricsAddress, () => ({
    enrolled: parts.session !== null,
    connected: parts.link?.isConnected() ?? false,
  }));
  const ended = live({ config, parts, probes, ending, log }).then(
    () => ending.how() ?? { kind: 'stopped' as const },
    (error): AgentEnd => ({ kind: 'failed', error }),
  );
  return {
    probesUrl: probes.url,
    ended,
    async stop() {
      ending.end({ kind: 'stopped' });
      await ended;
    },
  };
}

const usage = (): string => `Usage: proxima agent [--help] [--version]

Reads one Kubernetes cluster and publishes its inventory to the backend, until SIGTERM or SIGINT.

Settings, from the environment:
${settingsHelp()}
`;

/**
 * Runs the agent with the settings of the environment until it ends or a SIGTERM or SIGINT asks it to. Answers the exit
 * code: 0 after a signal or a help text, 1 when the agent could not go on, 2 for faulty arguments or settings.
 */
export async function runAgentCommand(argv: readonly string[]): Promise<number> {
  const asked = readArguments(argv);
  if (asked === null) {
    process.stderr.write(usage());
    return 2;
  }
  if (asked.help || asked.version) {
    process.stdout.write(asked.help ? usage() : `${AGENT_VERSION}\n`);
    return 0;
  }
  const read = readConfig();
  if (!read.ok) {
    process.stderr.write(read.faults.map((fault) => `proxima agent: ${fault}\n`).join(''));
    return 2;
  }
  const log = createLog(read.config.logLevel, { cluster: read.config.clusterSlug });
  const agent = await startAgent(read.config, { log }).catch((err: unknown) => {
    log.error({ err }, 'the agent cannot start');
    return null;
  });
  if (agent === null) return 1;
  const onSignal = (): void => void agent.stop();
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  const end = await agent.ended;
  process.off('SIGTERM', onSignal);
  process.off('SIGINT', onSignal);
  if (end.kind === 'refused') log.error({}, end.message);
  if (end.kind === 'failed') log.error({ err: end.error }, 'the agent ends after a fault');
  return end.kind === 'stopped' ? 0 : 1;
}

function readArguments(argv: readonly string[]): { help: boolean; version: boolean } | null {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } },
    });
    return { help: values.help ?? false, version: values.version ?? false };
  } catch {
    return null;
  }
}
