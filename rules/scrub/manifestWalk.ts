/** Walks an object of Kubernetes by place, and decides about each text by where it stands (redaction.md section 5). */

import { judgeAnnotation, shownValue } from './annotations.ts';
import { sanitizeArguments } from './commandLine.ts';
import { UNTOUCHED_FIELDS, UNTOUCHED_TREES } from './manifestPlaces.ts';
import { isRedacted, redactedValue } from './redacted.ts';
import type { RedactionNotes } from './redactionNotes.ts';
import { classifyKey } from './secretKeys.ts';
import { sanitizeText } from './text.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The object has a shape in which secrets could hide. It says where, and never what stands there. */
export class UnexpectedShape extends Error {}

/** Deeper than any kind nests; the walk calls itself. */
const MAX_DEPTH = 60;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Place {
  readonly path: string;
  readonly depth: number;
  readonly notes: RedactionNotes;
}

const at = (place: Place, field: string): Place => ({
  ...place,
  path: place.path === '' ? field : `${place.path}.${field}`,
  depth: place.depth + 1,
});
const itemOf = (place: Place): Place => ({ ...place, path: `${place.path}[]` });

type Rule = (value: unknown, place: Place) => unknown;

/** Fields with a rule of their own, wherever they stand: pod templates nest in many kinds. */
const RULES: Readonly<Record<string, Rule>> = {
  metadata: redactMetadata,
  annotations: redactAnnotations,
  additionalIngressAnnotations: redactAnnotations,
  env: (value, place) => itemsOf(value, place, redactPair),
  httpHeaders: (value, place) => itemsOf(value, place, redactPair),
  terminated: redactTerminated,
  args: redactArguments,
  command: redactArguments,
  volumeAttributes: redactSettings,
  options: redactSettings,
  containers: walkList,
  initContainers: walkList,
  ephemeralContainers: walkList,
  containerStatuses: walkList,
  initContainerStatuses: walkList,
  ephemeralContainerStatuses: walkList,
  volumes: walkList,
  volumeClaimTemplates: walkList,
  conditions: walkList,
  template: walkFields,
  jobTemplate: walkFields,
};

const isRule = (field: string): boolean => Object.hasOwn(RULES, field);

/** A copy of the object's fields, redacted. Throws UnexpectedShape where a list or an object should be and is not. */
export function redactFields(fields: Fields, path: string, notes: RedactionNotes, depth = 0): Fields {
  const place = { path, depth, notes };
  if (depth > MAX_DEPTH) throw new UnexpectedShape(`${path} is nested too deep`);
  const header =
    typeof fields.headerName === 'string' && classifyKey(fields.headerName, 0, fields.headerName.length);
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => {
      if (header && field === 'headerValue') return [field, redactLeaves(value, at(place, field))];
      return [field, redactField(fields, field, value, at(place, field))];
    }),
  );
}

function redactField(siblings: Fields, field: string, value: unknown, place: Place): unknown {
  if (value === null || value === undefined) return value;
  if (isRule(field)) return (RULES[field] as Rule)(value, place);
  if (typeof value === 'string') {
    if (UNTOUCHED_FIELDS.has(field)) return value;
    if (field === 'value' && typeof siblings.name === 'string')
      return redactNamed(siblings.name, value, place);
    return redactNamed(field, value, place);
  }
  // The health of devices is a list of this name too, with messages in it.
  const isAmounts = field !== 'resources' || !Array.isArray(value);
  return UNTOUCHED_TREES.has(field) && isAmounts ? value : walk(value, place);
}

function walk(value: unknown, place: Place): unknown {
  if (typeof value === 'string') return sanitized(value, place);
  if (Array.isArray(value))
    return value.map((item) => walk(item, { ...itemOf(place), depth: place.depth + 1 }));
  return isFields(value) ? redactFields(value, place.path, place.notes, place.depth) : value;
}

/** A list of objects. Where a field of the same name lists names (a Pod's claims name its containers), they are texts. */
function walkList(value: unknown, place: Place): unknown {
  if (!Array.isArray(value)) throw new UnexpectedShape(`${place.path} is no list`);
  const item = itemOf(place);
  return value.map((entry) => {
    if (typeof entry === 'string') return sanitized(entry, item);
    if (!isFields(entry)) throw new UnexpectedShape(`${place.path} holds something that is no object`);
    return redactFields(entry, item.path, item.notes, item.depth);
  });
}

function walkFields(value: unknown, place: Place): unknown {
  if (!isFields(value)) throw new UnexpectedShape(`${place.path} is no object`);
  return redactFields(value, place.path, place.notes, place.depth);
}

function itemsOf(value: unknown, place: Place, redact: (item: Fields, place: Place) => Fields): unknown[] {
  if (!Array.isArray(value)) throw new UnexpectedShape(`${place.path} is no list`);
  return value.map((item) => {
    if (!isFields(item)) throw new UnexpectedShape(`${place.path} holds something that is no object`);
    return redact(item, itemOf(place));
  });
}

/** A name and its value: the value goes, whatever the name is. A reference beside it stays. */
function redactPair(pair: Fields, place: Place): Fields {
  return withReplaced(pair, 'value', place);
}

function redactTerminated(value: unknown, place: Place): unknown {
  if (!isFields(value)) throw new UnexpectedShape(`${place.path} is no object`);
  return withReplaced(value, 'message', place);
}

/** The fields, redacted, with one whole value replaced. None is invented, and an empty one stays empty. */
function withReplaced(fields: Fields, field: string, place: Place): Fields {
  const value = fields[field];
  const rest = redactFields(
    { ...fields, ...(field in fields ? { [field]: null } : {}) },
    place.path,
    place.notes,
    place.depth,
  );
  if (value === undefined || value === null || value === '')
    return field in fields ? { ...rest, [field]: value } : rest;
  if (typeof value === 'object') throw new UnexpectedShape(`${place.path}.${field} is no text`);
  return { ...rest, [field]: replaced(String(value), at(place, field)) };
}

function redactMetadata(value: unknown, place: Place): unknown {
  if (!isFields(value)) throw new UnexpectedShape(`${place.path} is no object`);
  const { managedFields, ...kept } = value;
  if (managedFields !== undefined) place.notes.add(at(place, 'managedFields').path, 'removed');
  noteRandomLabels(kept.labels, at(place, 'labels'));
  return redactFields(kept, place.path, place.notes, place.depth);
}

/** Labels select, so they stay; one that looks like a secret is worth a word. */
function noteRandomLabels(labels: unknown, place: Place): void {
  if (labels === undefined || labels === null) return;
  if (!isFields(labels)) throw new UnexpectedShape(`${place.path} is no object`);
  for (const label of Object.values(labels)) {
    if (typeof label === 'string' && sanitizeText(label) !== label) {
      place.notes.add(place.path, 'a value looks like a secret; labels are not redacted');
    }
  }
}

function redactAnnotations(value: unknown, place: Place): unknown {
  return Object.fromEntries(
    textsOf(value, place).flatMap(([key, text]) => {
      const verdict = judgeAnnotation(key, text);
      if (verdict.kind === 'drop') {
        place.notes.add(place.path, 'a copy of the object removed');
        return [];
      }
      if (verdict.kind === 'keep') return [[key, text]];
      place.notes.add(
        place.path,
        verdict.kind === 'redact' ? 'a value redacted' : 'a secret hidden in a value',
      );
      return [[key, verdict.value]];
    }),
  );
}

/** Settings of drivers: by their names, and as text (`mountOptions: password=…`). */
function redactSettings(value: unknown, place: Place): unknown {
  // Only drivers have options in the form of a map; the resolver's (dnsConfig) are a list of pairs.
  if (Array.isArray(value)) return walk(value, place);
  return Object.fromEntries(textsOf(value, place).map(([key, text]) => [key, redactNamed(key, text, place)]));
}

function textsOf(value: unknown, place: Place): [string, string][] {
  if (!isFields(value)) throw new UnexpectedShape(`${place.path} is no map of texts`);
  return Object.entries(value).map(([key, text]) => {
    if (typeof text !== 'string') throw new UnexpectedShape(`${place.path} holds something that is no text`);
    return [key, text];
  });
}

/** Arguments of a command; of an analysis (Rollout) they are pairs. */
function redactArguments(value: unknown, place: Place): unknown {
  if (!Array.isArray(value)) throw new UnexpectedShape(`${place.path} is no list`);
  if (value.some((item) => typeof item !== 'string')) return walkList(value, place);
  const shown = sanitizeArguments(value as string[]);
  shown.forEach((text, i) => {
    if (text !== value[i]) place.notes.add(place.path, 'a secret hidden in an argument');
  });
  return shown;
}

function redactLeaves(value: unknown, place: Place): unknown {
  if (typeof value === 'string') return value === '' ? value : replaced(value, place);
  if (Array.isArray(value)) return value.map((item) => redactLeaves(item, place));
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactLeaves(item, place)]));
}

function redactNamed(name: string, value: string, place: Place): string {
  const shown = shownValue(name, value);
  if (shown === null) return sanitized(value, place);
  return shown === value ? value : replaced(value, place);
}

function replaced(value: string, place: Place): string {
  if (!isRedacted(value)) place.notes.add(place.path, 'redacted');
  return redactedValue(value);
}

function sanitized(value: string, place: Place): string {
  const text = sanitizeText(value);
  if (text !== value) place.notes.add(place.path, 'a secret hidden in the text');
  return text;
}
