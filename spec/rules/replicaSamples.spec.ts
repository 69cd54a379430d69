import { equal } from 'node:assert/strict';
import { replicaSamples } from '../../rules/replicaSamples.ts';

const PLACE = { environment_id: 'env', cluster_id: 'cluster' };
const AT = new Date('2026-11-30T22:00:00.123Z');

describe('the samples of a workload', () => {
  it('are its desired and its ready replicas at the time of the snapshot, without a host (IN-28)', () => {
    const workload = {
      kind: 'Deployment',
      namespace: 'shop',
      name: 'api',
      replicas_desired: 3,
      replicas_ready: 2,
    };
    const labels =
      'cluster_id="cluster",environment_id="env",namespace="shop",workload="api",workload_kind="Deployment"';
    equal(
      replicaSamples(workload, PLACE, AT),
      `k8s_workload_replicas{type="desired",${labels}} 3 1796076000123\n` +
        `k8s_workload_replicas{type="ready",${labels}} 2 1796076000123\n`,
    );
  });

  it('cannot be ended by a name', () => {
    const workload = {
      kind: 'Deployment',
      namespace: 'a"b\\c',
      name: 'x"} 1\nforged{y="',
      replicas_desired: 1,
      replicas_ready: 1,
    };
    const lines = replicaSamples(workload, PLACE, AT).trimEnd().split('\n');
    equal(lines.length, 2);
    equal(lines[0]?.match(/namespace="(.*)",workload="(.*)",workload_kind/)?.[1], 'a\\"b\\\\c');
    equal(lines[0]?.match(/workload="(.*)",workload_kind/)?.[1], 'x\\"} 1\\nforged{y=\\"');
  });
});
