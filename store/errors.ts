/** Which database errors are about a value, and so can never go away by trying again (contracts.md section 2). */

import { DatabaseError } from './pool.ts';

/** A value that the schema refuses: what refused it, never the value. */
export interface RefusedValue {
  /** SQLSTATE, then the constraint or column that PostgreSQL named. */
  readonly detail: string;
}

/**
 * Data exceptions and integrity violations, and a value that is too large for an index or a field. Not a foreign key
 * (23503): those ids are ours, so one that fails was deleted in between, and the next delivery finds another.
 */
const REFUSING = /^(22|23(?!503)|54)/;

/**
 * Reads an error of the store; null when it is not about a value. The constraint and column come from PostgreSQL's own
 * fields; its message and detail quote the row, so they stay out. A COPY names its column only inside the context line,
 * from which nothing but an identifier is taken.
 */
export function refusedValue(error: unknown): RefusedValue | null {
  if (!(error instanceof DatabaseError) || error.code === undefined || !REFUSING.test(error.code))
    return null;
  const copied = /^COPY (\w+), line \d+(?:, column (\w+))?/.exec(error.where ?? '');
  const place = error.constraint ?? error.column ?? copied?.[2];
  return { detail: [error.code, error.table ?? copied?.[1], place].filter(Boolean).join(' ') };
}

/** The statement took longer than the pool lets one take (SQLSTATE 57014). */
export const isOverdue = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === '57014';

/** SQLSTATE of a server that goes down, comes up, or takes no more connections. */
const AWAY_STATES = /^(08|53300|57P0[1-3])/;

/**
 * PostgreSQL is away: it said so, or there was no connection to it. Errors of the driver about connections have no class
 * and no code of their own, so everything about a connection that carries neither SQLSTATE nor ours counts.
 */
export function isAway(error: unknown): boolean {
  if (error instanceof DatabaseError) return AWAY_STATES.test(error.code ?? '');
  const { code, message } = error as { code?: unknown; message?: unknown };
  const network = typeof code === 'string' && /^E(CONN|PIPE|HOST|NET|AI_|TIMEDOUT|NOTFOUND)/.test(code);
  return network || /^(Connection terminated|timeout exceeded when trying to connect)/.test(String(message));
}
