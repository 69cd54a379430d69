import type { KubeObject, ResourceKey } from '../objects.ts';

/** A parsed selector: a test, or the message of the 400. Null stands for no selector at all. */
export type Selector = { readonly kind: 'test'; matches(object: KubeObject): boolean } | Bad;
interface Bad {
  readonly kind: 'bad';
  readonly message: string;
}

const labelRequirement = /^([A-Za-z0-9][\w./-]*)\s*(==|=|!=)\s*([A-Za-z0-9][\w.-]*|)$/;
const labelPresence = /^(!?)\s*([A-Za-z0-9][\w./-]*)$/;
const labelSet = /^([A-Za-z0-9][\w./-]*)\s+(in|notin)\s*\(([^()]*)\)$/;

/** A labelSelector: `a=b`, `a==b`, `a!=b`, `a`, `!a`, `a in (b, c)`, `a notin (b)`, joined by commas. */
export function parseLabelSelector(text: string): Selector {
  const tests: ((labels: Readonly<Record<string, string>>) => boolean)[] = [];
  for (const part of text.split(/,(?![^(]*\))/).map((each) => each.trim())) {
    const test = labelTest(part);
    if (test === null) return { kind: 'bad', message: `unable to parse requirement: '${part}'` };
    tests.push(test);
  }
  return { kind: 'test', matches: ({ metadata }) => tests.every((test) => test(metadata.labels ?? {})) };
}

function labelTest(part: string): ((labels: Readonly<Record<string, string>>) => boolean) | null {
  const equality = labelRequirement.exec(part);
  if (equality !== null) {
    const [, key = '', operator, value = ''] = equality;
    return operator === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
  }
  const presence = labelPresence.exec(part);
  if (presence !== null) {
    const [, not, key = ''] = presence;
    return (labels) => Object.hasOwn(labels, key) === (not === '');
  }
  const set = labelSet.exec(part);
  if (set === null) return null;
  const [, key = '', operator, list = ''] = set;
  const values = new Set(list.split(',').map((value) => value.trim()));
  const isIn = (labels: Readonly<Record<string, string>>): boolean =>
    values.has(labels[key] ?? '') && Object.hasOwn(labels, key);
  return operator === 'in' ? isIn : (labels) => !isIn(labels);
}

/** The fields that a selector may name, besides those of every object: the API keeps such a list per resource. */
const selectable: { readonly [key in ResourceKey]?: readonly string[] } = {
  pods: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'status.phase',
  ],
  events: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  nodes: ['spec.unschedulable'],
  namespaces: ['status.phase'],
  services: ['spec.clusterIP', 'spec.type'],
  jobs: ['status.successful'],
};

/** A fieldSelector: `a=b`, `a==b` and `a!=b` joined by commas, on the fields that the resource offers. */
export function parseFieldSelector(resource: ResourceKey, text: string): Selector {
  const known = new Set(['metadata.name', 'metadata.namespace', ...(selectable[resource] ?? [])]);
  const tests: ((object: KubeObject) => boolean)[] = [];
  for (const part of text.split(',').filter((each) => each !== '')) {
    const match = /^([^!=]+)(==|=|!=)(.*)$/.exec(part);
    if (match === null) {
      return { kind: 'bad', message: `invalid selector: '${text}'; can't understand '${part}'` };
    }
    const [, path = '', operator, value = ''] = match;
    if (!known.has(path)) return { kind: 'bad', message: `field label not supported: ${path}` };
    tests.push((object) => (fieldText(resource, object, path) === value) === (operator !== '!='));
  }
  return { kind: 'test', matches: (object) => tests.every((test) => test(object)) };
}

/** A field as a selector compares it; what is absent counts as the empty text, or `false` for a switch. */
function fieldText(resource: ResourceKey, object: KubeObject, path: string): string {
  if (path === 'source') return fieldText(resource, object, 'source.component');
  if (resource === 'jobs' && path === 'status.successful') {
    return fieldText(resource, object, 'status.succeeded') || '0';
  }
  let value: unknown = object;
  for (const field of path.split('.'))
    value = (value as Readonly<Record<string, unknown>> | undefined)?.[field];
  return String(value ?? (path === 'spec.unschedulable' ? false : ''));
}
