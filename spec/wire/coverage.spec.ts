import assert from 'node:assert/strict';
import { COVERAGE_STATES, COVERED_RESOURCES, provesAbsence } from '../../wire/coverage.ts';
import { kinds } from '../../wire/kinds/index.ts';

describe('coverage', () => {
  for (const state of COVERAGE_STATES) {
    const proves = ['complete', 'truncated', 'absent'].includes(state);
    it(`${proves ? 'prunes' : 'keeps the rows of'} a kind that is ${state} (D9)`, () => {
      assert.equal(provesAbsence({ pods: { state, listed: 1, sent: 1 } }, 'pods'), proves);
    });
  }

  it('takes a resource that the block leaves out as failed', () => {
    assert.equal(provesAbsence({}, 'pods'), false);
  });

  it('takes a snapshot without a block as whole, as an older agent sends it', () => {
    assert.equal(provesAbsence(undefined, 'pods'), true);
  });

  it('has an entry for every resource that the kind table prunes by', () => {
    const named = kinds.flatMap((kind) =>
      typeof kind.coverage === 'string' ? [kind.coverage] : Object.values<string>(kind.coverage),
    );
    assert.deepEqual(
      named.filter((resource) => !(COVERED_RESOURCES as readonly string[]).includes(resource)),
      [],
    );
  });
});
