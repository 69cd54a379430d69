import { equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import type { EventTimes } from '../../../rules/kube/eventTime.ts';
import { eventCount, firstSeenAt, lastSeenAt } from '../../../rules/kube/eventTime.ts';
import { wireTime } from '../../../rules/kube/time.ts';

const time = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().replace('Z', '123Z'));
const maybe = fc.option(time, { nil: null });

describe('rules/kube/eventTime', () => {
  it('takes lastTimestamp, then the series, then eventTime, then firstTimestamp (AG-28)', () => {
    const event: EventTimes = {
      lastTimestamp: '2026-11-30T10:00:04Z',
      series: { count: 7, lastObservedTime: '2026-11-30T10:00:03.123456Z' },
      eventTime: '2026-11-30T10:00:02.999999Z',
      firstTimestamp: '2026-11-30T10:00:01Z',
    };
    equal(lastSeenAt(event), '2026-11-30T10:00:04Z');
    equal(lastSeenAt({ ...event, lastTimestamp: null }), '2026-11-30T10:00:03.123Z');
    equal(lastSeenAt({ ...event, lastTimestamp: null, series: null }), '2026-11-30T10:00:02.999Z');
    equal(lastSeenAt({ firstTimestamp: '2026-11-30T10:00:01Z' }), '2026-11-30T10:00:01Z');
    equal(lastSeenAt({}), null);
  });

  it('has a last-seen time whenever any of the four is set, and it is one of them', () => {
    fc.assert(
      fc.property(
        maybe,
        maybe,
        maybe,
        maybe,
        (lastTimestamp, lastObservedTime, eventTime, firstTimestamp) => {
          const seen = lastSeenAt({ lastTimestamp, series: { lastObservedTime }, eventTime, firstTimestamp });
          const given = [lastTimestamp, lastObservedTime, eventTime, firstTimestamp].map(wireTime);
          ok(given.includes(seen));
          equal(
            seen === null,
            given.every((one) => one === null),
          );
        },
      ),
    );
  });

  it('says when an event began from firstTimestamp, else from eventTime', () => {
    equal(firstSeenAt({ eventTime: '2026-11-30T10:00:02.5Z' }), '2026-11-30T10:00:02.500Z');
    equal(
      firstSeenAt({ firstTimestamp: '2026-11-30T10:00:01Z', eventTime: '2026-11-30T10:00:02Z' }),
      '2026-11-30T10:00:01Z',
    );
    equal(firstSeenAt({ lastTimestamp: '2026-11-30T10:00:04Z' }), null);
  });

  it('counts the event’s own count, then its series’, then 1 (AG-29)', () => {
    equal(eventCount({ count: 12 }), 12);
    equal(eventCount({ count: null, series: { count: 7 } }), 7);
    equal(eventCount({ count: 0, series: null }), 1);
    equal(eventCount({}), 1);
  });
});

describe('rules/kube/time', () => {
  it('cuts a MicroTime to milliseconds and drops a fraction of zero (X-49)', () => {
    equal(wireTime('2026-11-30T22:00:00.999999Z'), '2026-11-30T22:00:00.999Z');
    equal(wireTime('2026-11-30T22:00:00.000999Z'), '2026-11-30T22:00:00Z');
    equal(wireTime('2026-11-30T22:00:00Z'), '2026-11-30T22:00:00Z');
  });

  it('brings other offsets to UTC', () => {
    equal(wireTime('2026-11-30T22:00:00.5+02:00'), '2026-11-30T20:00:00.500Z');
  });

  it('is null for none and for what is no time, so that no snapshot is refused over it', () => {
    for (const text of [null, undefined, '', 'yesterday', '2026-11-30', '2026-13-01T00:00:00Z', '1 Jan 2026'])
      equal(wireTime(text), null, String(text));
    equal(wireTime('2026-11-30T22:00:60Z'), null);
    equal(wireTime('0000-01-01T00:00:00+12:00'), null);
  });

  it('is idempotent', () => {
    fc.assert(fc.property(time, (text) => equal(wireTime(wireTime(text)), wireTime(text))));
  });
});
