/** The agent: as a part of another program, and as `./proxima agent`. */

import { readArguments, usage } from './commandLine.ts';
import type { AgentConfig } from './config.ts';
import { describeConfig, readConfig, readOnceConfig } from './config.ts';
import type { AgentEnd } from './ending.ts';
import { createEnding } from './ending.ts';
import type { LeaseTimings } from './leader.ts';
import { live } from './life.ts';
import type { Log } from './log.ts';
import { createLog } from './log.ts';
import { createAgentMetrics } from './metrics.ts';
import { printOnce } from './once.ts';
import { createParts } from './parts.ts';
import { startProbes } from './probes.ts';
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
  /** Specs wait in fractions of seconds. */
  readonly leaseTimings?: LeaseTimings;
  /** A bench brings the files of a ServiceAccount along. */
  readonly serviceAccountDir?: string;
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
  const parts = createParts();
  const metrics = createAgentMetrics();
  const probes = await startProbes(config.metricsAddress, {
    readiness: parts.readiness,
    metrics: () => metrics.render(),
    state: () => parts.debugState(config),
  });
  const ended = live({ ...deps, config, parts, probes, metrics, ending, log }).then(
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

/**
 * Runs the agent with the settings of the environment until it ends or a SIGTERM or SIGINT asks it to. Answers the exit
 * code: 0 after a signal or a text that was asked for, 1 when the agent could not go on, 2 for faulty arguments or
 * settings.
 */
export async function runAgentCommand(argv: readonly string[]): Promise<number> {
  const asked = readArguments(argv);
  switch (asked.kind) {
    case 'wrong':
      return wrong([asked.problem], `\n${usage()}`);
    case 'help':
    case 'version':
      process.stdout.write(asked.kind === 'help' ? usage() : `${AGENT_VERSION}\n`);
      return 0;
    case 'once': {
      const read = readOnceConfig();
      return read.ok ? printOnce(read.config, process.stdout, process.stderr) : wrong(read.faults);
    }
    case 'run': {
      const read = readConfig();
      return read.ok ? runUntilEnded(read.config) : wrong(read.faults);
    }
  }
}

function wrong(problems: readonly string[], advice = ''): number {
  process.stderr.write(problems.map((problem) => `proxima: ${problem}\n`).join('') + advice);
  return 2;
}

async function runUntilEnded(config: AgentConfig): Promise<number> {
  const log = createLog(config.logLevel, { cluster: config.clusterSlug });
  const agent = await startAgent(config, { log }).catch((err: unknown) => {
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
