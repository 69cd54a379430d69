import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { diffFacts } from '../../../rules/facts/diff.ts';
import { describeImages } from '../../../rules/facts/image.ts';
import { toRecord, workloadRecord } from '../../../rules/facts/record.ts';
import { anyFacts, containerFacts, factsOf } from './arbitrary.ts';

const API = { kind: 'Deployment', namespace: 'shop', name: 'checkout-api' };

const image = (tag: string) => `registry.example:5000/shop/checkout-api:${tag}`;

describe('rules/facts/record', () => {
  it('names three changes and counts the others (CH-08)', () => {
    const before = factsOf([containerFacts('api', { image: image('2.40.3'), limits: { memory: '1Gi' } })]);
    const after = factsOf([
      containerFacts('api', { image: image('2.41.0'), limits: { memory: '768Mi' }, env_names: ['A', 'B'] }),
    ]);
    const record = workloadRecord(API, diffFacts(before, after));
    equal(
      record.summary,
      'Deployment shop/checkout-api: image checkout-api 2.40.3 → 2.41.0; memory limit 1Gi → 768Mi; env A added; +1 more',
    );
    equal(record.event_type, 'workload_changed');
    equal(record.change_count, 4);
  });

  it('tells a scale by hand from a change (CH-05, CH-09)', () => {
    const scale = { field: 'replicas', before: '3', after: '0' };
    const scaled = workloadRecord(API, [scale]);
    equal(scaled.summary, 'Deployment shop/checkout-api scaled 3 → 0');
    equal(scaled.event_type, 'workload_scaled');
    const both = workloadRecord(API, [scale, { field: 'strategy.max_surge', before: null, after: '1' }]);
    equal(both.event_type, 'workload_changed');
    equal(both.summary, 'Deployment shop/checkout-api: replicas 3 → 0; max surge unset → 1');
  });

  for (const [field, before, after, phrase] of [
    ['strategy.type', 'RollingUpdate', 'Recreate', 'strategy RollingUpdate → Recreate'],
    ['strategy.max_unavailable', '1', null, 'max unavailable 1 → unset'],
    ['containers.proxy', null, 'envoy:1', 'container proxy added'],
    ['containers.proxy', 'envoy:1', null, 'container proxy removed'],
    ['init_containers.schema', null, 'schema:1', 'init container schema added'],
    ['init_containers.schema.image', 'shop/schema:1', 'shop/schema:2', 'init image schema 1 → 2'],
    ['init_containers.schema.env', 'A', null, 'init schema env A removed'],
    ['containers.app.requests.cpu', '250m', '1', 'cpu request 250m → 1'],
    ['containers.app.env_from', 'secret:a', null, 'env from secret:a removed'],
    ['containers.app.env_from', 'secret:a#X', 'secret:a#Y', 'env from secret:a#X → secret:a#Y'],
    ['containers.app.volumes', null, 'pvc:data', 'volume pvc:data added'],
    ['init_containers.order', 'a, b', 'b, a', 'init container order a, b → b, a'],
  ] as const) {
    it(`words ${field} as "${phrase}" (U-36)`, () => {
      const { summary } = workloadRecord(API, [{ field, before, after }]);
      equal(summary, `Deployment shop/checkout-api: ${phrase}`);
    });
  }

  it('says whose a fact is where several main containers changed', () => {
    const field = (name: string) => ({ field: `containers.${name}.limits.cpu`, before: '1', after: '2' });
    equal(
      workloadRecord(API, [field('app'), field('proxy')]).summary,
      'Deployment shop/checkout-api: app cpu limit 1 → 2; proxy cpu limit 1 → 2',
    );
  });

  for (const [before, after, text] of [
    ['api:1', 'api:2', 'api 1 → 2'],
    ['host:5000/a/api', 'host:5000/a/api:2', 'api untagged → 2'],
    [
      'a/api:1@sha256:0123456789abcdef',
      'a/api@sha256:ffffffffffffffff',
      'api 1@sha256:0123456789ab → sha256:ffffffffffff',
    ],
    ['one/api:1', 'two/api:1', 'one/api:1 → two/api:1'],
    ['one/api:1', 'one/web', 'api:1 → web'],
  ] as const) {
    it(`tells images apart as "${text}" (U-36)`, () => {
      equal(describeImages(before, after), text);
    });
  }

  it('keeps 50 entries and counts all (CH-11)', () => {
    const names = Array.from({ length: 60 }, (_, i) => `V${i}`);
    const record = workloadRecord(
      API,
      diffFacts(factsOf([containerFacts('app')]), factsOf([containerFacts('app', { env_names: names })])),
    );
    deepEqual([record.changes.length, record.change_count, record.truncated], [50, 60, true]);
  });

  it('cuts at 300 characters and splits none (CH-08)', () => {
    const long = { field: 'containers.app.env', before: null, after: `A${'😀'.repeat(300)}` };
    const { summary } = workloadRecord(API, [long]);
    ok(summary.length <= 300 && summary.length > 297);
    ok(summary.isWellFormed() && summary.endsWith('…'));
  });

  it('says of a workload that came or went just that', () => {
    equal(toRecord('workload_created', API, []).summary, 'Deployment shop/checkout-api created');
    deepEqual(toRecord('workload_deleted', API, []).changes, []);
  });

  it('holds no text but names, references and spellings that the facts hold (CH-34)', () => {
    fc.assert(
      fc.property(anyFacts, anyFacts, (before, after) => {
        const known = JSON.stringify([before, after]);
        for (const change of workloadRecord(API, diffFacts(before, after)).changes) {
          if (change.field === 'init_containers.order') continue;
          for (const side of [change.before, change.after])
            ok(side === null || known.includes(side), side ?? '');
        }
      }),
    );
  });
});
