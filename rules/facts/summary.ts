/** One line about a change, for people (CH-08, CH-09; the wording beyond the two samples is ours, U-36). */

import type { FieldChange } from './diff.ts';
import { describeImages } from './image.ts';
import type { ChangeType, Subject } from './record.ts';

/** Changes that a summary names; the others are counted (CH-08). */
const NAMED_CHANGES = 3;
const MAX_SUMMARY = 300;

/**
 * "Deployment shop/api: image api 2.40.3 → 2.41.0; +2 more", "Deployment shop/api scaled 3 → 0". At most 300 UTF-16 units,
 * cut between two characters.
 */
export function summarize(type: ChangeType, subject: Subject, changes: readonly FieldChange[]): string {
  const who = `${subject.kind} ${subject.namespace}/${subject.name}`;
  return cut(`${who}${whatHappened(type, changes)}`, MAX_SUMMARY);
}

function whatHappened(type: ChangeType, changes: readonly FieldChange[]): string {
  if (type === 'workload_created') return ' created';
  if (type === 'workload_deleted') return ' deleted';
  const [first] = changes;
  if (type === 'workload_scaled' && first !== undefined) return ` scaled ${sides(first)}`;
  const mains = new Set(changes.flatMap(({ field }) => /^containers\.([^.]+)\./.exec(field)?.[1] ?? []));
  const named = changes.slice(0, NAMED_CHANGES).map((change) => phraseOf(change, mains.size > 1));
  const more = changes.length - named.length;
  return `: ${[...named, ...(more > 0 ? [`+${more} more`] : [])].join('; ')}`;
}

const RESOURCES: Readonly<Record<string, string>> = {
  'requests.cpu': 'cpu request',
  'requests.memory': 'memory request',
  'limits.cpu': 'cpu limit',
  'limits.memory': 'memory limit',
};

const FIELDS: Readonly<Record<string, string>> = {
  replicas: 'replicas',
  'strategy.type': 'strategy',
  'strategy.max_surge': 'max surge',
  'strategy.max_unavailable': 'max unavailable',
  'init_containers.order': 'init container order',
  pod_selector: 'pod selector',
  policy_types: 'policy types',
  'ingress.rules': 'ingress rules',
  'egress.rules': 'egress rules',
};

/** `named` says whose resources and variables they are, where changes of several main containers are listed. */
function phraseOf(change: FieldChange, named: boolean): string {
  const fixed = FIELDS[change.field];
  if (fixed !== undefined) return `${fixed} ${sides(change)}`;
  const [list = '', container = '', ...rest] = change.field.split('.');
  if (list === 'ingress' || list === 'egress') return comesOrGoes(`${list} rule`, change);
  const isInit = list === 'init_containers';
  if (rest.length === 0) {
    const what = `${isInit ? 'init container' : 'container'} ${container}`;
    return `${what} ${change.after === null ? 'removed' : 'added'}`;
  }
  const whose = isInit ? `init ${container} ` : named ? `${container} ` : '';
  const fact = rest.join('.');
  // An image names itself.
  if (fact === 'image') return `${isInit ? 'init ' : ''}image ${describeImages(change.before, change.after)}`;
  const resource = RESOURCES[fact];
  if (resource !== undefined) return `${whose}${resource} ${sides(change)}`;
  const noun = fact === 'env' ? 'env' : fact === 'env_from' ? 'env from' : 'volume';
  return `${whose}${comesOrGoes(noun, change)}`;
}

function comesOrGoes(noun: string, change: FieldChange): string {
  if (change.before !== null && change.after !== null) return `${noun} ${sides(change)}`;
  return change.after === null ? `${noun} ${change.before} removed` : `${noun} ${change.after} added`;
}

const sides = ({ before, after }: FieldChange): string => `${before ?? 'unset'} → ${after ?? 'unset'}`;

/** At most `limit` UTF-16 units, the last of them an ellipsis where something was cut; no half of a character. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let kept = '';
  for (const character of text) {
    if (kept.length + character.length > limit - 1) break;
    kept += character;
  }
  return `${kept}…`;
}
