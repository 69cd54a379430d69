import { deepEqual, equal, throws } from 'node:assert/strict';
import fc from 'fast-check';
import { createListReader } from '../../agent/listReader.ts';

/** What a reader makes of a text that arrives in pieces of these sizes, in turn. */
function read(
  text: string,
  sizes: readonly number[] = [text.length + 1],
): { list: unknown; items: unknown[] } {
  const items: unknown[] = [];
  const reader = createListReader((item) => items.push(item));
  const bytes = Buffer.from(text);
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    reader.write(bytes.subarray(at, at + size));
    at += size;
  }
  return { list: reader.end(), items };
}

describe('a list that is read as it arrives', () => {
  it('gives what JSON.parse gives, wherever its bytes are cut', () => {
    const lists = fc.record(
      {
        kind: fc.string({ unit: 'binary' }),
        metadata: fc.jsonValue(),
        items: fc.array(fc.jsonValue()),
        more: fc.jsonValue(),
      },
      { requiredKeys: ['items'] },
    );
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
    fc.assert(
      fc.property(lists, sizes, fc.constantFrom('', ' ', '\n\t'), (list, cuts, indent) => {
        const text = JSON.stringify(list, null, indent);
        const whole = JSON.parse(text);
        const got = read(text, cuts);
        deepEqual(got.items, whole.items);
        deepEqual(got.list, { ...whole, items: [] });
      }),
      { numRuns: 1_000 },
    );
  });

  it('hands an item over when its last byte has come', () => {
    const items: unknown[] = [];
    const reader = createListReader((item) => items.push(item));
    reader.write(Buffer.from('{"items":[{"a":"},]"},{"a"'));
    deepEqual(items, [{ a: '},]' }]);
    reader.write(Buffer.from(':2}'));
    equal(items.length, 1);
    reader.write(Buffer.from(']'));
    deepEqual(items, [{ a: '},]' }, { a: 2 }]);
  });

  it('takes no other list for the items', () => {
    deepEqual(read('{"other":[1],"a":{"items":[2]},"x\\"items":[3],"items":[4]}'), {
      list: { other: [1], a: { items: [2] }, 'x"items': [3], items: [] },
      items: [4],
    });
    deepEqual(read('[{"items":[1]}]').items, []);
    deepEqual(read('{"items":null}'), { list: { items: null }, items: [] });
  });

  for (const broken of [
    '',
    '{"items":[',
    '{"items":[1',
    '{"items":[1,',
    '{"items":[1]',
    '{"items":[1,]}',
    '{"items":[,1]}',
    '{"items":[1 2]}',
    '{"items":[{]}',
    '{"items":[1}]',
    '{"items":[]}]',
    '{"items":[]}{}',
    '{"items":["]}',
  ]) {
    it(`refuses ${broken || 'nothing at all'}`, () => {
      throws(() => read(broken), SyntaxError);
      throws(() => read(broken, [1]), SyntaxError);
    });
  }
});
