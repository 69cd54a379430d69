/**
 * The four route makers, the only way to mount a route. Each runs the same steps in the same order: identity
 * 401, permission anywhere 403, load 404, permission here 403, parse 400, budget 429, not configured 503, handle.
 * A caller without entitlement learns nothing beyond 401, 403 and 404, and spends no budget.
 */

import type { Permission } from '../rules/access.ts';
import type { ClusterRow } from '../store/clusters.ts';
import { getCluster } from '../store/clusters.ts';
import type { ClusterInScope, ScopeFilter } from '../store/scope.ts';
import type { Identity } from '../store/sessions.ts';
import { cleanValue, mayNeedCleaning } from '../wire/clean.ts';
import type { Schema } from '../wire/kinds/define.ts';
import type { Access } from './access.ts';
import { accessOf } from './access.ts';
import type { Answer } from './answer.ts';
import { audited } from './audit.ts';
import type { Backend } from './backend.ts';
import type { BudgetRule } from './budget.ts';
import type { Call, Contract, Method } from './contract.ts';
import type { Incoming, RequestBody } from './incoming.ts';
import type { Params } from './params.ts';
import { readClosedQuery, readQuery } from './params.ts';
import type { Refusal } from './refusal.ts';
import { badBody, isRefusal, rateLimited, refuse } from './refusal.ts';
import { signInFirst } from './signInFirst.ts';
import type { Target } from './target.ts';
import { isUuid } from './uuid.ts';

export type RouteKind = 'cluster' | 'scoped' | 'system' | 'open';

declare const made: unique symbol;

/** A route, ready to be mounted; only the makers below can make one. */
export interface Route {
  readonly [made]: true;
  readonly kind: RouteKind;
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  /** One of these is needed; empty for open routes. */
  readonly permissions: readonly Permission[];
  /** Why an open route asks for no caller. */
  readonly reason: string | null;
  readonly query: Params;
  readonly bodySchema: Schema | null;
  readonly status: number;
  readonly answerSchema: Schema | null;
  /** Statuses of refusals beyond those that follow from the other parts. */
  readonly refusals: readonly number[];
  readonly run: (backend: Backend, request: Incoming) => Promise<Answer>;
}

/** A route below `/api/v1/clusters/:clusterID`; the handler gets the cluster, found and entitled. */
export function clusterRoute<P extends Params, B>(
  contract: Contract<P, B> & {
    readonly permissions: readonly Permission[];
    readonly handle: (
      call: Call<P, B> & { caller: Identity; access: Access; cluster: ClusterInScope<ClusterRow> },
    ) => Promise<Answer>;
  },
): Route {
  return make('cluster', contract, contract.permissions, async (backend, request, now) => {
    const entered = await enter(request, (access) => access.gate(contract.permissions));
    if (isRefusal(entered)) return entered;
    const id = request.params.clusterID ?? '';
    const row = isUuid(id) ? await getCluster(backend.pool, id) : null;
    const cluster = entered.access.cluster(row, contract.permissions);
    if (isRefusal(cluster)) return cluster;
    const call = await parse(contract, backend, request, now);
    if (isRefusal(call)) return call;
    const refused = admit(contract, backend, entered.caller.caller_id, now);
    return refused ?? contract.handle({ ...call, ...entered, cluster });
  });
}

/** A route on tenant data that is no cluster: the handler gets the caller's scope and what the target found in it. */
export function scopedRoute<P extends Params, B, T>(
  contract: Contract<P, B> & {
    readonly permission: Permission;
    readonly target: Target<T, B>;
    readonly handle: (
      call: Call<P, B> & { caller: Identity; access: Access; scope: ScopeFilter; target: T },
    ) => Promise<Answer>;
  },
): Route {
  const { permission, target } = contract;
  return make('scoped', contract, [permission], async (backend, request, now) => {
    const entered = await enter(request, (access) => access.gate([permission]));
    if (isRefusal(entered)) return entered;
    const { access } = entered;
    const inPath = target.inPath && (await target.inPath({ backend, access, permission, request, now }));
    if (isRefusal(inPath)) return inPath;
    const call = await parse(contract, backend, request, now);
    if (isRefusal(call)) return call;
    const found = target.inBody
      ? await target.inBody({ backend, access, permission, body: call.body, now })
      : (inPath as T);
    if (isRefusal(found)) return found;
    const refused = admit(contract, backend, entered.caller.caller_id, now);
    return (
      refused ?? contract.handle({ ...call, ...entered, scope: access.scope(permission), target: found })
    );
  });
}

/** A route on the system as a whole, for callers who hold `admin:write` on everything. */
export function systemRoute<P extends Params, B>(
  contract: Contract<P, B> & {
    readonly handle: (call: Call<P, B> & { caller: Identity }) => Promise<Answer>;
  },
): Route {
  return make('system', contract, ['admin:write'], async (backend, request, now) => {
    const entered = await enter(request, (access) => access.gateEverywhere('admin:write'));
    if (isRefusal(entered)) {
      return contract.page ? signInFirst(contract.path, request, entered) : entered;
    }
    const call = await parse(contract, backend, request, now);
    if (isRefusal(call)) return call;
    const refused = admit(contract, backend, entered.caller.caller_id, now);
    return refused ?? contract.handle({ ...call, caller: entered.caller });
  });
}

/** A route that asks for no caller, and says why. Its budget counts per address. */
export function openRoute<P extends Params, B>(
  contract: Contract<P, B> & {
    readonly reason: string;
    readonly handle: (call: Call<P, B>) => Promise<Answer>;
  },
): Route {
  return make('open', contract, [], async (backend, request, now) => {
    const { budget } = contract;
    // Before the body is read: here the budget is the only wall.
    const refused = budget === undefined ? null : spend(budget, backend, request.address, now);
    if (refused !== null) return refused;
    const call = await parse(contract, backend, request, now);
    return isRefusal(call) ? call : contract.handle(call);
  });
}

function make<P extends Params, B>(
  kind: RouteKind,
  contract: Contract<P, B> & { readonly reason?: string },
  permissions: readonly Permission[],
  run: (backend: Backend, request: Incoming, now: Date) => Promise<Answer>,
): Route {
  const isAudited = kind === 'system' || (kind === 'scoped' && contract.method !== 'GET') || contract.audited;
  return {
    kind,
    method: contract.method,
    path: contract.path,
    summary: contract.summary,
    permissions,
    reason: contract.reason ?? null,
    query: contract.query ?? {},
    bodySchema: contract.body?.schema ?? null,
    status: contract.status ?? 200,
    answerSchema: contract.answer,
    refusals: [
      ...(contract.refusals ?? []),
      ...(contract.budget === undefined ? [] : [429]),
      ...(contract.page ? [303] : []),
    ],
    run: isAudited
      ? (backend, request) =>
          audited(contract, backend, request, (remembering) => run(backend, remembering, backend.now()))
      : (backend, request) => run(backend, request, backend.now()),
  } as Omit<Route, typeof made> as Route;
}

/** Identity, then the gate. */
async function enter(
  request: Incoming,
  gate: (access: Access) => Refusal | null,
): Promise<{ caller: Identity; access: Access } | Refusal> {
  const caller = await request.identify();
  if (isRefusal(caller)) return caller;
  const access = accessOf(caller.grants);
  return gate(access) ?? { caller, access };
}

async function parse<P extends Params, B>(
  contract: Contract<P, B>,
  backend: Backend,
  request: Incoming,
  now: Date,
): Promise<Call<P, B> | Refusal> {
  const read = contract.closed ? readClosedQuery : readQuery;
  const query = read((contract.query ?? {}) as P, request.search);
  if (isRefusal(query)) return query;
  const rest = { backend, request, params: request.params, query, now };
  if (contract.body === undefined) return { ...rest, body: undefined as B, bodyText: '' };
  const sent = await request.readBody();
  if (isRefusal(sent)) return sent;
  if (!isStorable(sent)) return badBody('', 'holds a NUL or half a surrogate pair');
  const checked = contract.body.check(sent.value);
  if (!checked.ok) return badBody(checked.path, checked.problem);
  return { ...rest, body: checked.value, bodyText: sent.text };
}

/** False for characters that JSON can carry and PostgreSQL cannot store. */
const isStorable = ({ value, text }: RequestBody): boolean =>
  !mayNeedCleaning(text) || JSON.stringify(cleanValue(value)) === JSON.stringify(value);

/** Budgets, then configuration. */
function admit<P extends Params, B>(
  contract: Contract<P, B>,
  backend: Backend,
  callerId: string,
  now: Date,
): Refusal | null {
  const overall: BudgetRule = {
    name: 'caller',
    perMinute: backend.callerRequestsPerMinute,
    message: 'too many requests',
  };
  const refused =
    spend(overall, backend, callerId, now) ??
    (contract.budget === undefined ? null : spend(contract.budget, backend, callerId, now));
  if (refused !== null) return refused;
  return contract.configured === undefined || contract.configured(backend)
    ? null
    : refuse(503, 'not_configured', 'this part of the backend is not configured');
}

function spend(rule: BudgetRule, backend: Backend, key: string, now: Date): Refusal | null {
  const retryAfter = backend.budgets.spend(rule, key, now);
  return retryAfter === null ? null : rateLimited(rule.message, retryAfter);
}
