/** Parts of a snapshot that take as much room as a spec wants, compressed or not. */
import { randomBytes } from 'node:crypto';
import type { Application } from '../../wire/kinds/application.ts';
import type { RecordOf } from '../../wire/kinds/define.ts';
import type { workloads } from '../../wire/kinds/workload.ts';
import type { WorkloadSpecFacts } from '../../wire/specFacts.ts';
import { FACTS_VERSION } from '../../wire/specFacts.ts';

/** So many bytes that gzip cannot make much smaller. */
export const noise = (bytes: number): string => randomBytes(Math.ceil((bytes * 3) / 4)).toString('base64url');

export const workloadOf = (name: string): RecordOf<typeof workloads.fields> => ({
  kind: 'Deployment',
  namespace: 'shop',
  name,
  uid: `uid-${name}`,
  created_at: null,
  replicas_desired: 1,
  replicas_ready: 1,
  replicas_available: 1,
  conditions: [],
  strategy: null,
  service_account: null,
  containers: [],
  labels: {},
  annotations: {},
  helm_release: null,
  helm_chart: null,
  helm_chart_version: null,
});

export const factsOf = (envName: string): WorkloadSpecFacts => ({
  facts_version: FACTS_VERSION,
  containers: [
    {
      name: 'main',
      image: 'shop/api:1',
      requests: {},
      limits: {},
      env_names: [envName],
      env_from: [],
      volume_refs: [],
    },
  ],
});

/** An Application with so many rows of managed resources; null stands for rows that were dropped. */
export const applicationOf = (
  name: string,
  rows: number | null,
  project = 'default',
  rowName = 'api',
): Application => ({
  namespace: 'argocd',
  name,
  uid: `uid-${name}`,
  project,
  destination_name: 'in-cluster',
  destination_server: null,
  destination_namespace: 'shop',
  sync_status: 'Synced',
  health_status: 'Healthy',
  revisions: [],
  sources: [],
  resources:
    rows === null
      ? null
      : Array.from({ length: rows }, () => ({
          group: 'apps',
          kind: 'Deployment',
          namespace: 'shop',
          name: rowName,
          sync_status: 'Synced',
          health_status: 'Healthy',
        })),
  resources_total: rows ?? 7,
  created_at: null,
});
