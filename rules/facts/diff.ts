/** What changed between two sets of spec facts, field by field (CH-13 to CH-23). */

import type { ContainerFacts, WorkloadSpecFacts } from '../../wire/specFacts.ts';

/** One change. A side without a value is null; quantities and references keep the agent's spelling (CH-12). */
export interface FieldChange {
  /** A path joined by dots; a container's name (DNS-1123 label) has none. */
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * Every change from `before` to `after`, in the order in which a reader asks for them: images, resources, replicas,
 * strategy, containers come and gone, variables, their sources, volumes, order of the init containers. Both are facts of
 * one version. Empty for equal facts, in whatever order their sets are listed.
 */
export function diffFacts(before: WorkloadSpecFacts, after: WorkloadSpecFacts): FieldChange[] {
  const pairs = pairContainers(before, after);
  const kept = pairs.flatMap(({ path, before: b, after: a }) =>
    b && a ? [{ path, before: b, after: a }] : [],
  );
  return [
    ...kept.flatMap(({ path, before: b, after: a }) => valueChange(`${path}.image`, b.image, a.image)),
    ...kept.flatMap(resourceChanges),
    ...valueChange('replicas', numberText(before.replicas), numberText(after.replicas)),
    ...valueChange('strategy.type', before.strategy?.type, after.strategy?.type),
    ...valueChange('strategy.max_surge', before.strategy?.max_surge, after.strategy?.max_surge),
    ...valueChange(
      'strategy.max_unavailable',
      before.strategy?.max_unavailable,
      after.strategy?.max_unavailable,
    ),
    ...pairs.flatMap(({ path, before: b, after: a }) =>
      b && a ? [] : [{ field: path, before: b?.image ?? null, after: a?.image ?? null }],
    ),
    ...kept.flatMap(({ path, before: b, after: a }) => setChanges(`${path}.env`, b.env_names, a.env_names)),
    ...kept.flatMap(({ path, before: b, after: a }) =>
      sourceChanges(`${path}.env_from`, b.env_from, a.env_from),
    ),
    ...kept.flatMap(({ path, before: b, after: a }) =>
      setChanges(`${path}.volumes`, b.volume_refs, a.volume_refs),
    ),
    ...orderChange(initNames(before), initNames(after)),
  ];
}

/** A container on both sides of a comparison, or on one. */
interface Pair {
  /** `containers.<name>` or `init_containers.<name>`. */
  readonly path: string;
  readonly before: ContainerFacts | undefined;
  readonly after: ContainerFacts | undefined;
}

/** By role and name: one that turned from a main to an init container went here and came there. */
function pairContainers(before: WorkloadSpecFacts, after: WorkloadSpecFacts): Pair[] {
  const byPath = ({ containers }: WorkloadSpecFacts) =>
    new Map(
      containers.map((container) => [
        `${container.init === true ? 'init_containers' : 'containers'}.${container.name}`,
        container,
      ]),
    );
  const [old, now] = [byPath(before), byPath(after)];
  // Sorted, `containers.` comes before `init_containers.`.
  const paths = [...new Set([...old.keys(), ...now.keys()])].sort();
  return paths.map((path) => ({ path, before: old.get(path), after: now.get(path) }));
}

function valueChange(
  field: string,
  before: string | null | undefined,
  after: string | null | undefined,
): FieldChange[] {
  const [b, a] = [before ?? null, after ?? null];
  return b === a ? [] : [{ field, before: b, after: a }];
}

const numberText = (value: number | null | undefined): string | null =>
  value === null || value === undefined ? null : String(value);

const resourceChanges = (pair: {
  readonly path: string;
  readonly before: ContainerFacts;
  readonly after: ContainerFacts;
}): FieldChange[] =>
  (['requests', 'limits'] as const).flatMap((list) =>
    (['cpu', 'memory'] as const).flatMap((resource) =>
      valueChange(
        `${pair.path}.${list}.${resource}`,
        pair.before[list][resource],
        pair.after[list][resource],
      ),
    ),
  );

/** One entry for each member that came or went. */
export function setChanges(
  field: string,
  before: readonly string[],
  after: readonly string[],
): FieldChange[] {
  const [old, now] = [new Set(before), new Set(after)];
  return [
    ...[...old]
      .filter((text) => !now.has(text))
      .sort()
      .map((text) => ({ field, before: text, after: null })),
    ...[...now]
      .filter((text) => !old.has(text))
      .sort()
      .map((text) => ({ field, before: null, after: text })),
  ];
}

/**
 * The same for `env_from`, where a source whose prefix alone became another is one entry with both sides (CH-20). A source
 * may be listed under several prefixes: those that went and those that came are matched in their order.
 */
function sourceChanges(field: string, before: readonly string[], after: readonly string[]): FieldChange[] {
  const changes = setChanges(field, before, after);
  const came = changes.filter((change) => change.after !== null);
  const paired = new Set<FieldChange>();
  const merged = changes
    .filter((change) => change.before !== null)
    .map((gone) => {
      const match = came.find(
        (other) => !paired.has(other) && sourceOf(other.after) === sourceOf(gone.before),
      );
      if (match === undefined) return gone;
      paired.add(match);
      return { field, before: gone.before, after: match.after };
    });
  return [...merged, ...came.filter((change) => !paired.has(change))];
}

/** `configmap:app` of `configmap:app#PRE_#`: only the prefix may hold a '#' (SF-10). */
const sourceOf = (reference: string | null): string => (reference ?? '').split('#', 1)[0] ?? '';

const initNames = ({ containers }: WorkloadSpecFacts): string[] =>
  containers.flatMap((container) => (container.init === true ? [container.name] : []));

/** A change only when containers that both sides have changed places (CH-23); what came or went has an entry already. */
function orderChange(before: readonly string[], after: readonly string[]): FieldChange[] {
  const [old, now] = [new Set(before), new Set(after)];
  const kept = before.filter((name) => now.has(name));
  const moved = after.filter((name) => old.has(name)).some((name, i) => name !== kept[i]);
  return moved
    ? [{ field: 'init_containers.order', before: before.join(', '), after: after.join(', ') }]
    : [];
}
