/** How an agent gets and renews its NATS identity (contracts.md section 4; EN-01 to EN-08, X-55). */

import { verifySignature } from '../actors/agentJwt.ts';
import type { EnrolledAgent } from '../store/agents.ts';
import {
  findAgent,
  findAgentByName,
  findAgentByNkey,
  findAgentEver,
  insertAgent,
  lockJwt,
  storeJwt,
} from '../store/agents.ts';
import type { UsableToken } from '../store/installTokens.ts';
import { countEnrollment, lockUsableToken } from '../store/installTokens.ts';
import { isoTime } from '../store/isoTime.ts';
import type { Db } from '../store/pool.ts';
import { inTransaction } from '../store/tx.ts';
import type { Enrollment, EnrollRequest, RenewRequest } from '../wire/enroll.ts';
import { enrollRequestSchema, renewalText } from '../wire/enroll.ts';
import { HEARTBEAT_SECONDS, RENEW_SKEW_MS } from '../wire/limits.ts';
import { compileSchema } from '../wire/validate.ts';
import type { Backend } from './backend.ts';
import type { Refusal } from './refusal.ts';
import { badBody, isRefusal, refuse } from './refusal.ts';
import { isUuid } from './uuid.ts';

/** Longer than a signature and a few row locks take; an enrollment that waits longer is better tried again. */
const TRANSACTION_MS = 10_000;

/** At most one JWT per agent in this time: a retry gets the one that was signed. */
const JWT_REUSED_MS = 60_000;

/** An enrollment, and whether an agent was bound by it or only answered again. */
export interface Enrolled {
  readonly kind: 'enrolled' | 'answered_again' | 'renewed';
  readonly enrollment: Enrollment;
}

/** A body of which nothing but the token has been looked at. */
export type TokenBearer = Pick<EnrollRequest, 'install_token'>;

const checkRequest = compileSchema<EnrollRequest>(enrollRequestSchema);

/**
 * Binds the agent's nkey to its name, or answers again when that is what is bound already. The token comes first: without
 * a good one nothing is told about the rest of the body. `bodyText` is the body as it came, which the signature covers.
 */
export function enroll(
  backend: Backend,
  asked: { body: TokenBearer; bodyText: string; signature: string; now: Date },
): Promise<Enrolled | Refusal> {
  const { body, now } = asked;
  return inTransaction(backend.pool, TRANSACTION_MS, async (db) => {
    const token = await lockUsableToken(db, body.install_token, now);
    if (token === null) return invalidToken();
    const request = readRequest(token, asked);
    if (isRefusal(request)) return token.spent ? invalidToken() : request;
    const bound = await bind(db, token, request);
    if (isRefusal(bound)) return bound;
    return { kind: bound.kind, enrollment: await enrollmentOf(backend, db, bound.agent, now) };
  });
}

/** The request as its signer wrote it, for a cluster that the token is good for. */
function readRequest(
  token: UsableToken,
  asked: { body: TokenBearer; bodyText: string; signature: string },
): EnrollRequest | Refusal {
  const checked = checkRequest(asked.body);
  if (!checked.ok) return badBody(checked.path, checked.problem);
  const request = checked.value;
  if (!verifySignature(request.nkey, Buffer.from(asked.bodyText), asked.signature)) return badSignature();
  const isForIt = token.cluster_slug === null || token.cluster_slug === request.cluster_slug;
  return isForIt ? request : wrongCluster();
}

type Bound = { readonly kind: 'enrolled' | 'answered_again'; readonly agent: EnrolledAgent };

async function bind(db: Db, token: UsableToken, request: EnrollRequest): Promise<Bound | Refusal> {
  const known = await findAgentByNkey(db, request.nkey);
  if (known !== null && isSameAgent(known, token, request)) return { kind: 'answered_again', agent: known };
  if (token.spent) return invalidToken();
  if (known !== null) return nkeyInUse();
  const place = {
    environmentId: token.environment_id,
    clusterSlug: request.cluster_slug,
    name: request.name,
  };
  const holder = await findAgentByName(db, place);
  if (holder !== null) return alreadyEnrolled(holder, request);
  const id = await insertAgent(db, {
    client_id: token.client_id,
    environment_id: token.environment_id,
    name: request.name,
    cluster_name: request.cluster_name,
    cluster_slug: request.cluster_slug,
    cluster_uid: request.cluster_uid,
    nkey: request.nkey,
    agent_version: request.agent_version,
    install_token_id: token.id,
  });
  if (id === null) return lostRace(db, place, request);
  await countEnrollment(db, token.id);
  const agent = await findAgent(db, id);
  if (agent === null) throw new Error('an agent that was just inserted is not there');
  return { kind: 'enrolled', agent };
}

/** With a spent token only its own agents are answered again. */
const isSameAgent = (agent: EnrolledAgent, token: UsableToken, request: EnrollRequest): boolean =>
  agent.deleted_at === null &&
  agent.environment_id === token.environment_id &&
  agent.cluster_slug === request.cluster_slug &&
  agent.name === request.name &&
  (!token.spent || agent.install_token_id === token.id);

/** Two enrollments at once with different tokens: the other one was first. */
async function lostRace(
  db: Db,
  place: Parameters<typeof findAgentByName>[1],
  request: EnrollRequest,
): Promise<Refusal> {
  const holder = await findAgentByName(db, place);
  return holder === null ? nkeyInUse() : alreadyEnrolled(holder, request);
}

/** Renews the JWT of an enrolled agent, also one that has expired. The signature is checked before anything is told. */
export async function renew(
  backend: Backend,
  asked: { agentId: string; request: RenewRequest; now: Date },
): Promise<Enrolled | Refusal> {
  const { agentId, request, now } = asked;
  const agent = isUuid(agentId) ? await findAgentEver(backend.pool, agentId) : null;
  const signed = Buffer.from(renewalText(agentId, request.timestamp));
  if (agent === null || !verifySignature(agent.nkey, signed, request.signature)) return badSignature();
  if (Math.abs(Date.parse(request.timestamp) - now.getTime()) > RENEW_SKEW_MS) {
    return refuse(401, 'clock_skew', 'the timestamp is more than 10 minutes off', {
      details: { server_time: isoTime(now) },
    });
  }
  if (agent.deleted_at !== null) return agentDeleted();
  return inTransaction(backend.pool, TRANSACTION_MS, async (db) => ({
    kind: 'renewed' as const,
    enrollment: await enrollmentOf(backend, db, agent, now),
  }));
}

async function enrollmentOf(backend: Backend, db: Db, agent: EnrolledAgent, now: Date): Promise<Enrollment> {
  return {
    agent_id: agent.id,
    client: agent.client,
    environment: agent.environment,
    nats_url: backend.nats.url,
    nats_ca: backend.nats.ca,
    jwt: await jwtOf(backend, db, agent, now),
    accepts: ['gzip'],
    heartbeat_seconds: HEARTBEAT_SECONDS,
  };
}

/** The lock on the agent's row makes a burst of requests wait for one signature instead of making many. */
async function jwtOf(backend: Backend, db: Db, agent: EnrolledAgent, now: Date): Promise<string> {
  const stored = await lockJwt(db, agent.id);
  if (stored !== null && now.getTime() - stored.issued_at.getTime() < JWT_REUSED_MS) return stored.jwt;
  const sender = { client: agent.client, environment: agent.environment, agentId: agent.id };
  const jwt = await backend.nats.issuer.issue(sender, agent.nkey);
  await storeJwt(db, agent.id, { jwt, issued_at: now });
  return jwt;
}

const invalidToken = (): Refusal =>
  refuse(401, 'invalid_install_token', 'the install token is unknown, expired, revoked or spent');

const badSignature = (): Refusal =>
  refuse(401, 'invalid_signature', 'the signature is not that of an enrolled key');

const wrongCluster = (): Refusal =>
  refuse(403, 'wrong_cluster', 'the install token is bound to another cluster slug');

const nkeyInUse = (): Refusal =>
  refuse(409, 'nkey_in_use', 'this nkey was enrolled before; start with an empty data directory');

const agentDeleted = (): Refusal =>
  refuse(
    410,
    'agent_deleted',
    'the agent was deleted; start with an empty data directory and a new install token',
  );

function alreadyEnrolled(holder: EnrolledAgent, request: EnrollRequest): Refusal {
  const sameCluster = holder.cluster_uid !== null && holder.cluster_uid === request.cluster_uid;
  const remedy = sameCluster
    ? 'delete the agent record, then start this agent again'
    : 'give this cluster a slug of its own, or delete the agent record if the cluster was rebuilt';
  return refuse(409, 'already_enrolled', `already enrolled: ${remedy}`, {
    details: {
      held_by: sameCluster ? 'this_cluster' : 'another_cluster',
      agent_id: holder.id,
      remedy,
    },
  });
}
