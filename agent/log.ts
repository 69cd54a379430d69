/** The agent's log: one JSON line per event, on standard output. */

import { createLogger } from 'bunyan';
import type { LogLevel } from './settings.ts';

/** What a part of the agent needs to log: fields first, then a sentence that never changes. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * A log that writes lines of `level` and above (CF-15). An error goes under the key `err`.
 * @param fields what every line carries, such as the cluster's slug
 */
export const createLog = (
  level: LogLevel,
  fields: object = {},
  stream: NodeJS.WritableStream = process.stdout,
): Log =>
  createLogger({ name: 'proxima-agent', level, stream, serializers: { err: describeError }, ...fields });

const CAUSES_SHOWN = 5;

/** An error as log fields: name, code, message, stack and its causes. */
export function describeError(error: unknown, depth = 0): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { name: typeof error };
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at '));
  return {
    name: error.name,
    message: error.message,
    code: (error as NodeJS.ErrnoException).code,
    stack: frames?.join('\n'),
    ...(error.cause === undefined || depth >= CAUSES_SHOWN
      ? {}
      : { cause: describeError(error.cause, depth + 1) }),
  };
}
