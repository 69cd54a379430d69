/** `./proxima serve`. */

import { createLog } from '../actors/log.ts';
import { NatsServerMissing } from '../actors/natsBinary.ts';
import { readConfig } from '../http/config.ts';
import { serve } from '../http/main.ts';
import { settingsHelp } from '../http/settings.ts';
import { parseDuration } from '../rules/duration.ts';
import { homeOf, readOptions } from './options.ts';
import { stopRequested } from './stopSignals.ts';

const INTRO = `usage: ./proxima serve [options]

Runs the backend until SIGTERM or SIGINT. Without DATABASE_URL and NATS_URL it starts a PostgreSQL and a nats-server
of its own, with data in .proxima/. Without PROXIMA_HOST it listens on all interfaces.

Settings, from the environment:
${settingsHelp()}`;

const OPTIONS = {
  'data-dir': {
    type: 'string',
    help: 'where servers of our own keep keys and data (.proxima of the checkout)',
  },
  'stop-with-parent': { type: 'boolean', help: 'end when the process that started this one is gone' },
  'admin-token': {
    type: 'boolean',
    help: "print a new administrator's token, good for 24 hours, when all others have ended",
  },
  'ack-wait': { type: 'string', help: 'after this silence a message is delivered again (90s)' },
} as const;

/** Returns the exit code: 0 stopped, 1 it could not start, 2 bad usage, bad settings or no nats-server to be had. */
export async function runServe(argv: string[]): Promise<number> {
  const parsed = readOptions(INTRO, OPTIONS, argv);
  if ('exitCode' in parsed) return parsed.exitCode;
  const read = readConfig();
  if (!read.ok) {
    for (const fault of read.faults) console.error(`proxima: ${fault}`);
    return 2;
  }
  const given = parsed.values['ack-wait'];
  const ackWaitMs = typeof given === 'string' ? parseDuration(given) : undefined;
  if (ackWaitMs === null) {
    console.error('proxima: --ack-wait must be a duration, such as 90s');
    return 2;
  }
  const stopped = stopRequested({ withParent: parsed.values['stop-with-parent'] === true });
  const log = createLog(read.config.logLevel);
  try {
    const backend = await serve(read.config, {
      log,
      dataDir: homeOf(parsed.values),
      newAdministratorToken: parsed.values['admin-token'] === true,
      ...(ackWaitMs === undefined ? {} : { system: { ackWaitMs } }),
    });
    if (backend.administratorToken !== null) {
      console.log(`PROXIMA_TOKEN=${backend.administratorToken}`);
      console.log('(an administrator, good for 24 hours and shown only now)');
    }
    log.info({ reason: await stopped }, 'stopping');
    await backend.stop();
    log.info({}, 'stopped');
    return 0;
  } catch (error) {
    console.error(`proxima: ${(error as Error).message}`);
    return error instanceof NatsServerMissing ? 2 : 1;
  }
}
