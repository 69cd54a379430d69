/** The parameter `pql`, and what a route answers when it cannot be read. */

import type { Pql, PqlFields } from '../rules/pql/parse.ts';
import { parsePql } from '../rules/pql/parse.ts';
import type { Param } from './params.ts';
import type { Refusal } from './refusal.ts';
import { refuse } from './refusal.ts';

/** The query as it came; it is read with `readPql`, whose fault has a position. */
export const pqlParam = (fields: PqlFields): Param<string | null> => ({
  schema: { type: 'string', maxLength: 2000 },
  description: `A query: field, =, != or ~, text in double quotes; AND, OR, NOT, ( ). Fields: ${Object.keys(fields).join(', ')}.`,
  problem: '',
  absent: null,
  read: (text) => text,
});

/** The query; a refusal that names the place of a fault, counted in characters from 1. */
export function readPql(text: string, fields: PqlFields): Pql | Refusal {
  const parsed = parsePql(text, fields);
  if (parsed.ok) return parsed.pql;
  const { position, problem } = parsed;
  return refuse(400, 'invalid_param', `pql ${problem} (at character ${position})`, {
    details: { parameter: 'pql', position },
  });
}
