/** Arbitrary PQL queries over given comparisons. */

import fc from 'fast-check';
import type { NumberOperator, Pql, TextOperator } from '../../rules/pql/parse.ts';

const TEXT_OPERATORS: TextOperator[] = ['=', '!=', '~', '!~'];
const NUMBER_OPERATORS: NumberOperator[] = ['=', '!=', '<', '<=', '>', '>='];

/** Comparisons of these fields, combined in any way, at most `maxDepth` deep. */
export function anyPql(o: {
  readonly textFields: readonly string[];
  readonly text: fc.Arbitrary<string>;
  readonly numberFields: readonly string[];
  readonly number: fc.Arbitrary<number>;
  readonly maxDepth: number;
}): fc.Arbitrary<Pql> {
  const text: fc.Arbitrary<Pql> = fc.record({
    kind: fc.constant('text' as const),
    field: fc.constantFrom(...o.textFields),
    operator: fc.constantFrom(...TEXT_OPERATORS),
    value: o.text,
  });
  const number: fc.Arbitrary<Pql> = fc.record({
    kind: fc.constant('number' as const),
    field: fc.constantFrom(...o.numberFields),
    operator: fc.constantFrom(...NUMBER_OPERATORS),
    value: o.number,
  });
  return fc.letrec<{ pql: Pql }>((tie) => ({
    pql: fc.oneof(
      { maxDepth: o.maxDepth },
      text,
      number,
      fc.record({ kind: fc.constant('not' as const), part: tie('pql') }),
      fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        parts: fc.array(tie('pql'), { minLength: 2, maxLength: 3 }),
      }),
    ),
  })).pql;
}
