/** Enrollment and renewal: open, because the install token or the nkey's signature is the credential. */

import { enrollments } from '../../actors/metrics.ts';
import type { RenewRequest } from '../../wire/enroll.ts';
import {
  AGENTS_PATH,
  enrollmentSchema,
  enrollRequestSchema,
  renewRequestSchema,
  SIGNATURE_HEADER,
} from '../../wire/enroll.ts';
import type { Answer } from '../answer.ts';
import { bodyOf } from '../body.ts';
import type { Enrolled, TokenBearer } from '../enroll.ts';
import { enroll, renew } from '../enroll.ts';
import type { Refusal } from '../refusal.ts';
import { isRefusal } from '../refusal.ts';
import type { Route } from '../route.ts';
import { openRoute } from '../route.ts';

/** Counts the result and answers it; the enrollment object comes bare, as the agent reads it. */
function counted(result: Enrolled | Refusal): Answer {
  if (isRefusal(result)) {
    enrollments.inc({ result: result.code });
    return result;
  }
  enrollments.inc({ result: result.kind });
  return { kind: 'json', status: 200, body: result.enrollment };
}

/** Until the token is known to be good, nothing else of the body is looked at (contracts.md section 4). */
const tokenBearer = {
  type: 'object',
  properties: { install_token: enrollRequestSchema.properties.install_token },
  required: ['install_token'],
};

export const enrollRoutes: readonly Route[] = [
  openRoute({
    method: 'POST',
    path: `${AGENTS_PATH}/enroll`,
    refusals: [401, 403, 409],
    summary: 'Enroll an agent with an install token.',
    reason: 'the install token and the signature of the nkey are the credential',
    budget: { name: 'enroll', perMinute: 10, message: 'too many enrollment attempts from this address' },
    body: { schema: enrollRequestSchema, check: bodyOf<TokenBearer>(tokenBearer).check },
    answer: enrollmentSchema,
    handle: async ({ backend, request, body, bodyText, now }) =>
      counted(await enroll(backend, { body, bodyText, signature: request.header(SIGNATURE_HEADER), now })),
  }),
  openRoute({
    method: 'POST',
    path: `${AGENTS_PATH}/:id/renew`,
    refusals: [401, 404, 410],
    summary: "Renew an agent's NATS credentials.",
    reason: 'the signature of the enrolled nkey is the credential; its JWT may have expired',
    body: bodyOf<RenewRequest>(renewRequestSchema),
    answer: enrollmentSchema,
    handle: async ({ backend, params, body, now }) =>
      counted(await renew(backend, { agentId: params.id ?? '', request: body, now })),
  }),
];
