/** The second wall behind NATS permissions: is the sender that a subject names the agent that was enrolled (U-29)? */

import type { EnrolledAgent } from '../store/agents.ts';
import { findAgent } from '../store/agents.ts';
import type { Db } from '../store/pool.ts';
import type { Sender } from '../wire/subjects.ts';

export type CheckedSender =
  | { readonly ok: true; readonly agent: EnrolledAgent }
  /** `unknown_tenant`: no such client and environment; `unknown_agent`: never enrolled, or deleted. */
  | { readonly ok: false; readonly reason: 'unknown_tenant' | 'unknown_agent' | 'foreign_subject' };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Looks the agent up by the subject's id and compares the subject's slugs with its own. No hosts row is asked for (EN-08, U-37). */
export async function checkSender(db: Db, sender: Sender): Promise<CheckedSender> {
  const agent = UUID.test(sender.agentId) ? await findAgent(db, sender.agentId) : null;
  if (agent !== null && agent.client === sender.client && agent.environment === sender.environment) {
    return { ok: true, agent };
  }
  if (!(await tenantExists(db, sender))) return { ok: false, reason: 'unknown_tenant' };
  return { ok: false, reason: agent === null ? 'unknown_agent' : 'foreign_subject' };
}

async function tenantExists(db: Db, sender: Sender): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from environments e join clients c on c.id = e.client_id where c.slug = $1 and e.slug = $2`,
    [sender.client, sender.environment],
  );
  return rowCount === 1;
}
