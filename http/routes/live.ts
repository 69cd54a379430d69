/** Reads through the cluster's own agent, now: manifest, rollout history, logs (LV-01 to LV-27). Nothing is stored. */

import { isDnsLabel, isDnsSubdomain, parseSince, parseTail, REVISION_KINDS } from '../../rules/query/live.ts';
import { MANIFEST_KINDS } from '../../rules/scrub/manifest.ts';
import type { ClusterRow } from '../../store/clusters.ts';
import type { Identity } from '../../store/sessions.ts';
import type { KubeQuery, LiveOp } from '../../wire/kubeQuery.ts';
import { DEFAULT_TAIL, LIVE_DATA, MAX_TAIL } from '../../wire/kubeQuery.ts';
import type { Answer } from '../answer.ts';
import type { Backend } from '../backend.ts';
import type { BudgetRule } from '../budget.ts';
import type { Incoming } from '../incoming.ts';
import { answerOf } from '../liveAnswer.ts';
import type { Param } from '../params.ts';
import type { Route } from '../route.ts';
import { clusterRoute } from '../route.ts';
import { dataOf } from '../schemas.ts';

const BASE = '/api/v1/clusters/:clusterID/live';
const REFUSALS = [409, 502, 504];

const OBJECT_READS: BudgetRule = {
  name: 'live objects',
  perMinute: 60,
  message: 'too many manifest and revisions reads',
};
const LOG_READS: BudgetRule = { name: 'live logs', perMinute: 30, message: 'too many log reads' };

const required = (
  description: string,
  problem: string,
  isGood: (text: string) => boolean,
): Param<string> => ({
  schema: { type: 'string', minLength: 1, maxLength: 253 },
  description,
  problem: (text) => (text === '' ? 'is missing' : problem),
  absent: '',
  required: true,
  read: (text) => (isGood(text) ? text : undefined),
});

const LABEL = 'must be a DNS-1123 label';
const SUBDOMAIN = 'must be a DNS-1123 subdomain';
const namespace = required('Namespace.', LABEL, isDnsLabel);
const name = required('Name of the object.', SUBDOMAIN, isDnsSubdomain);

const kindOf = (kinds: readonly string[]): Param<string> => ({
  ...required('Kind of the object.', `must be one of ${kinds.join(', ')}`, (text) => kinds.includes(text)),
  schema: { type: 'string', enum: [...kinds] },
});

const optional = <T>(
  schema: Param<T>['schema'],
  description: string,
  problem: string,
  read: (text: string) => T | null,
): Param<T | null> => ({
  schema,
  description,
  problem,
  absent: null,
  read: (text) => read(text) ?? undefined,
});

const logParams = {
  namespace,
  pod: required('Name of the pod.', SUBDOMAIN, isDnsSubdomain),
  container: optional({ type: 'string' }, 'Container; the only one when left out.', LABEL, (text) =>
    isDnsLabel(text) ? text : null,
  ),
  tail: optional(
    { type: 'integer', minimum: 1, maximum: MAX_TAIL, default: DEFAULT_TAIL },
    'Newest lines to read; with since_time always the maximum.',
    `must be an integer from 1 to ${MAX_TAIL}`,
    parseTail,
  ),
  previous: optional(
    { type: 'boolean', default: false },
    'True for the run before the last restart.',
    'must be true or false',
    (text) => (text === 'true' || text === 'false' ? text === 'true' : null),
  ),
  since_time: optional(
    { type: 'string', format: 'date-time' },
    'Only lines at or after it, to the second: whoever follows drops those he has.',
    'must be a time such as 2026-11-30T22:00:00Z',
    parseSince,
  ),
};

/** Who reads, as the agent logs it (LV-03). */
const actorOf = (caller: Identity): string =>
  caller.email ?? `proxima-console:${caller.type}:${caller.caller_id}`;

async function ask(
  {
    backend,
    request,
    caller,
    cluster,
  }: { backend: Backend; request: Incoming; caller: Identity; cluster: ClusterRow },
  op: LiveOp,
  asked: Pick<KubeQuery, 'namespace' | 'name'> & Partial<KubeQuery>,
): Promise<Answer> {
  const query: KubeQuery = {
    type: 'kube_query',
    schema: 1,
    op,
    kind: null,
    container: null,
    tail: null,
    previous: false,
    since_time: null,
    timestamps: op === 'logs',
    tier: 'read-only',
    actor: actorOf(caller),
    ...asked,
  };
  return answerOf(await backend.live.askLive(cluster, query, request.gone));
}

export const liveRoutes: readonly Route[] = [
  clusterRoute({
    method: 'GET',
    path: `${BASE}/manifest`,
    summary: 'Read one object through the cluster’s agent, redacted before it leaves the cluster.',
    permissions: ['assets:read'],
    query: { kind: kindOf(MANIFEST_KINDS), namespace, name },
    closed: true,
    audited: true,
    auditedQuery: ['kind', 'namespace', 'name'],
    budget: OBJECT_READS,
    refusals: REFUSALS,
    answer: dataOf(LIVE_DATA.manifest),
    handle: (call) => ask(call, 'manifest', call.query),
  }),
  clusterRoute({
    method: 'GET',
    path: `${BASE}/revisions`,
    summary: 'Read the newest 20 revisions of a workload through the cluster’s agent.',
    permissions: ['assets:read'],
    query: { kind: kindOf(REVISION_KINDS), namespace, name },
    closed: true,
    audited: true,
    auditedQuery: ['kind', 'namespace', 'name'],
    budget: OBJECT_READS,
    refusals: REFUSALS,
    answer: dataOf(LIVE_DATA.revisions),
    handle: (call) => ask(call, 'revisions', call.query),
  }),
  clusterRoute({
    method: 'GET',
    path: `${BASE}/logs`,
    summary:
      'Read the newest lines of one container through the cluster’s agent, without the secrets in them.',
    permissions: ['logs:read'],
    query: logParams,
    closed: true,
    audited: true,
    auditedQuery: ['namespace', 'pod', 'container'],
    budget: LOG_READS,
    refusals: REFUSALS,
    answer: dataOf(LIVE_DATA.logs),
    handle: (call) => {
      const { pod, tail, previous, since_time, ...asked } = call.query;
      // A follow reads all it can: what it leaves out is gone for the page that polls (LV-15).
      const lines = since_time === null ? (tail ?? DEFAULT_TAIL) : MAX_TAIL;
      return ask(call, 'logs', { ...asked, name: pod, previous: previous ?? false, since_time, tail: lines });
    },
  }),
];
