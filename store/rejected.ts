/** Messages that can never apply, kept aside for an administrator (contracts.md section 2). */

import { isoTime } from './isoTime.ts';
import type { Page, Paged } from './page.ts';
import { pageParameters } from './page.ts';
import type { Db } from './pool.ts';

/** How much is kept: per agent and message type, in days, and of each message. */
const KEPT_PER_AGENT = 20;
const KEPT_DAYS = 7;
const KEPT_BYTES = 64 * 1024;

/** A message on its way aside. `clusterSlug` and `clusterUid` are what it claimed, null where that was not read. */
export interface Refused {
  readonly agentId: string;
  readonly type: string;
  readonly subject: string;
  readonly reason: string;
  readonly detail: string | null;
  readonly clusterSlug: string | null;
  readonly clusterUid: string | null;
  readonly publishedAt: Date;
  readonly receivedAt: Date;
  readonly contentEncoding: string | null;
  readonly bytes: Uint8Array;
}

/** What a list shows. */
export interface RejectedMessage {
  readonly id: string;
  readonly agent_id: string;
  readonly type: string;
  readonly subject: string;
  readonly reason: string;
  readonly detail: string | null;
  readonly cluster_slug: string | null;
  readonly cluster_uid: string | null;
  readonly published_at: string;
  readonly received_at: string;
  readonly size_bytes: number;
  readonly content_encoding: string | null;
}

/** Keeps the message, and drops what is more than the newest 20 of its agent and type or older than 7 days. */
export async function keepRejected(db: Db, message: Refused): Promise<void> {
  await db.query(
    `insert into rejected_messages (agent_id, type, subject, reason, detail, cluster_slug, cluster_uid,
                                    published_at, received_at, size_bytes, content_encoding, head)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      message.agentId,
      message.type,
      message.subject,
      message.reason,
      message.detail,
      message.clusterSlug,
      message.clusterUid,
      message.publishedAt,
      message.receivedAt,
      message.bytes.length,
      message.contentEncoding,
      Buffer.from(message.bytes.subarray(0, KEPT_BYTES)),
    ],
  );
  await db.query(
    `delete from rejected_messages
     where received_at < $3::timestamptz - make_interval(days => $4)
        or id in (select id from rejected_messages where agent_id = $1 and type = $2
                  order by received_at desc, id offset $5)`,
    [message.agentId, message.type, message.receivedAt, KEPT_DAYS, KEPT_PER_AGENT],
  );
}

type Row = Omit<RejectedMessage, 'published_at' | 'received_at'> & { published_at: Date; received_at: Date };

const COLUMNS = `id, agent_id, type, subject, reason, detail, cluster_slug, cluster_uid, published_at, received_at,
                 size_bytes, content_encoding`;

const toMessage = <R extends Row>(row: R) => ({
  ...row,
  published_at: isoTime(row.published_at),
  received_at: isoTime(row.received_at),
});

/** One page of them, newest first. */
export async function listRejected(db: Db, page: Page): Promise<Paged<RejectedMessage>> {
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from rejected_messages order by received_at desc, id limit $1 offset $2`,
    pageParameters(page),
  );
  const { rows: counted } = await db.query<{ total: number }>(
    'select count(*) as total from rejected_messages',
  );
  return { rows: rows.map(toMessage), total: counted[0]?.total ?? 0 };
}

/** One of them (its id is a UUID) with its first 64 KiB; null when it is gone. */
export async function getRejected(db: Db, id: string): Promise<(RejectedMessage & { head: Buffer }) | null> {
  const { rows } = await db.query<Row & { head: Buffer }>(
    `select ${COLUMNS}, head from rejected_messages where id = $1`,
    [id],
  );
  return rows[0] === undefined ? null : toMessage(rows[0]);
}
