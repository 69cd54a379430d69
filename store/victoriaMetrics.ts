/** VictoriaMetrics: a single node, where labels alone tell clients apart, or a cluster with a tenant per client. */

import type { Posted } from './post.ts';
import { endpointOf, post } from './post.ts';

const IMPORT_PATH = '/api/v1/import/prometheus';

export interface VictoriaMetrics {
  /** Writes samples (Prometheus text with timestamps in milliseconds, gzip) of this tenant. */
  insert(tenant: number, samples: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<Posted>;
}

/** What becomes of `{tenant}` in the path of a URL. */
const TENANT = '%7Btenant%7D';

/** VictoriaMetrics that takes writes at this URL; `{tenant}` in it stands for the tenant's number. */
export function createVictoriaMetrics(insertUrl: string): VictoriaMetrics {
  const { url, headers } = endpointOf(insertUrl);
  return {
    insert: (tenant, samples, signal) =>
      post({ url: url.replaceAll(TENANT, String(tenant)), headers }, IMPORT_PATH, samples, {
        headers: { 'Content-Type': 'text/plain' },
        signal,
      }),
  };
}
