/** The backend's log: one JSON line per event, on standard output. */

import { createLogger, type LogLevel } from 'bunyan';

/** What a part of the backend needs to log: fields first, then a sentence that never changes. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Levels that the setting PROXIMA_LOG_LEVEL takes. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[];
export type Level = (typeof LOG_LEVELS)[number];

/** A log that writes lines of `level` and above. An error goes under the key `err`. */
export function createLog(level: Level): Log {
  return createLogger({ name: 'proxima', level, serializers: { err: describeError } });
}

/** No class of SQLSTATE begins with E; Node's codes do (EPIPE). */
const SQLSTATE = /^(?!E)[0-9A-Z]{5}$/;
const CAUSES_SHOWN = 5;

/**
 * An error as log fields: name, code, stack and causes. PostgreSQL's message is left out where its code is a SQLSTATE:
 * it quotes the refused value, which is a customer's; column, table and constraint say where it was.
 */
export function describeError(error: unknown, depth = 0): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { name: typeof error };
  const { code, column, table, constraint } = error as Error & Partial<Record<string, unknown>>;
  const fromDatabase = typeof code === 'string' && SQLSTATE.test(code);
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at '));
  return {
    name: error.name,
    ...(fromDatabase ? { column, table, constraint } : { message: error.message }),
    code,
    stack: frames?.join('\n'),
    ...(error.cause === undefined || depth >= CAUSES_SHOWN
      ? {}
      : { cause: describeError(error.cause, depth + 1) }),
  };
}
