import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isDateTime } from '../../wire/dateTime.ts';

describe('date-time', () => {
  it('takes every instant that Date prints', () => {
    const years = { min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true } as const;
    fc.assert(fc.property(fc.date(years), (date) => isDateTime(date.toISOString())));
  });

  it('takes a day exactly when the calendar has it', () => {
    const two = (n: number): string => String(n).padStart(2, '0');
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9999 }),
        fc.integer({ min: 0, max: 13 }),
        fc.integer({ min: 0, max: 32 }),
        (year, month, day) => {
          const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T00:00:00Z`;
          const there =
            month >= 1 && month <= 12 && day >= 1 && new Date(text).toJSON()?.slice(8, 10) === two(day);
          assert.equal(isDateTime(text), there, text);
        },
      ),
      { numRuns: 2000 },
    );
  });

  for (const text of [
    '2024-02-29T00:00:00Z',
    '2026-01-01T10:00:00.123456789+05:30',
    '2000-02-29t00:00:00z',
  ]) {
    it(`takes ${text}`, () => assert.ok(isDateTime(text)));
  }
  for (const text of [
    '',
    '2026-01-01',
    '2026-01-01 00:00:00Z',
    '2026-01-01T00:00:00',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2023-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-01-01T00:00:00.Z',
    '+02026-01-01T00:00:00Z',
    ' 2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z\n',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.ok(!isDateTime(text)));
  }
});
