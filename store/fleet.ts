/** The fleet as the API shows it: agents with their status. */

import type { AgentStatus } from '../rules/agentStatus.ts';
import { agentStatus } from '../rules/agentStatus.ts';
import type { Epoch } from '../wire/snapshot.ts';
import { isoTime, isoTimeOrNull } from './isoTime.ts';
import type { Page, Paged } from './page.ts';
import { pageParameters } from './page.ts';
import type { Db } from './pool.ts';
import type { ScopeFilter } from './scope.ts';
import { scopeCondition, scopeParameters } from './scope.ts';

/** One agent of the fleet. */
export interface FleetAgent {
  readonly id: string;
  readonly client_id: string;
  readonly environment_id: string;
  readonly agent_type: string;
  readonly name: string;
  readonly cluster_name: string;
  readonly cluster_slug: string;
  readonly cluster_uid: string | null;
  readonly nkey: string;
  readonly agent_version: string;
  readonly status: AgentStatus;
  readonly last_heartbeat_at: string | null;
  readonly epoch: Epoch | null;
  readonly created_at: string;
}

type Row = Omit<FleetAgent, 'status' | 'last_heartbeat_at' | 'created_at'> & {
  last_heartbeat_at: Date | null;
  cluster_heartbeat_at: Date | null;
  created_at: Date;
};

// A cluster is (environment, slug): its newest heartbeat tells a standby from an agent that is gone.
const SELECT_FLEET = `
  select a.id, a.client_id, a.environment_id, a.agent_type, a.name, a.cluster_name, a.cluster_slug, a.cluster_uid,
         a.nkey, a.agent_version, a.last_heartbeat_at, a.created_at,
         case when a.epoch_lease_uid is null then null
              else json_build_object('lease_uid', a.epoch_lease_uid, 'transitions', a.epoch_transitions)
         end as epoch,
         (select max(b.last_heartbeat_at) from agents b
          where b.environment_id = a.environment_id and b.cluster_slug = a.cluster_slug
            and b.deleted_at is null) as cluster_heartbeat_at
  from agents a
  where a.deleted_at is null`;

function toFleetAgent(row: Row, now: Date): FleetAgent {
  const { cluster_heartbeat_at: clusterHeartbeatAt, last_heartbeat_at: heartbeatAt, ...agent } = row;
  return {
    ...agent,
    status: agentStatus({ heartbeatAt, clusterHeartbeatAt }, now),
    last_heartbeat_at: isoTimeOrNull(heartbeatAt),
    created_at: isoTime(row.created_at),
  };
}

/** Agents in the scope, by cluster and name. */
export async function listFleet(
  db: Db,
  scope: ScopeFilter,
  page: Page,
  now: Date,
): Promise<Paged<FleetAgent>> {
  const { rows } = await db.query<Row>(
    `${SELECT_FLEET} and ${scopeCondition('a', 1)}
     order by a.cluster_slug, a.name, a.id
     limit $4 offset $5`,
    [...scopeParameters(scope), ...pageParameters(page)],
  );
  const total = await db.query<{ total: number }>(
    `select count(*) as total from agents a where a.deleted_at is null and ${scopeCondition('a', 1)}`,
    scopeParameters(scope),
  );
  return { rows: rows.map((row) => toFleetAgent(row, now)), total: total.rows[0]?.total ?? 0 };
}

/** The agent of that id (a UUID); null when it is unknown or deleted. */
export async function findFleetAgent(db: Db, id: string, now: Date): Promise<FleetAgent | null> {
  const { rows } = await db.query<Row>(`${SELECT_FLEET} and a.id = $1`, [id]);
  return rows[0] === undefined ? null : toFleetAgent(rows[0], now);
}
