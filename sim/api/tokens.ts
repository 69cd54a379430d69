import type { Answer } from './answer.ts';
import { detailsOf, failure, qualified } from './status.ts';
import type { Target } from './target.ts';

/** What a token may not do. Fields that are absent match everything. */
export interface Denial {
  /** Plural name, with its subresource if that is meant: `pods`, `pods/log`. */
  readonly resource?: string;
  readonly group?: string;
  readonly verb?: string;
  readonly namespace?: string;
}

/** What RBAC says of one request; the fields of `resourceAttributes` in an access review. */
export interface Attempt {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
}

/** What stands behind a bearer token. What is not denied is allowed; `deny: [{}]` leaves it without any right. */
export interface TokenRights {
  /** As a 403 names them; a ServiceAccount is `system:serviceaccount:<namespace>:<name>`. */
  readonly user?: string;
  readonly deny?: readonly Denial[];
}

const anonymous: TokenRights = { user: 'system:anonymous', deny: [{}] };

/** Paths that RBAC's default bindings open to everybody. */
const publicPaths = new Set(['/version', '/healthz', '/livez', '/readyz']);

/** The rights behind an Authorization header; null when it carries a token that is not accepted (401). */
export function authenticate(
  tokens: ReadonlyMap<string, TokenRights>,
  header: string | undefined,
): TokenRights | null {
  const token = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
  // As the real server has it: no token is somebody, namely nobody in particular; a wrong one is an error.
  return token === undefined ? anonymous : (tokens.get(token) ?? null);
}

/** The name that messages give the holder of these rights. */
function userOf(rights: TokenRights | null): string {
  return rights?.user ?? 'system:serviceaccount:default:simulated';
}

/** Whether the rights allow an attempt. */
export function allows(rights: TokenRights, attempt: Attempt): boolean {
  const resource =
    attempt.subresource === '' ? attempt.resource : `${attempt.resource}/${attempt.subresource}`;
  return !(rights.deny ?? []).some(
    (denial) =>
      (denial.resource ?? resource) === resource &&
      (denial.group ?? attempt.group) === attempt.group &&
      (denial.verb ?? attempt.verb) === attempt.verb &&
      (denial.namespace ?? attempt.namespace) === attempt.namespace,
  );
}

/** The 403 for a request that the rights do not allow, or null. Paths that name no resource are open to every token. */
export function refusal(rights: TokenRights, target: Target): Answer | null {
  if (target.kind === 'resource') {
    // RBAC's default bindings let everybody who is somebody ask for his own rights.
    const isOwnReview = target.resource === 'selfsubjectaccessreviews' && rights !== anonymous;
    return isOwnReview || allows(rights, target) ? null : forbidden(rights, target);
  }
  return rights !== anonymous || publicPaths.has(target.path) ? null : forbidden(rights, target);
}

/** The 403: its message names the user, and its details name the resource by its plural. */
export function forbidden(rights: TokenRights | null, target: Target): Answer {
  const user = userOf(rights);
  if (target.kind === 'path') {
    return failure(
      403,
      'Forbidden',
      `forbidden: User "${user}" cannot ${target.verb} path "${target.path}"`,
      {},
    );
  }
  const { verb, group, namespace, name, subresource } = target;
  const resource = subresource === '' ? target.resource : `${target.resource}/${subresource}`;
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const what = name === '' ? qualified(target) : `${qualified(target)} "${name}"`;
  return failure(
    403,
    'Forbidden',
    `${what} is forbidden: User "${user}" cannot ${verb} resource "${resource}" in API group "${group}" ${scope}`,
    detailsOf(target, name === '' ? undefined : name),
  );
}
