/** Enrollment: the agent's nkey is bound to its name once, with an install token (contracts.md section 4, EN-01 to EN-06). */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Enrollment, EnrollRequest } from '../wire/enroll.ts';
import { AGENTS_PATH, enrollmentSchema, SIGNATURE_HEADER } from '../wire/enroll.ts';
import { compileSchema } from '../wire/validate.ts';
import type { BackendError } from './backendApi.ts';
import { postJson } from './backendApi.ts';
import type { Log } from './log.ts';
import type { Identity } from './nkey.ts';

export type EnrollOutcome =
  | { readonly kind: 'enrolled'; readonly enrollment: Enrollment }
  /** Asking again would not help; `message` says what to do, for the operator who reads the pod's log. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'cancelled' };

export const checkEnrollment = compileSchema<Enrollment>(enrollmentSchema);

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

/**
 * Asks until the backend answers: an unreachable or busy backend is asked again, with waits from 1 s up to 60 s. The
 * same request with the same nkey gets the same answer, so asking twice costs nothing.
 */
export async function enroll(o: {
  readonly backendUrl: string;
  readonly request: EnrollRequest;
  readonly identity: Identity;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly firstWaitMs?: number;
}): Promise<EnrollOutcome> {
  const body = JSON.stringify(o.request);
  const headers = { [SIGNATURE_HEADER]: o.identity.sign(Buffer.from(body)) };
  let waitMs = o.firstWaitMs ?? FIRST_WAIT_MS;
  while (!o.signal.aborted) {
    const reply = await postJson(`${o.backendUrl}${AGENTS_PATH}/enroll`, body, { headers, signal: o.signal });
    if (reply.kind === 'refused') {
      return { kind: 'refused', ...explain(reply.status, reply.error, o.request) };
    }
    const checked = reply.kind === 'answer' ? checkEnrollment(reply.body) : null;
    if (checked?.ok) return { kind: 'enrolled', enrollment: checked.value };
    if (o.signal.aborted) break;
    const reason =
      reply.kind === 'unavailable' ? reply.reason : 'the answer is not an enrollment; is this the backend?';
    const asked = reply.kind === 'unavailable' ? (reply.retryAfterMs ?? 0) : 0;
    const pauseMs = Math.max(Math.min(asked, LONGEST_WAIT_MS), waitMs * (0.5 + Math.random() / 2));
    o.log.warn({ reason, wait_ms: Math.round(pauseMs) }, 'enrollment gave no answer, asking again');
    await sleep(pauseMs, undefined, { signal: o.signal }).catch(() => undefined);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
  return { kind: 'cancelled' };
}

function explain(
  status: number,
  error: BackendError,
  request: EnrollRequest,
): { code: string; message: string } {
  const code = error.code ?? `status_${status}`;
  const who = `${request.name} of cluster ${request.cluster_slug}`;
  switch (code) {
    case 'invalid_install_token':
      return {
        code,
        message:
          'the backend does not accept PROXIMA_INSTALL_TOKEN: it is unknown, expired, revoked, used up, or bound to another cluster; make a new one',
      };
    case 'already_enrolled':
      return {
        code,
        message:
          error.details.held_by === 'this_cluster'
            ? `${who} is already enrolled with another identity, so its state.json was lost; delete its record (DELETE /api/v1/agents/{id}, GET /api/v1/agents lists them), then restart this agent, and keep PROXIMA_AGENT_DATA_DIR on a volume`
            : `${who} is already enrolled by another cluster of this environment; choose another PROXIMA_CLUSTER_SLUG, or, if the cluster was rebuilt, delete that agent's record first (DELETE /api/v1/agents/{id}, GET /api/v1/agents lists them)`,
      };
    case 'nkey_in_use':
      return {
        code,
        message:
          'the identity in state.json is enrolled elsewhere, so PROXIMA_AGENT_DATA_DIR was copied or is shared; give this agent an empty one',
      };
    default:
      return {
        code,
        message: `the backend refused to enroll this agent with status ${status}; check PROXIMA_BACKEND_URL and the settings that it names: ${code}`,
      };
  }
}
