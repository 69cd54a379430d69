import { equal } from 'node:assert/strict';
import fc from 'fast-check';
import { createTextPool } from '../../../agent/collect/textPool.ts';

describe('texts in one copy each', () => {
  it('are equal to what was given, whatever came before', () => {
    const texts = fc.array(fc.oneof(fc.string({ maxLength: 300 }), fc.stringMatching(/^[ab]{0,12}$/)), {
      minLength: 1,
      maxLength: 200,
    });
    fc.assert(
      fc.property(texts, (given) => {
        const share = createTextPool();
        for (const text of [...given, ...given]) equal(share(text), text);
      }),
    );
  });
});
