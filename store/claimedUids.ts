import type { Db } from './pool.ts';

/**
 * The cluster uids that agents of this environment and slug enrolled with, or claimed in messages that were rejected:
 * those that an administrator may accept for a rebuilt cluster (contracts.md section 1).
 */
export async function claimedClusterUids(
  db: Db,
  place: { readonly environment_id: string; readonly slug: string },
): Promise<string[]> {
  const { rows } = await db.query<{ uid: string }>(
    `select a.cluster_uid as uid from agents a
     where a.environment_id = $1 and a.cluster_slug = $2 and a.deleted_at is null and a.cluster_uid is not null
     union
     select r.cluster_uid from rejected_messages r join agents a on a.id::text = r.agent_id
     where a.environment_id = $1 and a.cluster_slug = $2 and r.cluster_slug = $2 and r.cluster_uid is not null
     order by uid`,
    [place.environment_id, place.slug],
  );
  return rows.map((row) => row.uid);
}

/**
 * Binds the agents of this environment and slug that claimed the uid in a rejected message. An agent outside of a cluster
 * that was rebuilt keeps its state, and with it the old uid: without this its messages would stay refused.
 */
export async function bindClaimants(
  db: Db,
  place: { readonly environment_id: string; readonly slug: string },
  uid: string,
): Promise<void> {
  await db.query(
    `update agents a set cluster_uid = $3
     where a.environment_id = $1 and a.cluster_slug = $2 and a.deleted_at is null
       and a.id::text in (select r.agent_id from rejected_messages r where r.cluster_slug = $2 and r.cluster_uid = $3)`,
    [place.environment_id, place.slug, uid],
  );
}
