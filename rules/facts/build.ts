/** The facts of a workload's spec that two snapshots are compared by (SF-01 to SF-22). */

import type {
  ContainerFacts,
  ResourceFacts,
  StrategyFacts,
  WorkloadSpecFacts,
} from '../../wire/specFacts.ts';
import { FACTS_VERSION } from '../../wire/specFacts.ts';
import { canonicalQuantity, nanosOf } from '../kube/quantity.ts';
import { fieldsOf, intOrTextOf, objectsOf, textOf } from './raw.ts';
import type { VolumeReferences } from './references.ts';
import { envFromOf, mountedReferences, sortedSet, volumeReferences } from './references.ts';

export type FactsKind = 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'Rollout';

type Raw = Readonly<Record<string, unknown>>;

const MAX_INT32 = 2_147_483_647;

/**
 * Facts of a raw `spec`, the same bytes for the same spec. Null when it has no pod template of its own, as a Rollout with
 * a `workloadRef`: unknown, not empty (SF-22).
 *
 * Only what is named here is read. Values of variables, arguments, annotations, keys of references, items of volumes and
 * attributes of CSI drivers are not (SF-16); a leak test plants a marker in every one of them.
 */
export function buildSpecFacts(kind: FactsKind, spec: unknown): WorkloadSpecFacts | null {
  const fields = fieldsOf(spec);
  const podSpec = fieldsOf(fieldsOf(fields.template).spec);
  const isReference = kind === 'Rollout' && fields.workloadRef !== undefined && fields.workloadRef !== null;
  const main = objectsOf(podSpec.containers);
  if (isReference || main.length === 0) return null;
  const volumes = volumeReferences(podSpec, kind === 'StatefulSet' ? fields.volumeClaimTemplates : null);
  const replicas = replicasOf(kind, fields.replicas);
  const strategy = strategyOf(kind, fields);
  return {
    facts_version: FACTS_VERSION,
    ...(replicas === null ? {} : { replicas }),
    ...(strategy === null ? {} : { strategy }),
    containers: [
      ...main.map((container) => factsOf(container, volumes)).sort(byName),
      // Init containers run one after another: their order is a fact (SF-05).
      ...objectsOf(podSpec.initContainers).map((container) => ({
        ...factsOf(container, volumes),
        init: true,
      })),
    ],
  };
}

/** A DaemonSet has none; Argo takes an unset number for 1 (SF-03). */
function replicasOf(kind: FactsKind, replicas: unknown): number | null {
  if (kind === 'DaemonSet') return null;
  if (Number.isInteger(replicas) && Math.abs(replicas as number) <= MAX_INT32) return replicas as number;
  return kind === 'Rollout' ? 1 : null;
}

/** Type and limits as the author spelled them; null when the spec says nothing of them (SF-04). */
function strategyOf(kind: FactsKind, spec: Raw): StrategyFacts | null {
  const strategy = fieldsOf(
    kind === 'Deployment' || kind === 'Rollout' ? spec.strategy : spec.updateStrategy,
  );
  const type = kind === 'Rollout' ? rolloutStrategy(strategy) : textOf(strategy.type);
  const limits = fieldsOf(kind === 'Rollout' ? strategy[type ?? ''] : strategy.rollingUpdate);
  const facts = {
    ...present('type', type),
    ...present('max_surge', intOrTextOf(limits.maxSurge)),
    ...present('max_unavailable', intOrTextOf(limits.maxUnavailable)),
  };
  return Object.keys(facts).length === 0 ? null : facts;
}

/** A Rollout names its strategy by the key that it fills. */
const rolloutStrategy = (strategy: Raw): string | null =>
  ['canary', 'blueGreen'].find((key) => typeof strategy[key] === 'object' && strategy[key] !== null) ?? null;

const present = <K extends string>(key: K, text: string | null): { [key in K]?: string } =>
  (text === null ? {} : { [key]: text }) as { [key in K]?: string };

function factsOf(container: Raw, volumes: VolumeReferences): ContainerFacts {
  const resources = fieldsOf(container.resources);
  return {
    name: textOf(container.name) ?? '',
    image: textOf(container.image) ?? '',
    requests: amountsOf(resources.requests),
    limits: amountsOf(resources.limits),
    env_names: sortedSet(objectsOf(container.env).flatMap((variable) => textOf(variable.name) ?? [])),
    env_from: envFromOf(container),
    volume_refs: mountedReferences(container, volumes),
  };
}

/** CPU and memory in canonical spelling. A text that is no quantity could be anything, so it stays behind. */
function amountsOf(amounts: unknown): ResourceFacts {
  const { cpu, memory } = fieldsOf(amounts);
  return { ...present('cpu', quantityOf(cpu)), ...present('memory', quantityOf(memory)) };
}

function quantityOf(amount: unknown): string | null {
  if (typeof amount !== 'string' && typeof amount !== 'number') return null;
  return nanosOf(amount) === null ? null : canonicalQuantity(amount);
}

/** Byte order: container names are ASCII (DNS-1123 labels). */
const byName = (a: ContainerFacts, b: ContainerFacts): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
