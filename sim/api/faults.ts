import type { Answer } from './answer.ts';
import { expired } from './list.ts';
import { failure, unauthorized } from './status.ts';
import type { Target } from './target.ts';
import { forbidden, type TokenRights } from './tokens.ts';

/** Which requests a fault meets. Fields that are absent match everything. */
export interface FaultMatch {
  /** Plural name, with its subresource if that is meant: `pods`, `pods/log`; or a whole path such as `/version`. */
  readonly resource?: string;
  readonly group?: string;
  readonly verb?: string;
  readonly namespace?: string;
  /** Only the second and later pages of a list (true), or only requests without a `continue` token (false). */
  readonly continued?: boolean;
  /** How many requests it meets before it is used up; default: all until it is cleared. */
  readonly times?: number;
}

export type Fault = FaultMatch &
  (
    | { readonly kind: 'unauthorized' | 'forbidden' | 'expired' | 'broken' }
    /** 429; `retryAfterSeconds` defaults to 1. */
    | { readonly kind: 'throttled'; readonly retryAfterSeconds?: number }
    /** The true answer's head, then at most `afterBytes` of its body (default: half), then the connection breaks. */
    | { readonly kind: 'cut'; readonly afterBytes?: number }
    /** The true answer, that much later. */
    | { readonly kind: 'slow'; readonly delayMs: number }
  );

/** What a specification has told the server to do wrong. The oldest fault that matches a request meets it. */
export class Faults {
  #planned: { readonly fault: Fault; left: number }[] = [];

  add(fault: Fault): void {
    this.#planned.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY });
  }

  clear(): void {
    this.#planned = [];
  }

  /** The fault that meets this request, counted as used; null when it goes well. */
  take(target: Target, query: URLSearchParams): Fault | null {
    const found = this.#planned.find(({ fault }) => meets(fault, target, query.has('continue')));
    if (found === undefined) return null;
    found.left -= 1;
    if (found.left <= 0) this.#planned = this.#planned.filter((each) => each !== found);
    return found.fault;
  }
}

function meets(match: FaultMatch, target: Target, continued: boolean): boolean {
  if ((match.continued ?? continued) !== continued) return false;
  if ((match.verb ?? target.verb) !== target.verb) return false;
  if (target.kind === 'path') {
    return (
      (match.resource ?? target.path) === target.path &&
      match.group === undefined &&
      match.namespace === undefined
    );
  }
  const { group, namespace } = target;
  const resource = target.subresource === '' ? target.resource : `${target.resource}/${target.subresource}`;
  return (
    (match.resource ?? resource) === resource &&
    (match.group ?? group) === group &&
    (match.namespace ?? namespace) === namespace
  );
}

/** The answer that a fault puts in place of the true one, or null when it only disturbs the sending. */
export function faultAnswer(fault: Fault, target: Target, rights: TokenRights | null): Answer | null {
  switch (fault.kind) {
    case 'unauthorized':
      return unauthorized;
    case 'forbidden':
      return forbidden(rights, target);
    case 'expired':
      return expired('\u0000');
    case 'broken':
      return failure(500, 'InternalError', 'Internal error occurred: etcdserver: leader changed', {
        causes: [{ reason: '', message: 'etcdserver: leader changed' }],
      });
    case 'throttled': {
      const seconds = fault.retryAfterSeconds ?? 1;
      const message = 'Too many requests, please try again later.';
      const details = { retryAfterSeconds: seconds };
      return {
        ...failure(429, 'TooManyRequests', message, details),
        headers: { 'Retry-After': String(seconds) },
      };
    }
    case 'cut':
    case 'slow':
      return null;
  }
}
