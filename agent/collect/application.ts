/**
 * ArgoCD Applications as sent (AA-01, AA-05): what is named here and nothing else, so that Helm values, parameters and
 * plugin environments are never read (AA-07). As with every custom resource, a field of another type counts as absent.
 */

import { fieldsOf, objectsOf, textOf } from '../../rules/facts/raw.ts';
import { scrubRepoUrl, scrubServerUrl } from '../../rules/scrub/repoUrl.ts';
import type { Application } from '../../wire/kinds/application.ts';
import type { RawObject } from './object.ts';
import { freeTextOf, identityOf } from './object.ts';

type Raw = Readonly<Record<string, unknown>>;

/** argoproj.io/v1alpha1 Application, of which only the metadata is what the API server makes it. */
export interface RawApplication extends RawObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** Kinds whose rows are sent, by API group: those that are workloads of the inventory. */
const WORKLOADS: Readonly<Record<string, readonly string[]>> = {
  apps: ['Deployment', 'StatefulSet', 'DaemonSet'],
  'argoproj.io': ['Rollout'],
};

/**
 * An Application with the rows of its workloads; `resources_total` counts all its rows. The destination's name is sent
 * as it is, also one that this cluster's settings declare its own (AA-14). A row in an excluded namespace stays behind.
 */
export function mapApplication(
  { metadata, spec, status }: RawApplication,
  excluded: ReadonlySet<string>,
): Application {
  const fields = fieldsOf(spec);
  const reported = fieldsOf(status);
  const destination = fieldsOf(fields.destination);
  const server = textOf(destination.server);
  const sync = fieldsOf(reported.sync);
  const rows = objectsOf(reported.resources);
  return {
    ...identityOf(metadata),
    project: textOf(fields.project),
    destination_name: textOf(destination.name),
    destination_server: server === null ? null : scrubServerUrl(server),
    destination_namespace: textOf(destination.namespace),
    sync_status: textOf(sync.status),
    health_status: textOf(fieldsOf(reported.health).status),
    revisions: revisionsOf(sync),
    sources: sourcesOf(fields).map(({ repoURL, path }) => {
      const url = textOf(repoURL);
      return { repo_url: url === null ? null : scrubRepoUrl(url), path: freeTextOf(textOf(path)) };
    }),
    resources: rows.filter((row) => isWorkload(row) && !excluded.has(textOf(row.namespace) ?? '')).map(rowOf),
    resources_total: rows.length,
  };
}

/** An Application of several sources has a list in place of the single one. */
function sourcesOf(spec: Raw): Raw[] {
  const several = objectsOf(spec.sources);
  return several.length > 0 || typeof spec.source !== 'object' ? several : [fieldsOf(spec.source)];
}

function revisionsOf(sync: Raw): string[] {
  const listed = Array.isArray(sync.revisions)
    ? sync.revisions.flatMap((revision) => textOf(revision) ?? [])
    : [];
  const single = textOf(sync.revision);
  return listed.length > 0 || single === null ? listed : [single];
}

const isWorkload = (row: Raw): boolean =>
  WORKLOADS[textOf(row.group) ?? '']?.includes(textOf(row.kind) ?? '') ?? false;

const rowOf = (row: Raw): NonNullable<Application['resources']>[number] => ({
  group: textOf(row.group) ?? '',
  kind: textOf(row.kind) ?? '',
  namespace: textOf(row.namespace),
  name: textOf(row.name) ?? '',
  sync_status: textOf(row.status),
  health_status: textOf(fieldsOf(row.health).status),
});
