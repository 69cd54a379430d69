import { equal } from 'node:assert/strict';
import fc from 'fast-check';
import type { PodDemand, Side } from '../../../rules/kube/podResources.ts';
import { podSum } from '../../../rules/kube/podResources.ts';
import { millisUp, unitsUp } from '../../../rules/kube/quantity.ts';

const cpu = (pod: Partial<PodDemand>, side: Side = 'requests'): number | null =>
  millisUp(podSum({ containers: [], initContainers: [], ...pod }, side, 'cpu'));
const asks = (amount: string) => ({ requests: { cpu: amount } });

describe('rules/kube/podResources', () => {
  it('adds up the containers', () => {
    equal(cpu({ containers: [asks('250m'), asks('0.5'), {}] }), 750);
  });

  it('takes the init phase where that is larger, one init container at a time', () => {
    const initContainers = [
      { ...asks('2'), sidecar: false },
      { ...asks('1'), sidecar: false },
    ];
    equal(cpu({ containers: [asks('500m')], initContainers }), 2000);
  });

  it('counts a sidecar beside the containers and beside the init containers that start after it', () => {
    const sidecar = { ...asks('100m'), sidecar: true };
    const init = { ...asks('1'), sidecar: false };
    equal(cpu({ containers: [asks('500m')], initContainers: [sidecar] }), 600);
    equal(cpu({ containers: [asks('500m')], initContainers: [sidecar, init] }), 1100);
    equal(cpu({ containers: [asks('500m')], initContainers: [init, sidecar] }), 1000);
  });

  it('adds the overhead of the runtime class, but not to a limit that no container sets', () => {
    const pod = { containers: [asks('1')], overhead: { cpu: '250m' } };
    equal(cpu(pod), 1250);
    equal(cpu(pod, 'limits'), null);
    equal(cpu({ ...pod, containers: [{ limits: { cpu: '0' } }] }, 'limits'), 0);
  });

  it('lets the resources of the pod as a whole replace the sum', () => {
    equal(cpu({ containers: [asks('3')], podLevel: asks('2'), overhead: { cpu: '1' } }), 3000);
    equal(cpu({ containers: [asks('3')], podLevel: { requests: { memory: '1Gi' } } }), 3000);
  });

  it('is null when nothing in the pod sets the resource, overhead alone included', () => {
    equal(cpu({ containers: [{}, { requests: { memory: '1Gi' } }] }), null);
    equal(cpu({ containers: [{}], overhead: { cpu: '1' } }), null);
    equal(cpu({ containers: [asks('0')] }), 0);
  });

  it('rounds once, after the sum, and up', () => {
    equal(cpu({ containers: [asks('100u'), asks('100u')] }), 1);
    const memory = podSum(
      { containers: [{ requests: { memory: '0.1' } }, { requests: { memory: '0.1' } }], initContainers: [] },
      'requests',
      'memory',
    );
    equal(unitsUp(memory), 1);
  });

  it('equals the most that runs at any moment of the pod’s life', () => {
    const amount = fc.option(fc.nat(4000), { nil: undefined });
    const pods = fc.record({
      main: fc.array(amount, { minLength: 1, maxLength: 4 }),
      init: fc.array(fc.record({ amount, sidecar: fc.boolean() }), { maxLength: 5 }),
      overhead: amount,
    });
    const demand = (millis: number | undefined) => (millis === undefined ? {} : asks(`${millis}m`));
    fc.assert(
      fc.property(pods, ({ main, init, overhead }) => {
        const got = cpu({
          containers: main.map(demand),
          initContainers: init.map((c) => ({ ...demand(c.amount), sidecar: c.sidecar })),
          overhead: overhead === undefined ? null : { cpu: `${overhead}m` },
        });
        equal(got, busiestMoment(main, init, overhead));
      }),
    );
  });
});

/** Plays the start of a pod: init containers in order, sidecars staying, then every main container at once. */
function busiestMoment(
  main: (number | undefined)[],
  init: { amount: number | undefined; sidecar: boolean }[],
  overhead = 0,
): number | null {
  if ([...main, ...init.map((c) => c.amount)].every((amount) => amount === undefined)) return null;
  const total = (amounts: (number | undefined)[]): number =>
    amounts.reduce<number>((sum, n) => sum + (n ?? 0), 0);
  const moments = init.map((container, at) =>
    total([...init.slice(0, at).filter((c) => c.sidecar), container].map((c) => c.amount)),
  );
  moments.push(total(main) + total(init.filter((c) => c.sidecar).map((c) => c.amount)));
  return Math.max(...moments) + overhead;
}
