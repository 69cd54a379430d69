/** VictoriaLogs: one account per client (U-26, contracts.md section 6). */

import type { Posted } from './post.ts';
import { endpointOf, post } from './post.ts';

/** Fields that every line of a stream shares; the fewer there are, the better it compresses. */
const STREAM_FIELDS = 'source,environment_id';
const INSERT_PATH = `/insert/jsonline?_stream_fields=${STREAM_FIELDS}&_time_field=_time&_msg_field=_msg`;

export interface VictoriaLogs {
  /**
   * Writes lines (JSON objects with `_time` and `_msg`, one a line, gzip) into the account of this tenant. A line that the
   * store cannot read is dropped by it without a word.
   */
  insert(tenant: number, lines: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<Posted>;
}

/** VictoriaLogs at this URL, which may hold a login. */
export function createVictoriaLogs(url: string): VictoriaLogs {
  const endpoint = endpointOf(url);
  return {
    insert: (tenant, lines, signal) =>
      post(endpoint, INSERT_PATH, lines, {
        headers: { AccountID: String(tenant), ProjectID: '0', 'Content-Type': 'application/stream+json' },
        signal,
      }),
  };
}
