import { deepEqual, equal, ok } from 'node:assert/strict';
import { mapEndpointSlice } from '../../../agent/collect/endpointSlice.ts';
import { mapEvent } from '../../../agent/collect/event.ts';
import { mapHpa } from '../../../agent/collect/hpa.ts';
import { mapIngress } from '../../../agent/collect/ingress.ts';
import { mapCronJob, mapJob } from '../../../agent/collect/job.ts';
import { mapNamespace } from '../../../agent/collect/namespace.ts';
import { mapNetworkPolicy } from '../../../agent/collect/networkPolicy.ts';
import { mapNode, mapUsage } from '../../../agent/collect/node.ts';
import { mapPod } from '../../../agent/collect/pod.ts';
import { mapPvc } from '../../../agent/collect/pvc.ts';
import { mapResourceQuota } from '../../../agent/collect/resourceQuota.ts';
import { mapRollout } from '../../../agent/collect/rollout.ts';
import { mapService } from '../../../agent/collect/service.ts';
import { mapDaemonSet, mapDeployment, mapStatefulSet } from '../../../agent/collect/workload.ts';
import type { Kind } from '../../../wire/kinds/define.ts';
import { recordSchema } from '../../../wire/kinds/define.ts';
import { kinds } from '../../../wire/kinds/index.ts';
import { compileSchema } from '../../../wire/validate.ts';
import { readFixtures } from './fixtures.ts';

const kindsByName = new Map<string, Kind>(kinds.map((kind) => [kind.name, kind]));

const REPLICA_SETS = new Map([['set-1', { kind: 'Deployment', name: 'api' }]]);

/** By the object's kind: the array that its record goes into, and the mapper. Fixtures are what the API shows, untyped. */
const MAPPERS: Record<string, readonly [string, (object: never) => object]> = {
  Node: ['nodes', mapNode],
  Namespace: ['namespaces', mapNamespace],
  Deployment: ['workloads', mapDeployment],
  StatefulSet: ['workloads', mapStatefulSet],
  DaemonSet: ['workloads', mapDaemonSet],
  Rollout: ['workloads', mapRollout],
  Pod: ['pods', (pod: never) => mapPod(pod, REPLICA_SETS)],
  Service: ['services', mapService],
  Ingress: ['ingresses', mapIngress],
  PersistentVolumeClaim: ['pvcs', mapPvc],
  Event: ['events', mapEvent],
  Job: ['jobs', mapJob],
  CronJob: ['jobs', mapCronJob],
  HorizontalPodAutoscaler: ['hpas', mapHpa],
  NetworkPolicy: ['network_policies', mapNetworkPolicy],
  ResourceQuota: ['resource_quotas', mapResourceQuota],
  EndpointSlice: ['endpoint_slices', mapEndpointSlice],
};

/** Which requirement describes a kind's record. */
const REQUIREMENTS: Record<string, string> = {
  Node: 'AG-05',
  Namespace: 'AG-07',
  Deployment: 'AG-08',
  StatefulSet: 'AG-08',
  DaemonSet: 'AG-08',
  Rollout: 'AR-08',
  Pod: 'AG-09',
  Service: 'AG-10',
  Ingress: 'AG-11',
  PersistentVolumeClaim: 'AG-12',
  Event: 'AG-13',
  Job: 'AG-14',
  CronJob: 'AG-14',
  HorizontalPodAutoscaler: 'AG-15',
  NetworkPolicy: 'AG-16',
  ResourceQuota: 'AG-17',
  EndpointSlice: 'AG-18',
};

describe('agent/collect mappers', () => {
  const fixtures = readFixtures();
  const map = (object: { kind: string }): object => MAPPERS[object.kind]?.[1](object as never) ?? {};

  for (const { name, object, record } of fixtures) {
    it(`turns ${name.replaceAll('-', ' ')} into its record (${REQUIREMENTS[object.kind]})`, () =>
      deepEqual(map(object), record));
  }

  it('has a fixture for every mapper', () => {
    deepEqual([...new Set(fixtures.map(({ object }) => object.kind))].sort(), Object.keys(MAPPERS).sort());
  });

  it('makes records with exactly the fields of their kind, which the backend takes', () => {
    for (const { name, object } of fixtures) {
      const kind = kindsByName.get(MAPPERS[object.kind]?.[0] ?? '');
      const record = map(object);
      // Facts are no column of the record's; they are looked at where they are built.
      if ('spec_facts' in record) delete record.spec_facts;
      deepEqual(Object.keys(record).sort(), Object.keys(kind?.fields ?? {}).sort(), name);
      const before = JSON.stringify(record);
      const checked = compileSchema(recordSchema(kind?.fields ?? {}))(record);
      ok(checked.ok, `${name}: ${JSON.stringify(checked)}`);
      equal(JSON.stringify(record), before, `${name} has keys that its kind does not know`);
    }
  });

  it('sends no secret of an annotation or message, no argument and no value of the environment (AG-30 to AG-32)', () => {
    let planted = 0;
    for (const { name, object } of fixtures) {
      if (JSON.stringify(object).includes('planted-secret')) planted++;
      ok(!JSON.stringify(map(object)).includes('planted-secret'), name);
    }
    ok(planted >= 6);
  });

  it('makes a record of an object that has nothing but its names', () => {
    const metadata = { name: 'bare', namespace: 'shop', uid: 'u' };
    for (const [kind, [array]] of Object.entries(MAPPERS)) {
      const fields = kindsByName.get(array)?.fields ?? {};
      const record = map({ kind, metadata, addressType: 'IPv4' } as { kind: string });
      const checked = compileSchema(recordSchema(fields))(record);
      ok(checked.ok, `${kind}: ${JSON.stringify(checked)}`);
    }
  });

  it('reads usage from metrics-server’s fine units, and null where it says nothing (AG-06)', () => {
    const metadata = { name: 'worker-1' };
    deepEqual(mapUsage({ metadata, usage: { cpu: '156340123n', memory: '1876Mi' } }), {
      usage_cpu_millicores: 157,
      usage_memory_bytes: 1967128576,
    });
    deepEqual(mapUsage({ metadata }), { usage_cpu_millicores: null, usage_memory_bytes: null });
  });
});
