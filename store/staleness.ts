/** Clusters that have not been heard of (ST-01, ST-02): only `agent_status` changes, every other figure stays. */

import type { Db } from './pool.ts';

export type AgentStatusOfCluster = 'connected' | 'disconnected';

/** A cluster by its id, and by what its actor is known under. */
export interface StaleCluster {
  readonly id: string;
  readonly environment_id: string;
  readonly slug: string;
}

/**
 * Marks every connected cluster disconnected whose last snapshot is older than `before`, and answers which they were. One
 * that a sync holds just now is not silent, and is passed over: waiting for it would hold up all the others.
 */
export async function markStaleClusters(db: Db, before: Date): Promise<StaleCluster[]> {
  const { rows } = await db.query<StaleCluster>(
    `update clusters set agent_status = 'disconnected', updated_at = now()
     where id in (select id from clusters where agent_status = 'connected' and last_seen_at < $1::timestamptz
                  for no key update skip locked)
     returning id, environment_id, slug`,
    [before],
  );
  return rows;
}

/**
 * Marks the cluster disconnected if its last snapshot is still older than `before`. Answers what the row now holds and
 * whether this call changed it; null when there is no such cluster. A sync that commits meanwhile wins: the condition is
 * read again once its row lock is gone.
 */
export async function markStale(
  db: Db,
  clusterId: string,
  before: Date,
): Promise<{ readonly status: AgentStatusOfCluster; readonly changed: boolean } | null> {
  const { rowCount } = await db.query(
    `update clusters set agent_status = 'disconnected', updated_at = now()
     where id = $1 and agent_status = 'connected' and last_seen_at < $2::timestamptz`,
    [clusterId, before],
  );
  const { rows } = await db.query<{ agent_status: AgentStatusOfCluster }>(
    'select agent_status from clusters where id = $1',
    [clusterId],
  );
  const status = rows[0]?.agent_status;
  return status === undefined ? null : { status, changed: rowCount === 1 };
}
