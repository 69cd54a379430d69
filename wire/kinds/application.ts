import type { RecordOf } from './define.ts';
import { integer, list, name, nullable, recordSchema, shape, text, texts, time } from './define.ts';

/** One managed resource of a workload kind. */
const resource = shape({
  group: text(),
  kind: text(),
  namespace: nullable(text()),
  name: text(),
  sync_status: nullable(text()),
  health_status: nullable(text()),
});

/** ArgoCD Applications (AA-05). Not one of the thirteen tables' kinds: they are replaced as a block, never pruned. */
const applicationFields = {
  namespace: name(),
  name: name(),
  uid: text(),
  project: nullable(text()),
  destination_name: nullable(text()),
  destination_server: nullable(text()),
  destination_namespace: nullable(text()),
  sync_status: nullable(text()),
  health_status: nullable(text()),
  revisions: texts(),
  sources: list(shape({ repo_url: nullable(text()), path: nullable(text()) })),
  /** Null when the rows were dropped for size. */
  resources: nullable(list(resource)),
  resources_total: integer(),
  created_at: nullable(time()),
};

export type Application = RecordOf<typeof applicationFields>;

/** The `argocd` block of a snapshot. */
export interface Argocd {
  readonly state: 'ok' | 'crd_absent' | 'forbidden' | 'unavailable';
  readonly in_cluster_names: string[];
  readonly applications: Application[];
}

export const argocdSchema = {
  type: 'object',
  properties: {
    state: { type: 'string', enum: ['ok', 'crd_absent', 'forbidden', 'unavailable'] },
    in_cluster_names: { type: 'array', items: { type: 'string' } },
    applications: { type: 'array', items: recordSchema(applicationFields) },
  },
  required: ['state', 'applications'],
  additionalProperties: false,
};
