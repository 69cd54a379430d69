import assert from 'node:assert/strict';
import fc from 'fast-check';
import { dataSubject, parseDataSubject } from '../../wire/subjects.ts';

const token = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,20}$/);

describe('subjects', () => {
  it('reads back the sender that it writes (IN-01)', () => {
    fc.assert(
      fc.property(token, token, fc.uuid(), (client, environment, agentId) => {
        const sender = { client, environment, agentId };
        assert.deepEqual(parseDataSubject(dataSubject(sender, 'kubernetes')), {
          ...sender,
          type: 'kubernetes',
        });
      }),
    );
  });

  for (const subject of [
    '',
    'proxima',
    'proxima.a.b.c',
    'proxima.a.b.c.d.e',
    'other.a.b.c.d',
    'proxima.a..c.d',
  ]) {
    it(`is not fooled by "${subject}"`, () => assert.equal(parseDataSubject(subject), null));
  }
});
