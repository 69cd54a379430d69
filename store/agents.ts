/** Enrolled agents: who may send under which subject, bound to which cluster (contracts.md section 4). */

import type { Epoch } from '../wire/snapshot.ts';
import type { Db } from './pool.ts';

/** One enrolled agent. `client` and `environment` are the slugs of its subject. */
export interface EnrolledAgent {
  readonly id: string;
  readonly client_id: string;
  readonly environment_id: string;
  readonly client: string;
  readonly environment: string;
  readonly name: string;
  readonly cluster_name: string;
  readonly cluster_slug: string;
  /** UID of kube-system; null until an enrollment or a snapshot could read it. */
  readonly cluster_uid: string | null;
  /** Public user nkey. */
  readonly nkey: string;
  readonly agent_version: string;
  readonly last_heartbeat_at: Date | null;
  /** Epoch of the newest heartbeat; null without leader election. */
  readonly epoch: Epoch | null;
  readonly install_token_id: string | null;
  readonly created_at: Date;
  /** Set on the record of a deleted agent, which stays so that its nkey never comes back. */
  readonly deleted_at: Date | null;
}

interface AgentRow extends Omit<EnrolledAgent, 'epoch'> {
  epoch_lease_uid: string | null;
  epoch_transitions: number | null;
}

const SELECT_AGENT = `
  select a.id, a.client_id, a.environment_id, c.slug as client, e.slug as environment, a.name, a.cluster_name,
         a.cluster_slug, a.cluster_uid, a.nkey, a.agent_version, a.last_heartbeat_at, a.epoch_lease_uid,
         a.epoch_transitions, a.install_token_id, a.created_at, a.deleted_at
  from agents a
  join environments e on e.id = a.environment_id
  join clients c on c.id = a.client_id`;

function toAgent(row: AgentRow): EnrolledAgent {
  const { epoch_lease_uid: leaseUid, epoch_transitions: transitions, ...agent } = row;
  return {
    ...agent,
    epoch: leaseUid === null ? null : { lease_uid: leaseUid, transitions: transitions ?? 0 },
  };
}

async function selectOne(db: Db, condition: string, values: unknown[]): Promise<EnrolledAgent | null> {
  const { rows } = await db.query<AgentRow>(`${SELECT_AGENT} where ${condition}`, values);
  return rows[0] === undefined ? null : toAgent(rows[0]);
}

/** The agent of that id (a UUID); null when it is unknown or deleted. */
export const findAgent = (db: Db, id: string): Promise<EnrolledAgent | null> =>
  selectOne(db, 'a.id = $1 and a.deleted_at is null', [id]);

/** The same, deleted agents included: a renewal tells them apart from strangers (410). */
export const findAgentEver = (db: Db, id: string): Promise<EnrolledAgent | null> =>
  selectOne(db, 'a.id = $1', [id]);

/** The agents bound to a cluster now; one whose cluster has another uid is bound to another cluster of the same name. */
export async function agentsOfCluster(
  db: Db,
  cluster: { readonly environment_id: string; readonly slug: string; readonly uid: string | null },
): Promise<EnrolledAgent[]> {
  const { rows } = await db.query<AgentRow>(
    `${SELECT_AGENT} where a.environment_id = $1 and a.cluster_slug = $2 and a.deleted_at is null
       and ($3::text is null or a.cluster_uid is null or a.cluster_uid = $3)`,
    [cluster.environment_id, cluster.slug, cluster.uid],
  );
  return rows.map(toAgent);
}

/** Who ever enrolled with this public nkey, deleted agents included. */
export const findAgentByNkey = (db: Db, nkey: string): Promise<EnrolledAgent | null> =>
  selectOne(db, 'a.nkey = $1', [nkey]);

/** Who holds this name now; every cluster has a `proxima-cluster-agent-0`, so the slug is part of the name's home. */
export const findAgentByName = (
  db: Db,
  place: { environmentId: string; clusterSlug: string; name: string },
): Promise<EnrolledAgent | null> =>
  selectOne(db, 'a.environment_id = $1 and a.cluster_slug = $2 and a.name = $3 and a.deleted_at is null', [
    place.environmentId,
    place.clusterSlug,
    place.name,
  ]);

/** What enrollment binds. */
export interface NewAgent {
  readonly client_id: string;
  readonly environment_id: string;
  readonly name: string;
  readonly cluster_name: string;
  readonly cluster_slug: string;
  readonly cluster_uid: string | null;
  readonly nkey: string;
  readonly agent_version: string;
  readonly install_token_id: string;
}

/** The new agent's id; null when its name or its nkey was bound by someone else in the meantime. */
export async function insertAgent(db: Db, agent: NewAgent): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>(
    `insert into agents (client_id, environment_id, name, cluster_name, cluster_slug, cluster_uid, nkey,
                         agent_version, install_token_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict do nothing
     returning id`,
    [
      agent.client_id,
      agent.environment_id,
      agent.name,
      agent.cluster_name,
      agent.cluster_slug,
      agent.cluster_uid,
      agent.nkey,
      agent.agent_version,
      agent.install_token_id,
    ],
  );
  return rows[0]?.id ?? null;
}

/** Records a heartbeat received at `at`. Does nothing for an agent that was deleted in the meantime. */
export async function recordHeartbeat(
  db: Db,
  heartbeat: { agentId: string; agentVersion: string; epoch: Epoch | null; at: Date },
): Promise<void> {
  await db.query(
    `update agents
     set last_heartbeat_at = greatest(last_heartbeat_at, $2::timestamptz), agent_version = $3,
         epoch_lease_uid = $4, epoch_transitions = $5
     where id = $1 and deleted_at is null`,
    [
      heartbeat.agentId,
      heartbeat.at,
      heartbeat.agentVersion,
      heartbeat.epoch?.lease_uid ?? null,
      heartbeat.epoch?.transitions ?? null,
    ],
  );
}

/** Fills a cluster uid that could not be read at enrollment; a bound one stays (contracts.md section 1). */
export async function bindClusterUid(db: Db, agentId: string, uid: string): Promise<void> {
  await db.query('update agents set cluster_uid = $2 where id = $1 and cluster_uid is null', [agentId, uid]);
}

/** A user JWT and when it was signed. */
export interface StoredJwt {
  readonly jwt: string;
  readonly issued_at: Date;
}

/** Locks the agent's row and reads its newest JWT, so that a burst of retries signs once (signing costs 60 ms). */
export async function lockJwt(db: Db, agentId: string): Promise<StoredJwt | null> {
  const { rows } = await db.query<{ jwt: string | null; jwt_issued_at: Date | null }>(
    'select jwt, jwt_issued_at from agents where id = $1 for no key update',
    [agentId],
  );
  const row = rows[0];
  if (row === undefined || row.jwt === null || row.jwt_issued_at === null) return null;
  return { jwt: row.jwt, issued_at: row.jwt_issued_at };
}

export async function storeJwt(db: Db, agentId: string, issued: StoredJwt): Promise<void> {
  await db.query('update agents set jwt = $2, jwt_issued_at = $3 where id = $1', [
    agentId,
    issued.jwt,
    issued.issued_at,
  ]);
}

/** Frees the agent's name; its messages are refused from now on. False when there was no such agent. */
export async function deleteAgent(db: Db, id: string, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    'update agents set deleted_at = $2, jwt = null, jwt_issued_at = null where id = $1 and deleted_at is null',
    [id, at],
  );
  return rowCount === 1;
}
