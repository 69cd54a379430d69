import assert from 'node:assert/strict';
import { parseDuration } from '../../rules/duration.ts';

describe('durations', () => {
  const read: [string, number][] = [
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['300ms', 300],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['2160h', 7_776_000_000],
    ['-1m', -60_000],
    ['+1s', 1000],
    ['0', 0],
    ['1500us', 1.5],
    ['2\u00b5s', 0.002],
  ];
  for (const [text, ms] of read) {
    it(`reads ${text} as Go does (CF-07)`, () => assert.equal(parseDuration(text), ms));
  }

  for (const text of [
    '',
    '5',
    '5 m',
    '1d',
    'm',
    '5min',
    '1h-30m',
    '.s',
    '5m ',
    'Infinitys',
    '1e3s',
    '--1s',
  ]) {
    it(`refuses "${text}"`, () => assert.equal(parseDuration(text), null));
  }
});
