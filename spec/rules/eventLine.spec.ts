import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Event } from '../../rules/eventLine.ts';
import { eventLine } from '../../rules/eventLine.ts';
import { sanitizeText } from '../../rules/scrub/text.ts';

const PLACE = { environment_id: 'env', cluster_id: 'cluster', cluster_name: 'shop' };

const event = (change: Partial<Event> = {}): Event => ({
  namespace: 'shop',
  name: 'api-6f7.1',
  uid: 'uid',
  type: 'Warning',
  reason: 'BackOff',
  message: 'Back-off restarting failed container',
  involved_kind: 'Pod',
  involved_namespace: 'shop',
  involved_name: 'api-6f7-x2k',
  source_component: 'kubelet',
  count: 4,
  first_seen_at: '2026-11-30T20:00:00Z',
  last_seen_at: '2026-11-30T21:59:58.123456Z',
  created_at: '2026-11-30T20:00:00Z',
  ...change,
});

const lineOf = (change: Partial<Event> = {}): Record<string, string> | null => {
  const line = eventLine(event(change), PLACE, sanitizeText);
  ok(line === null || (line.endsWith('\n') && line.indexOf('\n') === line.length - 1));
  return line === null ? null : (JSON.parse(line) as Record<string, string>);
};

describe('the long-term copy of an event', () => {
  it('has the fields that the timeline reads, neither uid nor first sighting (U-26, EV-24)', () => {
    deepEqual(lineOf(), {
      _time: '2026-11-30T21:59:58.123456Z',
      _msg: 'Back-off restarting failed container',
      source: 'k8s-event',
      environment_id: 'env',
      level: 'warning',
      k8s_cluster_id: 'cluster',
      k8s_cluster_name: 'shop',
      k8s_namespace: 'shop',
      k8s_event_type: 'Warning',
      k8s_event_reason: 'BackOff',
      k8s_event_count: '4',
      k8s_involved_kind: 'Pod',
      k8s_involved_name: 'api-6f7-x2k',
    });
  });

  it('is not made of an event without a last-seen time (IN-32)', () => {
    equal(lineOf({ last_seen_at: null }), null);
  });

  it('has its message sanitized once more (X-44)', () => {
    const message =
      lineOf({ message: 'Liveness probe failed: curl -u admin password=hunter2secret' })?._msg ?? '';
    ok(message.startsWith('Liveness probe failed'));
    ok(!message.includes('hunter2secret'), message);
  });

  it('stays small, and stays one line, whatever the message', () => {
    const message = lineOf({ message: `first\nsecond\u2028${'x'.repeat(60_000)}` })?._msg ?? '';
    ok(message.startsWith('first\nsecond'));
    equal(message.length, 4096);
  });

  it('has a text where the event has no message', () => {
    equal(lineOf({ message: null })?._msg, 'BackOff');
    equal(lineOf({ message: '', reason: null })?._msg, 'Warning');
  });

  it('is ordinary for an ordinary event, and empty where nothing is known', () => {
    const line = lineOf({ type: 'Normal', involved_kind: null, involved_name: null, reason: null });
    equal(line?.level, 'info');
    deepEqual([line?.k8s_involved_kind, line?.k8s_involved_name, line?.k8s_event_reason], ['', '', '']);
  });
});
