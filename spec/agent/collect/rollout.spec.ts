import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { mapRollout } from '../../../agent/collect/rollout.ts';
import { recordSchema } from '../../../wire/kinds/define.ts';
import { workloads } from '../../../wire/kinds/index.ts';
import { specFactsSchema } from '../../../wire/specFacts.ts';
import { compileSchema } from '../../../wire/validate.ts';

const metadata = { name: 'checkout', namespace: 'shop', uid: 'r-1' };
const checkRecord = compileSchema(recordSchema(workloads.fields));
const checkFacts = compileSchema(specFactsSchema);

describe('a Rollout as sent', () => {
  it('wants one replica when none is set, and none when that is set (AR-07)', () => {
    equal(mapRollout({ metadata, spec: {} }).replicas_desired, 1);
    equal(mapRollout({ metadata, spec: { replicas: 0 } }).replicas_desired, 0);
    const status = { readyReplicas: 3, availableReplicas: 2 };
    const mapped = mapRollout({ metadata, spec: { replicas: 4 }, status });
    deepEqual([mapped.replicas_desired, mapped.replicas_ready, mapped.replicas_available], [4, 3, 2]);
  });

  it('names its strategy, its containers, labels and conditions (AR-08)', () => {
    const template = { spec: { containers: [{ name: 'a', image: 'x:1' }] } };
    for (const type of ['canary', 'blueGreen']) {
      const mapped = mapRollout({ metadata, spec: { strategy: { [type]: {} }, template } });
      equal(mapped.strategy, type);
      deepEqual(
        mapped.containers.map(({ name, image }) => [name, image]),
        [['a', 'x:1']],
      );
    }
  });

  it('has its annotations scrubbed as every other workload’s (AR-09)', () => {
    const annotations = {
      'example.com/db-password': 'hunter2',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'example.com/team': 'shop',
    };
    deepEqual(mapRollout({ metadata: { ...metadata, annotations }, spec: {} }).annotations, {
      'example.com/db-password': '<redacted: 7 chars>',
      'example.com/team': 'shop',
    });
  });

  it('has no containers and no facts when it takes its template from a Deployment (AR-12)', () => {
    const template = { spec: { containers: [{ name: 'a', image: 'x:1' }] } };
    const mapped = mapRollout({
      metadata,
      spec: { workloadRef: { kind: 'Deployment', name: 'a' }, template },
    });
    deepEqual([mapped.containers, 'spec_facts' in mapped], [[], false]);
  });

  it('is one that the backend takes, whatever its spec and status hold', () => {
    const fields = [
      'replicas',
      'strategy',
      'canary',
      'blueGreen',
      'maxSurge',
      'template',
      'spec',
      'containers',
      'initContainers',
      'name',
      'image',
      'env',
      'envFrom',
      'resources',
      'requests',
      'limits',
      'cpu',
      'memory',
      'ports',
      'containerPort',
      'volumes',
      'volumeMounts',
      'workloadRef',
      'conditions',
      'type',
      'status',
      'readyReplicas',
    ];
    const hostile = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom(null, 0, 1.5, 2 ** 40, true, '', 'text', '1Gi', [], {}),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...fields), tie('any')),
      ),
    })).any;
    fc.assert(
      fc.property(hostile, hostile, (spec, status) => {
        const { spec_facts: facts, ...record } = JSON.parse(
          JSON.stringify(mapRollout({ metadata, spec, status })),
        );
        const checked = checkRecord(record);
        ok(checked.ok, JSON.stringify(checked));
        if (facts !== undefined) ok(checkFacts(facts).ok, JSON.stringify(facts));
      }),
      { numRuns: 500 },
    );
  });
});
