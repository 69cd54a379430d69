/** One log line for each call that changes something or administers the system: who, what, on what, how it ended. */

import type { Identity } from '../store/sessions.ts';
import type { Answer } from './answer.ts';
import type { Backend } from './backend.ts';
import type { Incoming } from './incoming.ts';
import type { Params } from './params.ts';
import type { Refusal } from './refusal.ts';
import { isRefusal } from './refusal.ts';

/**
 * Runs a call and logs its line, refusals and faults included. The parameters of the path are ids; bodies stay out, they
 * hold names and secrets. A caller who could not be identified is null.
 */
export async function audited(
  about: {
    readonly method: string;
    readonly path: string;
    readonly query?: Params;
    readonly auditedQuery?: readonly string[];
  },
  backend: Backend,
  request: Incoming,
  run: (request: Incoming) => Promise<Answer>,
): Promise<Answer> {
  let caller: Identity | Refusal | null = null;
  const remembering: Incoming = {
    ...request,
    async identify() {
      caller = await request.identify();
      return caller;
    },
  };
  let status = 500;
  try {
    const answer = await run(remembering);
    status = answer.status;
    return answer;
  } finally {
    const known = identified(caller);
    backend.log.info(
      {
        caller_id: known?.caller_id ?? null,
        caller: known?.name ?? null,
        token_id: known?.token_id ?? null,
        address: request.address,
        method: about.method,
        route: about.path,
        params: request.params,
        ...(about.auditedQuery === undefined
          ? {}
          : { asked: askedIn(about.auditedQuery, about.query, request) }),
        status,
        request_id: request.requestId,
      },
      'audit',
    );
  }
}

/** The named parameters as they were given, as far as they can be read: anything else may be a secret that was pasted. */
const askedIn = (
  names: readonly string[],
  query: Params | undefined,
  { search }: Incoming,
): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const [text, ...more] = search.getAll(name);
      const isReadable = text !== undefined && more.length === 0 && query?.[name]?.read(text) !== undefined;
      return isReadable ? [[name, text]] : [];
    }),
  );

const identified = (caller: Identity | Refusal | null): Identity | null =>
  caller === null || isRefusal(caller) ? null : caller;
