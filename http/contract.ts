/** What a route promises, and what its handler gets. */

import type { Schema } from '../wire/kinds/define.ts';
import type { Backend } from './backend.ts';
import type { BodyShape } from './body.ts';
import type { BudgetRule } from './budget.ts';
import type { Incoming } from './incoming.ts';
import type { Params, QueryOf } from './params.ts';

export type Method = 'GET' | 'POST' | 'DELETE';

/** What a route promises to the outside; the OpenAPI document is made of these. */
export interface Contract<P extends Params, B> {
  readonly method: Method;
  /** With `:name` for parameters. */
  readonly path: string;
  /** One sentence. */
  readonly summary: string;
  readonly query?: P;
  readonly body?: BodyShape<B>;
  /** Status of success; 200 when left out. */
  readonly status?: number;
  /** Schema of the body of success; null without a JSON body. */
  readonly answer: Schema | null;
  /** Statuses of refusals beyond those that follow from the parts of the contract. */
  readonly refusals?: readonly number[];
  readonly budget?: BudgetRule;
  /** Unknown, empty and repeated parameters are refused, as `bad_request`. */
  readonly closed?: true;
  /** Parameters that the line of an audited call names. */
  readonly auditedQuery?: readonly (keyof P & string)[];
  /** A log line for each call; administration and writes have one anyway. */
  readonly audited?: true;
  /** A page for people: a browser that is not signed in is sent to sign in first. */
  readonly page?: true;
  /** False while a part that the route needs is not set up: 503 `not_configured`. */
  readonly configured?: (backend: Backend) => boolean;
}

/** What every handler gets. */
export interface Call<P extends Params, B> {
  readonly backend: Backend;
  readonly request: Incoming;
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryOf<P>;
  readonly body: B;
  /** The body as it came; empty without one. */
  readonly bodyText: string;
  /** The time of the request. */
  readonly now: Date;
}
