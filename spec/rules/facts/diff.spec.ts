import { deepEqual, equal } from 'node:assert/strict';
import fc from 'fast-check';
import type { FieldChange } from '../../../rules/facts/diff.ts';
import { diffFacts } from '../../../rules/facts/diff.ts';
import type { ContainerFacts, WorkloadSpecFacts } from '../../../wire/specFacts.ts';
import { anyFacts, containerFacts, factsOf } from './arbitrary.ts';

const changed = (before: Partial<ContainerFacts>, after: Partial<ContainerFacts>): FieldChange[] =>
  diffFacts(factsOf([containerFacts('app', before)]), factsOf([containerFacts('app', after)]));

const fieldsOf = (changes: readonly FieldChange[]): string[] => changes.map(({ field }) => field);

describe('rules/facts/diff', () => {
  it('gives replicas as text, a missing side as null (CH-12, CH-14)', () => {
    const app = [containerFacts('app')];
    deepEqual(diffFacts(factsOf(app), factsOf(app, { replicas: 0 })), [
      { field: 'replicas', before: '3', after: '0' },
    ]);
    deepEqual(diffFacts(factsOf(app), factsOf(app, { replicas: null })), [
      { field: 'replicas', before: '3', after: null },
    ]);
  });

  it('compares the strategy field by field (CH-15)', () => {
    const app = [containerFacts('app')];
    const rolling = factsOf(app, { strategy: { type: 'RollingUpdate', max_surge: '25%' } });
    const other = factsOf(app, { strategy: { type: 'Recreate', max_unavailable: '1' } });
    deepEqual(diffFacts(rolling, other), [
      { field: 'strategy.type', before: 'RollingUpdate', after: 'Recreate' },
      { field: 'strategy.max_surge', before: '25%', after: null },
      { field: 'strategy.max_unavailable', before: null, after: '1' },
    ]);
    deepEqual(fieldsOf(diffFacts(factsOf(app), rolling)), ['strategy.type', 'strategy.max_surge']);
  });

  it('has a single entry for a container that came or went, whatever it holds (CH-16, X-38)', () => {
    const [app, proxy] = [
      containerFacts('app'),
      containerFacts('proxy', { env_names: ['A'], limits: { cpu: '1' } }),
    ];
    deepEqual(diffFacts(factsOf([app]), factsOf([app, proxy])), [
      { field: 'containers.proxy', before: null, after: proxy.image },
    ]);
    deepEqual(diffFacts(factsOf([app, proxy]), factsOf([app])), [
      { field: 'containers.proxy', before: proxy.image, after: null },
    ]);
  });

  it('takes a container that turned to an init container for one gone and one come (X-38)', () => {
    const [app, wait] = [containerFacts('app'), containerFacts('wait')];
    deepEqual(diffFacts(factsOf([app, wait]), factsOf([app, { ...wait, init: true }])), [
      { field: 'containers.wait', before: wait.image, after: null },
      { field: 'init_containers.wait', before: null, after: wait.image },
    ]);
  });

  it('compares images and each resource as they are spelled (CH-12, CH-17, CH-18)', () => {
    deepEqual(
      changed(
        { image: 'api:2.40.3', requests: { cpu: '250m', memory: '1Gi' }, limits: { memory: '1Gi' } },
        { image: 'api:2.41.0', requests: { cpu: '500m' }, limits: { cpu: '1', memory: '768Mi' } },
      ),
      [
        { field: 'containers.app.image', before: 'api:2.40.3', after: 'api:2.41.0' },
        { field: 'containers.app.requests.cpu', before: '250m', after: '500m' },
        { field: 'containers.app.requests.memory', before: '1Gi', after: null },
        { field: 'containers.app.limits.cpu', before: null, after: '1' },
        { field: 'containers.app.limits.memory', before: '1Gi', after: '768Mi' },
      ],
    );
  });

  it('has two entries for a variable that was renamed (CH-19)', () => {
    deepEqual(changed({ env_names: ['A', 'OLD'] }, { env_names: ['A', 'NEW'] }), [
      { field: 'containers.app.env', before: 'OLD', after: null },
      { field: 'containers.app.env', before: null, after: 'NEW' },
    ]);
  });

  it('has one entry for a source whose prefix alone changed, split at the first # (CH-20)', () => {
    const field = 'containers.app.env_from';
    deepEqual(changed({ env_from: ['configmap:app#OLD_'] }, { env_from: ['configmap:app#NEW_'] }), [
      { field, before: 'configmap:app#OLD_', after: 'configmap:app#NEW_' },
    ]);
    deepEqual(changed({ env_from: ['configmap:app'] }, { env_from: ['configmap:app#A#B'] }), [
      { field, before: 'configmap:app', after: 'configmap:app#A#B' },
    ]);
    deepEqual(
      changed({ env_from: ['configmap:app', 'secret:a'] }, { env_from: ['secret:app', 'secret:a'] }),
      [
        { field, before: 'configmap:app', after: null },
        { field, before: null, after: 'secret:app' },
      ],
    );
  });

  it('pairs prefixes of one source one to one', () => {
    deepEqual(changed({ env_from: ['secret:a#X'] }, { env_from: ['secret:a#Y', 'secret:a#Z'] }), [
      { field: 'containers.app.env_from', before: 'secret:a#X', after: 'secret:a#Y' },
      { field: 'containers.app.env_from', before: null, after: 'secret:a#Z' },
    ]);
  });

  it('has one entry for each volume reference that came or went (CH-21)', () => {
    deepEqual(changed({ volume_refs: ['pvc:data'] }, { volume_refs: ['pvc:data', 'secret:tls'] }), [
      { field: 'containers.app.volumes', before: null, after: 'secret:tls' },
    ]);
  });

  it('mirrors all of it for init containers (CH-22)', () => {
    const facts = (change: Partial<ContainerFacts>) =>
      factsOf([containerFacts('app'), containerFacts('schema', { init: true, ...change })]);
    const after = facts({
      image: 'schema:2',
      limits: { cpu: '1' },
      env_names: ['A'],
      env_from: ['secret:a'],
      volume_refs: ['secret:v'],
    });
    deepEqual(fieldsOf(diffFacts(facts({}), after)), [
      'init_containers.schema.image',
      'init_containers.schema.limits.cpu',
      'init_containers.schema.env',
      'init_containers.schema.env_from',
      'init_containers.schema.volumes',
    ]);
  });

  it('takes another order of init containers for a change, of main ones not (CH-23)', () => {
    const init = (...names: string[]) => names.map((name) => containerFacts(name, { init: true }));
    const [a, b] = [containerFacts('a'), containerFacts('b')];
    deepEqual(diffFacts(factsOf([a, b, ...init('x', 'y')]), factsOf([b, a, ...init('y', 'x')])), [
      { field: 'init_containers.order', before: 'x, y', after: 'y, x' },
    ]);
    // One put between two others moved neither.
    deepEqual(fieldsOf(diffFacts(factsOf([a, ...init('x', 'y')]), factsOf([a, ...init('x', 'new', 'y')]))), [
      'init_containers.new',
    ]);
  });

  it('finds nothing between equal facts, in whatever order their sets come', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        deepEqual(diffFacts(facts, facts), []);
        deepEqual(diffFacts(facts, reordered(facts)), []);
      }),
    );
  });

  it('says all of it: what was before, with the changes applied, is what is after', () => {
    fc.assert(
      fc.property(anyFacts, anyFacts, (before, after) => {
        const applied = apply(flatten(before), diffFacts(before, after), flatten(after));
        deepEqual(applied, flatten(after));
      }),
    );
  });

  it('is symmetric: backwards it has the same changes with their sides swapped', () => {
    fc.assert(
      fc.property(anyFacts, anyFacts, (before, after) => {
        const swapped = diffFacts(after, before).map((c) => ({
          field: c.field,
          before: c.after,
          after: c.before,
        }));
        // How several prefixes of one source are paired depends on the side; which fields changed does not.
        deepEqual(
          [...new Set(fieldsOf(swapped))].sort(),
          [...new Set(fieldsOf(diffFacts(before, after)))].sort(),
        );
        equal(swapped.length, diffFacts(before, after).length);
      }),
    );
  });
});

const reordered = (facts: WorkloadSpecFacts): WorkloadSpecFacts => ({
  ...facts,
  containers: [
    ...facts.containers.filter(({ init }) => init !== true).reverse(),
    ...facts.containers.filter(({ init }) => init === true),
  ].map((container) => ({
    ...container,
    env_names: [...container.env_names].reverse(),
    env_from: [...container.env_from].reverse(),
    volume_refs: [...container.volume_refs].reverse(),
  })),
});

/** Field to its values, sets as several values; the content of a container stands under its path. */
type Flat = Map<string, Set<string>>;

function flatten(facts: WorkloadSpecFacts): Flat {
  const flat: Flat = new Map();
  const put = (field: string, values: readonly (string | number | null | undefined)[]) => {
    const texts = values.flatMap((value) => (value === null || value === undefined ? [] : [String(value)]));
    if (texts.length > 0) flat.set(field, new Set(texts));
  };
  put('replicas', [facts.replicas]);
  put('strategy.type', [facts.strategy?.type]);
  put('strategy.max_surge', [facts.strategy?.max_surge]);
  for (const container of facts.containers) {
    const path = `${container.init === true ? 'init_containers' : 'containers'}.${container.name}`;
    put(`${path}.image`, [container.image]);
    for (const list of ['requests', 'limits'] as const) {
      put(`${path}.${list}.cpu`, [container[list].cpu]);
      put(`${path}.${list}.memory`, [container[list].memory]);
    }
    put(`${path}.env`, container.env_names);
    put(`${path}.env_from`, container.env_from);
    put(`${path}.volumes`, container.volume_refs);
  }
  const order = facts.containers.filter(({ init }) => init === true).map(({ name }) => name);
  if (order.length > 1) put('init_containers.order', [order.join(', ')]);
  return flat;
}

function apply(before: Flat, changes: readonly FieldChange[], after: Flat): Flat {
  const flat: Flat = new Map([...before].map(([field, values]) => [field, new Set(values)]));
  for (const change of changes) {
    const isContainer = /^(init_)?containers\.[^.]+$/.test(change.field) && !change.field.endsWith('.order');
    if (isContainer) {
      // A container that came says its image alone; the rest of it is taken from what is there now.
      for (const field of [...flat.keys()]) if (field.startsWith(`${change.field}.`)) flat.delete(field);
      if (change.after === null) continue;
      for (const [field, values] of after) {
        if (field.startsWith(`${change.field}.`)) flat.set(field, new Set(values));
      }
      deepEqual([...(flat.get(`${change.field}.image`) ?? [])], [change.after]);
      continue;
    }
    const values = flat.get(change.field) ?? new Set();
    if (change.before !== null) equal(values.delete(change.before), true, change.field);
    if (change.after !== null) values.add(change.after);
    if (values.size === 0) flat.delete(change.field);
    else flat.set(change.field, values);
  }
  // The list of names follows from the containers themselves unless kept ones changed places.
  if (!changes.some(({ field }) => field === 'init_containers.order')) {
    const order = after.get('init_containers.order');
    if (order === undefined) flat.delete('init_containers.order');
    else flat.set('init_containers.order', order);
  }
  return flat;
}
