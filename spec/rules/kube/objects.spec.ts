import { deepEqual, equal, ok } from 'node:assert/strict';
import { boundTexts } from '../../../rules/kube/bound.ts';
import { isEventExcluded, isExcluded } from '../../../rules/kube/exclusion.ts';
import { helmIdentity } from '../../../rules/kube/helm.ts';
import { cronJobStatus, jobStatus } from '../../../rules/kube/jobStatus.ts';
import { countIn } from '../../../rules/kube/namespaceCounts.ts';
import type { Coverage } from '../../../wire/coverage.ts';
import { MAX_TEXT_CHARS } from '../../../wire/limits.ts';

describe('rules/kube/helm (U-32)', () => {
  const chart = (label: string) => {
    const { helm_chart, helm_chart_version } = helmIdentity({ 'helm.sh/chart': label }, {});
    return [helm_chart, helm_chart_version];
  };

  it('splits the chart label before the version', () => {
    deepEqual(chart('ingress-nginx-4.10.1'), ['ingress-nginx', '4.10.1']);
    deepEqual(chart('cert-manager-v1.14.4'), ['cert-manager', 'v1.14.4']);
    deepEqual(chart('app-2-1.0.0-rc.1'), ['app-2', '1.0.0-rc.1']);
  });

  it('restores the plus sign that a label can’t hold', () => {
    deepEqual(chart('web-0.1.0_build.5'), ['web', '0.1.0+build.5']);
  });

  it('keeps a label without a whole version as the chart', () => {
    deepEqual(chart('a-name-so-long-that-the-label-was-cut-1.2'), [
      'a-name-so-long-that-the-label-was-cut-1.2',
      null,
    ]);
  });

  it('is null where nothing says so', () => {
    deepEqual(helmIdentity({}, { 'meta.helm.sh/release-name': 'shop' }), {
      helm_release: 'shop',
      helm_chart: null,
      helm_chart_version: null,
    });
    deepEqual(Object.values(helmIdentity(null, undefined)), [null, null, null]);
  });
});

describe('rules/kube/jobStatus', () => {
  const idle = { suspended: false, active: 0, succeeded: 0, failed: 0, conditions: [] };
  const holds = (type: string, status = 'True') => [{ type, status }];

  it('says how a job stands', () => {
    equal(jobStatus(idle), 'Pending');
    equal(jobStatus({ ...idle, active: 2 }), 'Running');
    equal(jobStatus({ ...idle, suspended: true }), 'Suspended');
    equal(jobStatus({ ...idle, succeeded: 1, conditions: holds('Complete') }), 'Complete');
    equal(jobStatus({ ...idle, failed: 7, conditions: holds('Failed') }), 'Failed');
  });

  it('keeps a job between two attempts Running, and one that ended ended, suspended or not', () => {
    equal(jobStatus({ ...idle, failed: 1, conditions: holds('Failed', 'False') }), 'Running');
    equal(jobStatus({ ...idle, suspended: true, conditions: holds('Complete') }), 'Complete');
  });

  it('knows two states of a CronJob', () => {
    deepEqual([cronJobStatus(false), cronJobStatus(true)], ['Active', 'Suspended']);
  });
});

describe('rules/kube/exclusion', () => {
  const excluded = new Set(['kube-system']);
  const at = (namespace?: string) => ({ metadata: namespace === undefined ? {} : { namespace } });

  it('excludes by namespace, never a cluster-scoped object (AG-20, AG-24)', () => {
    ok(isExcluded(at('kube-system'), excluded));
    ok(!isExcluded(at('default'), excluded));
    ok(!isExcluded(at(), excluded));
  });

  it('excludes an event by where it lies, by what it is about, and when it is about the namespace itself (AG-23)', () => {
    const about = (involvedObject: object) => ({ ...at('default'), involvedObject });
    ok(isEventExcluded(at('kube-system'), excluded));
    ok(isEventExcluded(about({ kind: 'Pod', namespace: 'kube-system', name: 'dns' }), excluded));
    ok(isEventExcluded(about({ kind: 'Namespace', name: 'kube-system' }), excluded));
    ok(!isEventExcluded(about({ kind: 'Node', name: 'kube-system' }), excluded));
    ok(!isEventExcluded(about({ kind: 'Pod', namespace: 'default', name: 'kube-system' }), excluded));
  });
});

describe('rules/kube/namespaceCounts', () => {
  const list = (state: Coverage['state'] | undefined, count: number) => ({
    coverage: state === undefined ? undefined : { state, listed: count, sent: 0 },
    perNamespace: new Map([['shop', count]]),
  });

  it('adds up what was seen, before any cap, and is 0 where nothing is', () => {
    equal(countIn('shop', [list('complete', 2), list('truncated', 40)]), 42);
    equal(countIn('empty', [list('complete', 2)]), 0);
  });

  it('is null as soon as one list shows only a part', () => {
    for (const state of ['forbidden', 'absent', 'error', undefined] as const)
      equal(countIn('shop', [list('complete', 2), list(state, 0)]), null);
  });
});

describe('rules/kube/bound', () => {
  it('cuts texts that the backend would refuse the whole snapshot for, at any depth, and nothing else', () => {
    const long = 'x'.repeat(MAX_TEXT_CHARS + 1);
    const record = { reason: long, containers: [{ image: long, ports: [] }], n: 1, none: null, ok: 'short' };
    const cut = long.slice(1);
    deepEqual(boundTexts(record), {
      reason: cut,
      containers: [{ image: cut, ports: [] }],
      n: 1,
      none: null,
      ok: 'short',
    });
  });
});
