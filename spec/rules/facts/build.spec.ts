import { deepEqual, equal } from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import type { FactsKind } from '../../../rules/facts/build.ts';
import { buildSpecFacts } from '../../../rules/facts/build.ts';
import type { ContainerFacts, WorkloadSpecFacts } from '../../../wire/specFacts.ts';
import { specFactsSchema } from '../../../wire/specFacts.ts';
import { compileSchema } from '../../../wire/validate.ts';
import { rawSpecOf } from './workloads.ts';

const KINDS: readonly FactsKind[] = ['Deployment', 'StatefulSet', 'DaemonSet', 'Rollout'];

function factsOf(kind: FactsKind, spec: unknown): WorkloadSpecFacts {
  const facts = buildSpecFacts(kind, spec);
  if (facts === null) throw new Error(`no facts of a ${kind}`);
  return facts;
}

/** A Deployment of one container, with parts of it and of its pod replaced. */
const withContainer = (container: object, pod: object = {}): object => ({
  template: { spec: { containers: [{ name: 'app', image: 'app:1', ...container }], ...pod } },
});

const onlyContainer = (kind: FactsKind, spec: object): ContainerFacts =>
  factsOf(kind, spec).containers[0] as ContainerFacts;

describe('rules/facts/build', () => {
  it('gives the whole block of a Deployment (SF-01, SF-06, SF-15)', () => {
    const facts = factsOf('Deployment', rawSpecOf('Deployment'));
    deepEqual(facts.containers[0], {
      name: 'app',
      image: 'registry.example/app:1.4.0',
      requests: { cpu: '250m', memory: '64Mi' },
      limits: { cpu: '1', memory: '1Gi' },
      env_names: ['FROM_FIELD', 'FROM_FILE', 'FROM_MAP', 'FROM_SECRET', 'PLAIN'],
      env_from: ['configmap:from-map#APP_', 'secret:from-secret'],
      volume_refs: [
        'configmap:app-config',
        'configmap:projected-map',
        'pvc:shared',
        'secret:app-keys',
        'secret:csi-secret',
        'secret:projected-secret',
      ],
    });
    deepEqual(
      { ...facts, containers: facts.containers.map(({ name, init }) => [name, init]) },
      {
        facts_version: 1,
        replicas: 3,
        strategy: { type: 'RollingUpdate', max_surge: '25%', max_unavailable: '1' },
        containers: [
          ['app', undefined],
          ['web', undefined],
          ['schema', true],
          ['proxy', true],
        ],
      },
    );
  });

  it('keeps 0 replicas, has none for a DaemonSet, and takes an unset number of a Rollout for 1 (SF-03)', () => {
    equal(factsOf('Deployment', { ...withContainer({}), replicas: 0 }).replicas, 0);
    equal('replicas' in factsOf('DaemonSet', { ...withContainer({}), replicas: 3 }), false);
    equal(factsOf('Rollout', withContainer({})).replicas, 1);
    equal(factsOf('Rollout', { ...withContainer({}), replicas: 0 }).replicas, 0);
    equal('replicas' in factsOf('StatefulSet', withContainer({})), false);
  });

  it('spells strategies as their authors did, and leaves out what they did not set (SF-04)', () => {
    const strategyOf = (kind: FactsKind, fields: object) =>
      factsOf(kind, { ...withContainer({}), ...fields }).strategy;
    deepEqual(strategyOf('Deployment', { strategy: { type: 'Recreate' } }), { type: 'Recreate' });
    deepEqual(strategyOf('DaemonSet', { updateStrategy: { type: 'OnDelete' } }), { type: 'OnDelete' });
    deepEqual(
      strategyOf('StatefulSet', {
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%' } },
      }),
      { type: 'RollingUpdate', max_unavailable: '25%' },
    );
    deepEqual(strategyOf('Rollout', { strategy: { canary: { maxSurge: 1 } } }), {
      type: 'canary',
      max_surge: '1',
    });
    deepEqual(strategyOf('Rollout', { strategy: { blueGreen: {} } }), { type: 'blueGreen' });
    equal(strategyOf('Deployment', {}), undefined);
  });

  it('shows init containers in their order and main ones by name (SF-05)', () => {
    const spec = (main: string[], init: string[]) => ({
      template: {
        spec: {
          containers: main.map((name) => ({ name, image: name })),
          initContainers: init.map((name) => ({ name, image: name })),
        },
      },
    });
    const text = (main: string[], init: string[]) =>
      JSON.stringify(buildSpecFacts('Deployment', spec(main, init)));
    equal(text(['a', 'b'], ['x', 'y']), text(['b', 'a'], ['x', 'y']));
    equal(text(['a', 'b'], ['x', 'y']) === text(['a', 'b'], ['y', 'x']), false);
  });

  it('gives equal quantities one spelling, typed or stored by the API server (SF-07, SF-08)', () => {
    const resources = (cpu: unknown, memory: unknown) =>
      withContainer({ resources: { requests: { cpu, memory } } });
    const canonical = { cpu: '500m', memory: '1Gi' };
    deepEqual(onlyContainer('Deployment', resources('500m', '1Gi')).requests, canonical);
    deepEqual(onlyContainer('Rollout', resources('0.5', '1024Mi')).requests, canonical);
    deepEqual(onlyContainer('Rollout', resources(0.5, '1Gi')).requests, canonical);
    deepEqual(onlyContainer('Rollout', resources(undefined, '0.1Gi')).requests, { memory: '107374182400m' });
  });

  it('lets nothing pass as a quantity that is none', () => {
    deepEqual(
      onlyContainer('Rollout', withContainer({ resources: { limits: { cpu: 'hunter2', memory: {} } } }))
        .limits,
      {},
    );
  });

  it('lists names of variables once, sorted, whatever their source (SF-09)', () => {
    const env = [
      { name: 'B' },
      { name: 'A', value: 'x' },
      { name: 'A', valueFrom: { secretKeyRef: { key: 'k' } } },
    ];
    deepEqual(onlyContainer('Deployment', withContainer({ env })).env_names, ['A', 'B']);
  });

  it('spells sources of variables with their prefix, which may hold a # of its own (SF-10)', () => {
    const envFrom = [
      { prefix: 'APP#', configMapRef: { name: 'x' } },
      { secretRef: { name: 'keys', optional: true } },
      { prefix: '', configMapRef: { name: 'x' } },
    ];
    deepEqual(onlyContainer('Deployment', withContainer({ envFrom })).env_from, [
      'configmap:x',
      'configmap:x#APP#',
      'secret:keys',
    ]);
  });

  it('names the claim template behind a mount of a StatefulSet (SF-11)', () => {
    const spec = {
      ...withContainer({ volumeMounts: [{ name: 'data' }] }, { volumes: [{ name: 'data', emptyDir: {} }] }),
      volumeClaimTemplates: [{ metadata: { name: 'data' } }, { metadata: { name: 'unused' } }],
    };
    deepEqual(onlyContainer('StatefulSet', spec).volume_refs, ['pvc-template:data']);
    deepEqual(onlyContainer('Deployment', spec).volume_refs, []);
  });

  it('lists the sources of projected and CSI volumes, and no other kind (SF-12, SF-13, SF-14)', () => {
    const refs = onlyContainer('Deployment', rawSpecOf('Deployment')).volume_refs;
    equal(refs.includes('configmap:projected-map') && refs.includes('secret:projected-secret'), true);
    equal(refs.includes('secret:csi-secret'), true);
    equal(
      refs.some((ref) => /azure|block|nobody|bundle|host|scratch/.test(ref)),
      false,
    );
  });

  it('has no facts of a Rollout that refers to its workload, nor of a spec without a template (SF-22)', () => {
    const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'api' };
    equal(buildSpecFacts('Rollout', { workloadRef }), null);
    equal(buildSpecFacts('Rollout', { ...withContainer({}), workloadRef }), null);
    equal(buildSpecFacts('Rollout', { template: { spec: { containers: null } } }), null);
    for (const none of [undefined, null, 'text', [], {}]) equal(buildSpecFacts('Deployment', none), null);
  });

  it('gives the same bytes for the same spec, however its maps and lists were ordered (SF-21)', () => {
    const lists = new Set(['containers', 'env', 'envFrom', 'volumeMounts', 'volumes', 'sources']);
    const shuffled = (value: unknown, pick: (n: number) => number, key = ''): unknown => {
      if (Array.isArray(value)) {
        const items = value.map((item) => shuffled(item, pick));
        return lists.has(key) ? mix(items, pick) : items;
      }
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(mix(Object.entries(value), pick).map(([k, v]) => [k, shuffled(v, pick, k)]));
    };
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), fc.infiniteStream(fc.nat()), (kind, numbers) => {
        const pick = (n: number) => (numbers.next().value as number) % n;
        equal(
          JSON.stringify(buildSpecFacts(kind, shuffled(rawSpecOf(kind), pick))),
          JSON.stringify(buildSpecFacts(kind, rawSpecOf(kind))),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('survives the way over the wire unchanged: parsing what was built is the identity', () => {
    const parse = compileSchema<WorkloadSpecFacts>(specFactsSchema);
    const bare = { template: { spec: { containers: [{ name: 'app' }] } } };
    for (const kind of KINDS) {
      for (const spec of [rawSpecOf(kind), bare]) {
        const text = JSON.stringify(buildSpecFacts(kind, spec));
        const parsed = parse(JSON.parse(text));
        equal(parsed.ok && JSON.stringify(parsed.value), text);
      }
    }
  });

  it('never throws on a shape that nobody expected', () => {
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), fc.anything(), fc.anything(), (kind, pod, container) => {
        buildSpecFacts(kind, {
          template: { spec: pod },
          strategy: pod,
          updateStrategy: container,
          replicas: pod,
        });
        buildSpecFacts(kind, withContainer(Object(container), Object(pod)));
      }),
    );
  });

  it('takes about 1 KB of a workload (SF-23)', () => {
    // Three containers with 17 names each and a share of everything else: 218 KB for 200 such workloads.
    const env = Array.from({ length: 17 }, (_, i) => ({ name: `SETTING_${i}`, value: 'x' }));
    const [resources, envFrom] = [
      { requests: { cpu: '250m', memory: '64Mi' } },
      [{ secretRef: { name: 'keys' } }],
    ];
    const containers = ['app', 'proxy', 'cron'].map((name) => ({
      name,
      image: `shop/${name}:1`,
      env,
      envFrom,
      resources,
    }));
    const text = JSON.stringify(
      Array(200).fill(buildSpecFacts('Deployment', { template: { spec: { containers } } })),
    );
    const kilobytes = Buffer.byteLength(text) / 1024;
    equal(kilobytes > 150 && kilobytes < 250, true, `${kilobytes} KB`);
  });
});

function mix<T>(items: readonly T[], pick: (n: number) => number): T[] {
  const rest = [...items];
  return items.map(() => rest.splice(pick(rest.length), 1)[0] as T);
}
