import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Shrunk } from '../../rules/shrink.ts';
import { SHEDS, shrink } from '../../rules/shrink.ts';
import { encodeSnapshot } from '../../wire/inventory.ts';
import type { Argocd } from '../../wire/kinds/application.ts';
import type { SentWorkload, Snapshot } from '../../wire/snapshot.ts';
import { applicationOf, factsOf, workloadOf } from '../support/heavy.ts';
import { anySnapshot, snapshotOf } from '../support/snapshots.ts';

/** Every form of a snapshot, the whole one first. */
function* forms(snapshot: Snapshot): Iterable<{ shed: Shrunk['shed'] | null; snapshot: Snapshot }> {
  let form: { shed: Shrunk['shed'] | null; snapshot: Snapshot } | null = { shed: null, snapshot };
  while (form !== null) {
    yield form;
    form = shrink(form.snapshot, form.shed);
  }
}
const shedsOf = (snapshot: Snapshot): (string | null)[] => [...forms(snapshot)].map(({ shed }) => shed);
const argocd = (applications: Argocd['applications']): Argocd => ({
  state: 'ok',
  in_cluster_names: ['production'],
  applications,
});

/** Any snapshot, with facts on some of its workloads, with and without Applications and coverage. */
const anyHeavySnapshot = fc
  .tuple(
    anySnapshot(),
    fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
    fc.option(fc.array(fc.option(fc.nat(3)), { maxLength: 3 }), { nil: undefined }),
    fc.boolean(),
  )
  .map(([snapshot, withFacts, rows, covered]): Snapshot => {
    const workloads = snapshot.data.workloads.map(
      (workload, i): SentWorkload => (withFacts[i] ? { ...workload, spec_facts: factsOf('x') } : workload),
    );
    const applications = rows?.map((count, i) => applicationOf(`app-${i}`, count));
    return {
      ...snapshot,
      ...(covered ? { coverage: { applications: { state: 'complete', listed: 3, sent: 3 } } } : {}),
      data: {
        ...snapshot.data,
        workloads,
        ...(applications === undefined ? {} : { argocd: argocd(applications) }),
      },
    };
  });

describe('rules/shrink', () => {
  it('gives up facts, then Application rows, then Applications, then nothing more (PL-04, X-06)', () => {
    const snapshot = snapshotOf(
      {
        workloads: [{ ...workloadOf('api'), spec_facts: factsOf('x') }, workloadOf('bare')],
        argocd: argocd([applicationOf('shop', 2), applicationOf('none', 0)]),
      },
      { coverage: { applications: { state: 'complete', listed: 2, sent: 2 } } },
    );
    const [whole, noFacts, noRows, noApplications, ...more] = forms(snapshot);
    assert.equal(whole?.snapshot, snapshot);
    assert.deepEqual(
      [noFacts, noRows, noApplications].map((form) => form?.shed),
      SHEDS.slice(0, 3),
    );
    assert.deepEqual(more, []);

    assert.deepEqual(noFacts?.snapshot.data.workloads, [workloadOf('api'), workloadOf('bare')]);
    assert.deepEqual(noFacts.snapshot.data.argocd, snapshot.data.argocd);
    assert.deepEqual(
      noRows?.snapshot.data.argocd?.applications.map(({ resources, resources_total }) => [
        resources,
        resources_total,
      ]),
      [
        [null, 2],
        [[], 0],
      ],
    );
    assert.ok(noApplications !== undefined && !('argocd' in noApplications.snapshot.data));
    assert.deepEqual(noApplications.snapshot.coverage, {
      applications: { state: 'error', listed: 2, sent: 0, reason: 'too_large' },
    });
  });

  it('skips a step that has nothing to drop (X-06)', () => {
    assert.deepEqual(shedsOf(snapshotOf()), [null]);
    assert.deepEqual(shedsOf(snapshotOf({ argocd: argocd([]) })), [null]);
    assert.deepEqual(shedsOf(snapshotOf({ argocd: argocd([applicationOf('a', 0)]) })), [
      null,
      'argocd_applications_dropped',
    ]);
    assert.deepEqual(shedsOf(snapshotOf({ argocd: argocd([applicationOf('a', 1)]) })), [
      null,
      'argocd_rows_dropped',
      'argocd_applications_dropped',
    ]);
  });

  it('never makes a snapshot larger, goes one way, and leaves the given one alone', () => {
    fc.assert(
      fc.property(anyHeavySnapshot, (snapshot) => {
        const before = encodeSnapshot(snapshot);
        let size = before.length;
        let step = -1;
        for (const { shed, snapshot: form } of [...forms(snapshot)].slice(1)) {
          const smaller = encodeSnapshot(form).length;
          assert.ok(smaller < size, `${shed}: ${smaller} bytes after ${size}`);
          const at = SHEDS.indexOf(shed ?? 'inventory_dropped');
          assert.ok(at > step);
          size = smaller;
          step = at;
        }
        assert.ok(before.equals(encodeSnapshot(snapshot)));
      }),
    );
  });

  it('touches nothing but what it drops', () => {
    fc.assert(
      fc.property(anyHeavySnapshot, (snapshot) => {
        const strip = ({ coverage: _, data: { workloads, argocd: __, ...data }, ...envelope }: Snapshot) => ({
          ...envelope,
          ...data,
          workloads: workloads.map(({ spec_facts: ___, ...workload }) => workload),
        });
        for (const form of forms(snapshot)) assert.deepEqual(strip(form.snapshot), strip(snapshot));
      }),
    );
  });

  it('drops the facts of all workloads or of none (PL-05)', () => {
    fc.assert(
      fc.property(anyHeavySnapshot, (snapshot) => {
        for (const { shed, snapshot: form } of [...forms(snapshot)].slice(1)) {
          assert.ok(
            form.data.workloads.every((workload) => !('spec_facts' in workload)),
            String(shed),
          );
        }
      }),
    );
  });
});
