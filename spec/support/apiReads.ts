/** Reading the API as a script would: page by page, until everything is there. */
import type { adminApi } from '../../scripts/adminApi.ts';
import { kinds } from '../../wire/kinds/index.ts';

type AdminApi = ReturnType<typeof adminApi>;
export type Row = Readonly<Record<string, unknown>>;

const PER_PAGE = 100;

/** Every row of a list route. */
export async function allRows(api: AdminApi, path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const part = await api.get<Row[]>(`${path}?page=${page}&per_page=${PER_PAGE}`);
    rows.push(...part);
    if (part.length < PER_PAGE) return rows;
  }
}

/** Every row of the thirteen lists of a cluster, by kind. */
export async function inventoryOf(api: AdminApi, clusterId: string): Promise<Record<string, Row[]>> {
  const inventory: Record<string, Row[]> = {};
  for (const kind of kinds) {
    const path = `/api/v1/clusters/${clusterId}/${kind.path}`;
    inventory[kind.name] = kind.paged ? await allRows(api, path) : await api.get<Row[]>(path);
  }
  return inventory;
}

export interface ClusterRow {
  readonly id: string;
  readonly slug: string;
  readonly last_seen_at: string | null;
  readonly node_count: number;
  readonly namespace_count: number;
  readonly workload_count: number;
}

/** The cluster's row once a snapshot taken after `since` is stored. Throws after `timeoutMs`. */
export async function syncedAfter(
  api: AdminApi,
  slug: string,
  since: Date,
  timeoutMs = 30_000,
): Promise<ClusterRow> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    const found = (await api.get<ClusterRow[]>('/api/v1/clusters')).find((cluster) => cluster.slug === slug);
    if (found?.last_seen_at != null && new Date(found.last_seen_at) > since) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no snapshot of ${slug} was stored after ${since.toISOString()}`);
}
