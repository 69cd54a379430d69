/** Facts for specs: one workload written by hand, and any that an agent could send. */

import fc from 'fast-check';
import type { ContainerFacts, WorkloadSpecFacts } from '../../../wire/specFacts.ts';

export const containerFacts = (name: string, change: Partial<ContainerFacts> = {}): ContainerFacts => ({
  name,
  image: `registry.example/shop/${name}:1.0.0`,
  requests: {},
  limits: {},
  env_names: [],
  env_from: [],
  volume_refs: [],
  ...change,
});

export const factsOf = (
  containers: readonly ContainerFacts[],
  change: Partial<WorkloadSpecFacts> = {},
): WorkloadSpecFacts => ({ facts_version: 1, replicas: 3, containers: [...containers], ...change });

const someOf = (texts: readonly string[]): fc.Arbitrary<string[]> => fc.subarray([...texts]);

const amounts = fc.record(
  { cpu: fc.constantFrom('250m', '1'), memory: fc.constantFrom('1Gi', '768Mi') },
  { requiredKeys: [], noNullPrototype: true },
);

const container = (name: string): fc.Arbitrary<ContainerFacts> =>
  fc.record(
    {
      name: fc.constant(name),
      image: fc.constantFrom('shop/api:1', 'shop/api:2', 'shop/api@sha256:0123456789abcdef'),
      requests: amounts,
      limits: amounts,
      env_names: someOf(['A', 'B', 'C']),
      env_from: someOf(['configmap:a', 'configmap:a#P_', 'configmap:a#P_#', 'secret:a', 'secret:b#']),
      volume_refs: someOf(['configmap:v', 'secret:v', 'pvc:v']),
    },
    { noNullPrototype: true },
  );

const containers = (names: readonly string[]): fc.Arbitrary<ContainerFacts[]> =>
  fc.shuffledSubarray([...names]).chain((chosen) => fc.tuple(...chosen.map(container)));

/** Any facts of version 1, as `buildSpecFacts` orders them. */
export const anyFacts: fc.Arbitrary<WorkloadSpecFacts> = fc
  .record({
    replicas: fc.option(fc.nat(3), { nil: undefined }),
    type: fc.option(fc.constantFrom('RollingUpdate', 'Recreate'), { nil: undefined }),
    surge: fc.option(fc.constantFrom('25%', '1'), { nil: undefined }),
    main: containers(['app', 'proxy', 'init-app']),
    init: containers(['app', 'schema', 'seed', 'wait']),
  })
  .map(({ replicas, type, surge, main, init }) => ({
    facts_version: 1,
    ...(replicas === undefined ? {} : { replicas }),
    ...(type === undefined
      ? {}
      : { strategy: { type, ...(surge === undefined ? {} : { max_surge: surge }) } }),
    containers: [
      ...main.sort((a, b) => (a.name < b.name ? -1 : 1)),
      ...init.map((facts) => ({ ...facts, init: true })),
    ],
  }));
