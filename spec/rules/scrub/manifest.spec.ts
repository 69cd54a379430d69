import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MANIFEST_KINDS, redactManifest, redactPodTemplate } from '../../../rules/scrub/manifest.ts';
import { denseObjects } from './denseObjects.ts';
import { faultsOf, Planter } from './planted.ts';

/** What is left of the object; fails where nothing is. */
function redacted(kind: string, object: unknown): { object: unknown; notes: readonly string[] } {
  const answer = redactManifest(kind, object);
  assert.ok(answer.kind === 'redacted', answer.kind === 'refused' ? answer.reason : '');
  return answer;
}

const pod = (container: object, more: object = {}) => ({
  kind: 'Pod',
  metadata: { name: 'api', namespace: 'shop' },
  spec: { containers: [{ name: 'app', ...container }] },
  ...more,
});

describe('manifests', () => {
  for (const kind of MANIFEST_KINDS) {
    it(`hides every secret of a ${kind} and leaves alone what tells objects apart (LV-04)`, () => {
      const planter = new Planter();
      const object = planter.fill({ kind, ...denseObjects[kind] });
      const before = JSON.stringify(object);
      const answer = redacted(kind, object);
      assert.ok(planter.planted.length > 15);
      assert.deepEqual(faultsOf(planter.planted, answer.object), []);
      assert.equal(JSON.stringify(object), before, 'the object itself was changed');
      assert.ok(!/mk\d+Zq9/.test(answer.notes.join('\n')), 'a note shows a value');
      assert.deepEqual(redacted(kind, answer.object).object, answer.object);
    });
  }

  it('replaces the values of variables with their length, keeping names and references', () => {
    const { object, notes } = redacted(
      'Pod',
      pod({
        env: [
          { name: 'LOG_LEVEL', value: 'debug' },
          { name: 'EMPTY', value: '' },
          { name: 'NONE' },
          { name: 'DB', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
        ],
      }),
    );
    assert.deepEqual(object, {
      ...pod({
        env: [
          { name: 'LOG_LEVEL', value: '<redacted: 5 chars>' },
          { name: 'EMPTY', value: '' },
          { name: 'NONE' },
          { name: 'DB', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
        ],
      }),
    });
    assert.deepEqual(notes, ['spec.containers[].env[].value: redacted']);
  });

  it('sanitizes arguments, looking at the flag before each', () => {
    const { object, notes } = redacted(
      'Pod',
      pod({
        command: ['sh', '-c', 'PGPASSWORD=x psql'],
        args: ['--token', 'x', '--v', '2', '--auth', 'true', '-Dx.password=y'],
      }),
    );
    assert.deepEqual(
      object,
      pod({
        command: ['sh', '-c', 'PGPASSWORD=[REDACTED] psql'],
        args: ['--token', '[REDACTED]', '--v', '2', '--auth', 'true', '-Dx.password=[REDACTED]'],
      }),
    );
    assert.deepEqual(notes, [
      'spec.containers[].command: a secret hidden in an argument',
      'spec.containers[].args: a secret hidden in an argument (2 times)',
    ]);
  });

  it('says what was removed and how often, and warns of a label that looks like a secret', () => {
    const { notes } = redacted('Service', {
      kind: 'Service',
      metadata: {
        managedFields: [{}],
        labels: { odd: 'aB3dE5gH7jK9mN1pQ3sT5vX7' },
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration': '{}',
          'api-key': 'abc',
          c: 'run --token x',
        },
      },
    });
    assert.deepEqual(notes, [
      'metadata.managedFields: removed',
      'metadata.labels: a value looks like a secret; labels are not redacted',
      'metadata.annotations: a copy of the object removed',
      'metadata.annotations: a value redacted',
      'metadata.annotations: a secret hidden in a value',
    ]);
  });

  it('hides literal values beside the name of a secret, in analyses and header routes of a Rollout', () => {
    const spec = {
      analysis: {
        args: [
          { name: 'service', value: 'api' },
          { name: 'api-token', value: 'abc' },
        ],
      },
      strategy: {
        canary: {
          steps: [
            { setHeaderRoute: { match: [{ headerName: 'Authorization', headerValue: { exact: 'abc' } }] } },
          ],
        },
      },
    };
    assert.deepEqual(redacted('Rollout', { spec }).object, {
      spec: {
        analysis: {
          args: [
            { name: 'service', value: 'api' },
            { name: 'api-token', value: '<redacted: 3 chars>' },
          ],
        },
        strategy: {
          canary: {
            steps: [
              {
                setHeaderRoute: {
                  match: [{ headerName: 'Authorization', headerValue: { exact: '<redacted: 3 chars>' } }],
                },
              },
            ],
          },
        },
      },
    });
  });

  it('redacts the pod template of a revision the same way (LV-08)', () => {
    const template = {
      metadata: { annotations: { token: 'abcdef' } },
      spec: pod({ env: [{ name: 'A', value: 'b' }] }).spec,
    };
    const answer = redactPodTemplate(template);
    assert.ok(answer.kind === 'redacted');
    assert.deepEqual(answer.notes, [
      'template.metadata.annotations: a value redacted',
      'template.spec.containers[].env[].value: redacted',
    ]);
  });

  const refused: [string, string, unknown][] = [
    ['a Secret', 'Secret', { kind: 'Secret', data: { a: 'b' } }],
    ['a ConfigMap', 'ConfigMap', { kind: 'ConfigMap', data: { a: 'b' } }],
    ['another kind than asked for', 'Pod', { kind: 'Secret', data: { a: 'b' } }],
    ['a list', 'Pod', []],
    ['a text', 'Pod', 'password=hunter2'],
    ['variables that are no list', 'Pod', pod({ env: { A: 'hunter2' } })],
    ['a variable that is no object', 'Pod', pod({ env: ['A=hunter2'] })],
    ['a value that is an object', 'Pod', pod({ env: [{ name: 'A', value: { b: 'hunter2' } }] })],
    ['headers that are no list', 'Pod', pod({ livenessProbe: { httpGet: { httpHeaders: 'hunter2' } } })],
    ['containers that are no list', 'Pod', { spec: { containers: { env: 'hunter2' } } }],
    ['arguments that are no list', 'Pod', pod({ args: 'run hunter2' })],
    ['annotations that are no texts', 'Pod', { metadata: { annotations: { a: { password: 'hunter2' } } } }],
    ['a spec that is a text', 'Deployment', { spec: 'hunter2' }],
    ['a template that is a text', 'Deployment', { spec: { template: 'hunter2' } }],
    ['metadata that is a list', 'Pod', { metadata: ['hunter2'] }],
    ['an object without end', 'Pod', endless()],
  ];
  for (const [what, kind, object] of refused) {
    it(`shows nothing of ${what}`, () => {
      const answer = redactManifest(kind, object);
      assert.equal(answer.kind, 'refused');
      assert.ok(!JSON.stringify(answer).includes('hunter2'));
    });
  }

  it('never throws, and never shows the value of a variable, whatever the object holds', () => {
    fc.assert(
      fc.property(fc.constantFrom(...MANIFEST_KINDS), fc.jsonValue({ maxDepth: 4 }), (kind, odd) => {
        const answer = redactManifest(kind, {
          metadata: {},
          spec: { containers: [{ env: [{ name: 'A', value: 'hunter2' }] }], more: odd, template: odd },
        });
        assert.ok(!JSON.stringify(answer).includes('hunter2'));
      }),
    );
  });
});

function endless(): object {
  const object: Record<string, unknown> = {};
  object.spec = object;
  return object;
}
