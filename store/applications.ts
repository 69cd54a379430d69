/** ArgoCD Applications as a snapshot reports them (U-16). They are replaced as a block and are not in the prune chain. */

import { recordKey } from '../wire/inventory.ts';
import type { Application, Argocd } from '../wire/kinds/application.ts';
import { contentHash } from './inventory/contentHash.ts';
import type { Db } from './pool.ts';

/**
 * Makes the stored Applications equal to the report. `ok` replaces them, `crd_absent` clears them; `forbidden` and
 * `unavailable` keep them and say so; without a report (dropped for size, older agent) all stays. Writes what differs.
 */
export async function syncApplications(
  db: Db,
  clusterId: string,
  report: Argocd | undefined,
  syncedAt: Date,
): Promise<void> {
  if (report === undefined) return;
  await db.query({
    name: 'update_argocd',
    text: `update clusters set argocd_state = $2, argocd_in_cluster_names = $3
           where id = $1 and (argocd_state, argocd_in_cluster_names) is distinct from ($2, $3::text[])`,
    // An agent of v0.8.0 sends no names (AA-15).
    values: [clusterId, report.state, report.in_cluster_names ?? []],
  });
  if (report.state !== 'ok' && report.state !== 'crd_absent') return;
  const key = (names: { readonly namespace: string; readonly name: string }): string =>
    recordKey({ key: ['namespace', 'name'] }, names);
  // Of duplicates the last counts, as in the other arrays.
  const sent = new Map(report.state === 'ok' ? report.applications.map((each) => [key(each), each]) : []);
  const { rows } = await db.query<{ id: string; namespace: string; name: string; content_hash: string }>({
    name: 'stored_applications',
    text: 'select id, namespace, name, content_hash from applications where cluster_id = $1',
    values: [clusterId],
  });
  const stored = new Map(rows.map((row) => [key(row), row]));
  const differing = [...sent.values()]
    .map((application) => ({ application, content_hash: contentHash(application) }))
    .filter(({ application, content_hash: hash }) => stored.get(key(application))?.content_hash !== hash);
  const gone = rows.filter((row) => !sent.has(key(row))).map(({ id }) => id);
  if (differing.length > 0) await writeApplications(db, clusterId, differing, syncedAt);
  if (gone.length > 0) await db.query('delete from applications where id = any ($1::uuid[])', [gone]);
}

interface Differing {
  readonly application: Application;
  readonly content_hash: string;
}

async function writeApplications(
  db: Db,
  clusterId: string,
  differing: readonly Differing[],
  syncedAt: Date,
): Promise<void> {
  const rows = differing.map(({ application: { resources, ...fields }, content_hash }) => ({
    ...fields,
    content_hash,
    resources_dropped: resources === null,
  }));
  const { rows: written } = await db.query<{ id: string; namespace: string; name: string }>({
    name: 'write_applications',
    text: `insert into applications (cluster_id, ${COLUMNS.join(', ')}, synced_at)
           select $1, ${COLUMNS.join(', ')}, $2 from json_populate_recordset(null::applications, $3::json)
           on conflict (cluster_id, namespace, name) do update
           set ${COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}, synced_at = excluded.synced_at
           returning id, namespace, name`,
    values: [clusterId, syncedAt, JSON.stringify(rows)],
  });
  const ids = new Map(written.map(({ id, namespace, name }) => [`${namespace}\u0000${name}`, id]));
  const reported = differing.flatMap(({ application: { namespace, name, resources } }) =>
    resources === null ? [] : [{ application_id: ids.get(`${namespace}\u0000${name}`), resources }],
  );
  await replaceResources(db, reported);
}

const COLUMNS = [
  'namespace',
  'name',
  'uid',
  'project',
  'destination_name',
  'destination_server',
  'destination_namespace',
  'sync_status',
  'health_status',
  'revisions',
  'sources',
  'resources_total',
  'created_at',
  'content_hash',
  'resources_dropped',
] as const;

/** Rows that were dropped for size stay as they were: an older row says more than none. */
async function replaceResources(
  db: Db,
  reported: readonly {
    readonly application_id: string | undefined;
    readonly resources: NonNullable<Application['resources']>;
  }[],
): Promise<void> {
  if (reported.length === 0) return;
  await db.query('delete from application_resources where application_id = any ($1::uuid[])', [
    reported.map(({ application_id: id }) => id),
  ]);
  const rows = reported.flatMap(({ application_id, resources }) =>
    resources.map((resource) => ({ ...resource, application_id })),
  );
  if (rows.length === 0) return;
  await db.query(
    `insert into application_resources (application_id, "group", kind, namespace, name, sync_status, health_status)
     select application_id, "group", kind, namespace, name, sync_status, health_status
     from json_populate_recordset(null::application_resources, $1::json)`,
    [JSON.stringify(rows)],
  );
}
