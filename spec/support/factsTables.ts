/** Snapshots of the model of facts as an agent sends them, and the tables read back as the model says them. */
import { deepEqual } from 'node:assert/strict';
import type { EnrolledAgent } from '../../store/agents.ts';
import type { Pool } from '../../store/pool.ts';
import type { CoverageBlock } from '../../wire/coverage.ts';
import type { Snapshot } from '../../wire/snapshot.ts';
import type { FactsModel, ModelFacts, ModelRecord, ModelSnapshot } from './factsModel.ts';
import { complete, unread } from './syncing.ts';
import { containerFacts, sentHpa, sentWorkload, snapshotAt } from './workloads.ts';

/** The snapshot as this agent sends it. */
export function toWire(agent: EnrolledAgent, snapshot: ModelSnapshot): Snapshot {
  const workloads = snapshot.workloads.map(({ kind, name, facts: known }) =>
    sentWorkload(
      name,
      known && {
        facts_version: known.version,
        replicas: known.replicas,
        containers: [containerFacts('app', { image: `shop/app:${known.tag}`, env_names: [...known.env] })],
      },
      { kind },
    ),
  );
  const hpas = snapshot.hpas.map((target) => {
    const [kind = '', name = ''] = target.split(' ');
    return sentHpa(name, { target_kind: kind });
  });
  const { coverage } = snapshot;
  const block: CoverageBlock | null =
    coverage &&
    complete({
      ...(coverage.Deployment === 'forbidden' ? { deployments: unread } : {}),
      ...(coverage.Rollout === 'forbidden' ? { rollouts: unread } : {}),
      ...(coverage.hpas === 'forbidden' ? { horizontalpodautoscalers: unread } : {}),
    });
  const epoch = snapshot.epoch && {
    lease_uid: snapshot.epoch.lease,
    transitions: snapshot.epoch.transitions,
  };
  return snapshotAt(
    agent,
    0,
    { workloads, hpas },
    { timestamp: new Date(snapshot.stamp).toISOString(), epoch, ...(block && { coverage: block }) },
  );
}

/** Rows and change records of one cluster, in an order that does not matter. */
export interface FactsState {
  readonly rows: readonly (readonly [key: string, facts: ModelFacts | null, at: number | null])[];
  readonly records: readonly ModelRecord[];
}

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/** What the model expects in the tables. */
export const stateOf = (model: FactsModel): FactsState => ({
  rows: [...model.rows].map(([key, row]) => [key, row?.facts ?? null, row?.at ?? null] as const).sort(byText),
  records: [...model.records].sort(byText),
});

/** What the tables hold of the cluster of this agent. */
export async function tablesOf(pool: Pool, agent: EnrolledAgent): Promise<FactsState> {
  const { rows } = await pool.query<{
    key: string;
    facts: {
      facts_version: number;
      replicas: number;
      containers: { image: string; env_names: string[] }[];
    } | null;
    at: Date | null;
  }>(
    `select w.kind || ' ' || w.name as key, spec_facts as facts, spec_facts_at as at
     from k8s_workloads w join clusters c on c.id = w.cluster_id where c.slug = $1`,
    [agent.cluster_slug],
  );
  const { rows: events } = await pool.query<{
    details: { kind: string; name: string; changes: { field: string; before: string; after: string }[] };
    type: string;
    at: Date;
  }>(
    `select details, event_type as type, scanned_at as at from change_events where details->>'cluster' = $1`,
    [agent.cluster_slug],
  );
  return {
    rows: rows
      .map(({ key, facts: held, at }) => {
        const [app] = held?.containers ?? [];
        const known = held && {
          version: held.facts_version,
          tag: app?.image.split(':')[1] ?? '',
          replicas: held.replicas,
          env: app?.env_names ?? [],
        };
        return [key, known, at?.getTime() ?? null] as const;
      })
      .sort(byText),
    records: events
      .map(({ details, type, at }) => ({
        workload: `${details.kind} ${details.name}`,
        type,
        at: at.getTime(),
        changes: details.changes.map(({ field, before, after }) => [field, before, after] as const),
      }))
      .sort(byText),
  };
}

/** Deeply equal, as `deepEqual` of node:assert/strict sees it. */
export const isSame = (a: unknown, b: unknown): boolean => {
  try {
    deepEqual(a, b);
    return true;
  } catch {
    return false;
  }
};
