/** A client, an environment and an enrolled agent, straight into the tables; and snapshots as that agent would send. */

import { ok } from 'node:assert/strict';
import { largeSnapshot } from '../../bench/cluster.ts';
import type { EnrolledAgent } from '../../store/agents.ts';
import { findAgent } from '../../store/agents.ts';
import type { Pool } from '../../store/pool.ts';
import type { Snapshot } from '../../wire/snapshot.ts';

export interface EnrolledPlace {
  readonly client?: string;
  readonly environment?: string;
  readonly slug?: string;
  readonly uid?: string | null;
  readonly name?: string;
}

/** Enrolls one agent; client and environment are made where missing. */
export async function enrollAgent(pool: Pool, place: EnrolledPlace = {}): Promise<EnrolledAgent> {
  const { client = 'acme', environment = 'prod', slug = 'k8s-1', name = 'proxima-cluster-agent-0' } = place;
  const uid = place.uid === undefined ? `uid-of-${slug}` : place.uid;
  await pool.query('insert into clients (slug, name) values ($1, $1) on conflict do nothing', [client]);
  await pool.query(
    `insert into environments (client_id, slug, name) select id, $2, $2 from clients where slug = $1
     on conflict do nothing`,
    [client, environment],
  );
  const { rows } = await pool.query<{ id: string }>(
    `insert into agents (client_id, environment_id, name, cluster_name, cluster_slug, cluster_uid, nkey, agent_version)
     select e.client_id, e.id, $3::text, $4::text, $4::text, $5::text, gen_random_uuid()::text, '0.9.0'
     from environments e join clients c on c.id = e.client_id where c.slug = $1 and e.slug = $2 returning id`,
    [client, environment, name, slug, uid],
  );
  const agent = await findAgent(pool, rows[0]?.id ?? '');
  ok(agent);
  return agent;
}

/** A snapshot with every kind in it, from this agent; 12:00 plus so many minutes. */
export function snapshotOf(agent: EnrolledAgent, minute = 0, size = { pods: 40, events: 5 }): Snapshot {
  const sender = {
    agentId: agent.id,
    slug: agent.cluster_slug,
    uid: agent.cluster_uid ?? `uid-of-${agent.cluster_slug}`,
  };
  return largeSnapshot(sender, size, new Date(Date.UTC(2026, 10, 30, 12, minute)).toISOString());
}
