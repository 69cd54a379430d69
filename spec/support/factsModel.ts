/**
 * What rows and change records a history of snapshots leaves, said as simply as the requirements say it and without a look
 * at how the backend does it. Workloads here have one container whose tag, replicas and variables change.
 */

/** Facts of a workload as far as these histories vary them. */
export interface ModelFacts {
  readonly version: number;
  readonly tag: string;
  readonly replicas: number;
  readonly env: readonly string[];
}

export interface ModelWorkload {
  readonly kind: 'Deployment' | 'Rollout';
  readonly name: string;
  /** Null: sent without facts. */
  readonly facts: ModelFacts | null;
}

/** What was read of a kind: all of it, or nothing because it was refused. */
export type Read = 'complete' | 'forbidden';

export interface ModelSnapshot {
  /** Milliseconds. */
  readonly stamp: number;
  /** When JetStream took it. */
  readonly publishedAt: number;
  readonly epoch: { readonly lease: string; readonly transitions: number } | null;
  readonly workloads: readonly ModelWorkload[];
  /** `<kind> <name>` of what an HPA scales. */
  readonly hpas: readonly string[];
  /** Null: an agent that does not say what it read. */
  readonly coverage: Readonly<Record<'Deployment' | 'Rollout' | 'hpas', Read>> | null;
}

export interface ModelRecord {
  readonly workload: string;
  readonly type: string;
  readonly at: number;
  readonly changes: readonly (readonly [field: string, before: string | null, after: string | null])[];
}

const MINUTE = 60_000;

export class FactsModel {
  private stamp = Number.NEGATIVE_INFINITY;
  private recorded = Number.NEGATIVE_INFINITY;
  private epoch: ModelSnapshot['epoch'] = null;
  /** Known facts by `<kind> <name>`; null for a row without. */
  readonly rows = new Map<string, { readonly facts: ModelFacts; readonly at: number } | null>();
  private hpas = new Set<string>();
  readonly records: ModelRecord[] = [];
  /** Workloads with facts that were not newer (CH-31). */
  notNewer = 0;

  clone(): FactsModel {
    const copy = new FactsModel();
    copy.stamp = this.stamp;
    copy.recorded = this.recorded;
    copy.epoch = this.epoch;
    for (const [key, row] of this.rows) copy.rows.set(key, row);
    copy.hpas = new Set(this.hpas);
    copy.records.push(...this.records);
    copy.notNewer = this.notNewer;
    return copy;
  }

  /** The same text for two models that no further snapshot could tell apart. */
  fingerprint(): string {
    return JSON.stringify([
      this.stamp,
      this.recorded,
      this.epoch,
      [...this.rows],
      [...this.hpas],
      this.records,
    ]);
  }

  /** Takes a snapshot at the backend's time `now`; answers how it ends. */
  take(snapshot: ModelSnapshot, now: number): 'newer' | 'replay' | 'superseded' {
    const stamp = Math.min(snapshot.stamp, Math.min(now, snapshot.publishedAt) + MINUTE);
    const order = this.orderOf(stamp, snapshot.epoch);
    const withFacts = snapshot.workloads.filter(({ facts }) => facts !== null).length;
    if (order <= 0) this.notNewer += withFacts;
    if (order < 0) return 'superseded';
    const at = Math.max(stamp, this.stamp + 1, this.recorded + 1);
    this.updateRows(snapshot, order > 0 ? at : null);
    this.stamp = stamp;
    this.epoch = snapshot.epoch;
    if (order > 0) this.recorded = at;
    return order > 0 ? 'newer' : 'replay';
  }

  private orderOf(stamp: number, epoch: ModelSnapshot['epoch']): number {
    if (this.stamp === Number.NEGATIVE_INFINITY) return 1;
    const comparable = epoch !== null && this.epoch !== null && epoch.lease === this.epoch.lease;
    const byEpoch = comparable ? epoch.transitions - (this.epoch?.transitions ?? 0) : 0;
    return byEpoch === 0 ? stamp - this.stamp : byEpoch;
  }

  private updateRows(snapshot: ModelSnapshot, at: number | null): void {
    const read = (what: 'Deployment' | 'Rollout' | 'hpas') =>
      snapshot.coverage === null || snapshot.coverage[what] === 'complete';
    const sent = new Map(snapshot.workloads.map((workload) => [keyOf(workload), workload]));
    const scaled = new Set([...snapshot.hpas, ...(read('hpas') ? [] : this.hpas)]);
    for (const [key, { facts }] of sent) {
      const known = this.rows.get(key) ?? null;
      if (facts === null || at === null) {
        this.rows.set(key, known);
        continue;
      }
      const changes =
        known === null || known.facts.version !== facts.version ? [] : changesOf(known.facts, facts);
      const told = changes.filter(([field]) => field !== 'replicas' || !scaled.has(key));
      if (told.length > 0) {
        const isScale = told.length === 1 && told[0]?.[0] === 'replicas';
        const type = isScale ? 'workload_scaled' : 'workload_changed';
        this.records.push({ workload: key, type, at, changes: told });
      }
      const differs = known === null || known.facts.version !== facts.version || changes.length > 0;
      this.rows.set(key, differs ? { facts, at } : known);
    }
    for (const key of this.rows.keys()) {
      if (!sent.has(key) && read(key.startsWith('Rollout') ? 'Rollout' : 'Deployment')) this.rows.delete(key);
    }
    this.hpas = scaled;
  }
}

export const keyOf = ({ kind, name }: ModelWorkload): string => `${kind} ${name}`;

function changesOf(before: ModelFacts, after: ModelFacts): ModelRecord['changes'][number][] {
  const changes: ModelRecord['changes'][number][] = [];
  if (before.tag !== after.tag) {
    changes.push(['containers.app.image', `shop/app:${before.tag}`, `shop/app:${after.tag}`]);
  }
  if (before.replicas !== after.replicas)
    changes.push(['replicas', `${before.replicas}`, `${after.replicas}`]);
  for (const name of before.env)
    if (!after.env.includes(name)) changes.push(['containers.app.env', name, null]);
  for (const name of after.env)
    if (!before.env.includes(name)) changes.push(['containers.app.env', null, name]);
  return changes;
}
