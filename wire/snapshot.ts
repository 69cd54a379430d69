/** The snapshot message (contracts.md section 1): envelope, cluster block, thirteen arrays. */

import type { CoverageBlock } from './coverage.ts';
import { coverageSchema } from './coverage.ts';
import type { Argocd } from './kinds/application.ts';
import { argocdSchema } from './kinds/application.ts';
import type { Fields, RecordOf, Schema } from './kinds/define.ts';
import { integer, name, nullable, recordSchema, text, texts } from './kinds/define.ts';
import type { Arrays } from './kinds/index.ts';
import { kinds } from './kinds/index.ts';
import type { WorkloadSpecFacts } from './specFacts.ts';
import { specFactsSchema } from './specFacts.ts';

/** Version of the message format; another one is refused. */
export const SNAPSHOT_SCHEMA = 1;

/** Which leader sent it; null without leader election (D11). */
export interface Epoch {
  readonly lease_uid: string;
  readonly transitions: number;
}

/** The cluster block. Names are the columns of `clusters`; null means unknown, and keeps `dns_domain` at its default. */
export const clusterFields = {
  name: name(),
  display_name: text(),
  slug: name(),
  /** UID of the kube-system namespace; null when it cannot be read stands for the enrolled one. */
  uid: nullable(text()),
  version: nullable(text()),
  platform: nullable(text()),
  distribution: nullable(text()),
  api_server_url: nullable(text()),
  cluster_cidr: nullable(text()),
  service_cidr: nullable(text()),
  dns_domain: nullable(text()),
  cloud_provider: nullable(text()),
  cloud_region: nullable(text()),
  cloud_account_id: nullable(text()),
  /** `healthy`, `degraded`, `unreachable` or `unknown`. */
  status: text(),
  sync_interval_seconds: nullable(integer()),
  excluded_namespaces: texts(),
} satisfies Fields;

export type ClusterBlock = RecordOf<typeof clusterFields>;

/** A workload as sent: the record, and its spec facts where they are known. */
export type SentWorkload = Arrays['workloads'][number] & { spec_facts?: WorkloadSpecFacts };

export interface SnapshotBody extends Omit<Arrays, 'workloads'> {
  readonly cluster: ClusterBlock;
  readonly workloads: SentWorkload[];
  /** Absent when dropped for size, and from agents that do not read Applications: the stored ones stay. */
  readonly argocd?: Argocd;
}

export interface Snapshot {
  readonly type: 'kubernetes';
  readonly schema: typeof SNAPSHOT_SCHEMA;
  readonly agent_id: string;
  readonly agent_version: string;
  /** The agent's wall clock when the collection began, UTC, milliseconds at most. */
  readonly timestamp: string;
  readonly epoch: Epoch | null;
  readonly coverage?: CoverageBlock;
  readonly data: SnapshotBody;
}

export const epochSchema = {
  anyOf: [
    {
      type: 'object',
      properties: {
        lease_uid: { type: 'string', minLength: 1, maxLength: 64 },
        transitions: { type: 'integer', minimum: 0, maximum: 2147483647 },
      },
      required: ['lease_uid', 'transitions'],
      additionalProperties: false,
    },
    { type: 'null' },
  ],
};

const arraySchema = (fields: Fields, extra: Record<string, Schema> = {}): Schema => {
  const record = recordSchema(fields) as { properties: Record<string, Schema> };
  return { type: 'array', items: { ...record, properties: { ...record.properties, ...extra } } };
};

/** JSON schema of the whole message, built from the kind table. */
export const snapshotSchema: Schema = {
  type: 'object',
  properties: {
    type: { type: 'string', const: 'kubernetes' },
    schema: { type: 'integer', const: SNAPSHOT_SCHEMA },
    agent_id: { type: 'string', format: 'uuid' },
    agent_version: { type: 'string', minLength: 1, maxLength: 64 },
    timestamp: { type: 'string', format: 'date-time', pattern: 'Z$' },
    epoch: epochSchema,
    coverage: coverageSchema,
    data: {
      type: 'object',
      properties: {
        cluster: recordSchema(clusterFields),
        ...Object.fromEntries(
          kinds.map((kind) => [
            kind.name,
            arraySchema(kind.fields, kind.name === 'workloads' ? { spec_facts: specFactsSchema } : {}),
          ]),
        ),
        argocd: argocdSchema,
      },
      required: ['cluster', ...kinds.map((kind) => kind.name)],
      additionalProperties: false,
    },
  },
  required: ['type', 'schema', 'agent_id', 'agent_version', 'timestamp', 'epoch', 'data'],
  additionalProperties: false,
};
